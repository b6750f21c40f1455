"""How far an agent is set up, and what a plan would change, told to a person."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from loremark.agents import installing
from loremark.agents.agent import Agent, Wish
from loremark.agents.installing import Plan, Step
from loremark.agents.ledger import Ledger
from loremark.agents.refusal import Refused


def state_of(agent: Agent, wish: Wish, ledger: Ledger) -> str:
    """``installed``, ``outdated``, ``not installed``, or ``blocked``."""
    wish = wish._replace(server=installing.server_of(agent, wish, ledger))
    is_there = any(step.is_change for step in installing.plan_uninstall(agent, wish, ledger).steps)
    try:
        is_due = installing.plan_install(agent, wish, ledger).is_change
    except Refused:
        return "blocked"
    if not is_there:
        return "not installed"
    return "outdated" if is_due else "installed"


def kind_of(step: Step) -> str:
    if not step.is_change:
        return "unchanged"
    if step.before is None:
        return "created"
    return "deleted" if step.after is None else "changed"


def difference(step: Step) -> Iterator[str]:
    """A unified diff of what would become of the file."""
    before, after = (_lines(step.before), _lines(step.after))
    old = "/dev/null" if step.before is None else step.path
    new = "/dev/null" if step.after is None else step.path
    for line in difflib.unified_diff(before, after, old, new, lineterm=""):
        yield line.rstrip("\r\n")


def told(plan: Plan, with_differences: bool = False) -> dict[str, Any]:
    """A plan for programs."""
    changed = [{"path": step.path, "change": kind_of(step)} for step in plan.steps]
    if with_differences:
        changed = [{**one, "diff": "\n".join(difference(step))} for one, step in zip(changed, plan.steps, strict=True)]
    return {"files": changed, "notes": plan.notes}


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode(errors="replace").splitlines(keepends=True)
