"""Who asks: the name that a program gives itself, as ours for the agent."""

from __future__ import annotations

import re

HEADER = "x-loremark-client"
"""What the bridge saw in the handshake, which a server without sessions forgets."""
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_WORDS = re.compile(r"[a-z]+")
_MOST_CHARS = 60
# The words of which all must be in the name.
_AGENTS = {
    "claude-code": ("claude", "code"),
    "codex": ("codex",),
    "gemini": ("gemini",),
    "copilot": ("copilot",),
    "opencode": ("opencode",),
    "cline": ("cline",),
    "cursor": ("cursor",),
    "windsurf": ("windsurf",),
    "zed": ("zed",),
    "vscode": ("visual", "studio", "code"),
}


def agent_of(name: str) -> str:
    """The agent's name as everywhere in Loremark; for one that we do not know, what it calls itself, made harmless."""
    told = name[: 4 * _MOST_CHARS]
    words = set(_WORDS.findall(told.lower()))
    for agent, needed in _AGENTS.items():
        if words.issuperset(needed):
            return agent
    return _OTHER.sub("-", told).strip("-")[:_MOST_CHARS]
