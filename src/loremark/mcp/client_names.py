"""Map MCP client names to our agent names."""

from __future__ import annotations

import re

HEADER = "x-loremark-client"
"""Carries the client name from the handshake, because the stateless server doesn't remember it."""
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_WORDS = re.compile(r"[a-z]+")
_MAX_CHARS = 60
# Words that must all be part of the client name.
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


def agent_name(name: str) -> str:
    """Return our name for the agent, or a sanitized form of an unknown client name."""
    short = name[: 4 * _MAX_CHARS]
    words = set(_WORDS.findall(short.lower()))
    for agent, needed in _AGENTS.items():
        if words.issuperset(needed):
            return agent
    return _OTHER.sub("-", short).strip("-")[:_MAX_CHARS]
