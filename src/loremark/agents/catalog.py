"""All supported agents."""

from __future__ import annotations

import os
from collections.abc import Callable

from loremark.agents import claude, cline, codex, copilot, cursor, gemini, opencode, vscode, windsurf, zed
from loremark.agents.agent import Agent, Locations

AGENTS: tuple[Agent, ...] = (
    claude.AGENT,
    codex.AGENT,
    gemini.AGENT,
    copilot.AGENT,
    opencode.AGENT,
    cline.AGENT,
    cursor.AGENT,
    vscode.AGENT,
    windsurf.AGENT,
    windsurf.DEVIN,
    zed.AGENT,
)


def find_agent(name: str) -> Agent | None:
    wanted = name.strip().lower()
    return next((agent for agent in AGENTS if wanted == agent.name or wanted in agent.aliases), None)


def is_present(agent: Agent, locations: Locations, find_program: Callable[[str], str | None]) -> bool:
    """Return whether the agent seems to be installed on this machine."""
    return any(os.path.isdir(folder) for folder in agent.detection_folders(locations)) or any(
        map(find_program, agent.binaries)
    )
