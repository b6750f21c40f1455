"""All agents we know."""

from __future__ import annotations

import os
from collections.abc import Callable

from loremark.agents import claude, cline, codex, copilot, cursor, gemini, opencode, vscode, windsurf, zed
from loremark.agents.agent import Agent, Places

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
    told = name.strip().lower()
    return next((agent for agent in AGENTS if told == agent.name or told in agent.aliases), None)


def is_present(agent: Agent, places: Places, find_program: Callable[[str], str | None]) -> bool:
    """Whether the agent seems to be on this machine."""
    return any(os.path.isdir(sign) for sign in agent.signs(places)) or any(map(find_program, agent.binaries))
