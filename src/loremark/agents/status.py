"""Describe whether an agent is installed, and what a plan would change."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from loremark.agents import installer
from loremark.agents.agent import Agent, SetupOptions
from loremark.agents.errors import EditError
from loremark.agents.installer import Plan, Step
from loremark.agents.ledger import Ledger

INSTALLED, OUTDATED, NOT_SET_UP, BLOCKED = "installed", "outdated", "not set up", "cannot be set up"


def install_state(agent: Agent, options: SetupOptions, ledger: Ledger) -> str:
    """Return one of the states above."""
    options = options._replace(server=installer.current_server(agent, options, ledger))
    is_there = any(step.is_change for step in installer.plan_uninstall(agent, options, ledger).steps)
    try:
        is_outdated = installer.plan_install(agent, options, ledger).is_change
    except EditError:
        return BLOCKED
    if not is_there:
        return NOT_SET_UP
    return OUTDATED if is_outdated else INSTALLED


def change_kind(step: Step) -> str:
    if not step.is_change:
        return "unchanged"
    if step.before is None:
        return "created"
    return "deleted" if step.after is None else "changed"


def unified_diff(step: Step) -> Iterator[str]:
    """Yield the lines of a unified diff of the change."""
    before, after = (_lines(step.before), _lines(step.after))
    old = "/dev/null" if step.before is None else step.path
    new = "/dev/null" if step.after is None else step.path
    for line in difflib.unified_diff(before, after, old, new, lineterm=""):
        yield line.rstrip("\r\n")


def describe(plan: Plan, with_differences: bool = False) -> dict[str, Any]:
    """Return the plan as JSON-compatible data."""
    changed = [{"path": step.path, "change": change_kind(step)} for step in plan.steps]
    if with_differences:
        changed = [
            {**entry, "diff": "\n".join(unified_diff(step))} for entry, step in zip(changed, plan.steps, strict=True)
        ]
    return {"files": changed, "notes": plan.notes}


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode(errors="replace").splitlines(keepends=True)
