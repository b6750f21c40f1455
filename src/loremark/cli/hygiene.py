"""``loremark hygiene``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loremark.cli.kit import FAILED, OK, USAGE, Stop

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.hygiene import HygieneAction, HygieneApplied, HygienePlan

SUMMARY = "What could be tidied up in the memory, and doing what you choose of it."
EXAMPLE = "loremark hygiene --mode weekly"

_KEYS = {"y": "yes", "n": "no", "q": "quit"}
_SECONDS = 120.0


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.add_argument("--mode", choices=("quick", "weekly"), default="quick", help="how many items to look at")
    parser.add_argument("--apply-safe", action="store_true", help="choose what needs no person's approval")
    parser.add_argument("--plan", metavar="ID", help="apply actions of a plan that was made before")
    parser.add_argument("--select", metavar="A,B", help="the ids of these actions")
    parser.add_argument("--yes", action="store_true", help="do not ask: apply what is chosen")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.hygiene import analyze

    if bool(arguments.plan) != bool(arguments.select):
        raise Stop("--plan and --select belong together", USAGE)
    with open_client(_SECONDS) as client:
        project_id = get_project(arguments, client)
        if arguments.plan:
            chosen = [name for name in arguments.select.split(",") if name]
            return _apply(client, project_id, arguments, arguments.plan, chosen, None)
        plan = client.send(analyze(project_id, arguments.mode))
        asks = not arguments.apply_safe and not arguments.json and not arguments.yes and sys.stdin.isatty()
        if not arguments.json:
            _show_plan(plan, whole=not asks)
        chosen = _choose(plan) if asks else _safe(plan) if arguments.apply_safe or arguments.yes else []
        if chosen:
            return _apply(client, project_id, arguments, plan.plan_id, chosen, plan)
    if arguments.json:
        page.write_json({"plan": plan, "applied": None})
    elif plan.actions:
        page.note("nothing was chosen, and nothing is changed")
    return OK


def _show_plan(plan: HygienePlan, *, whole: bool) -> None:
    from loremark.cli import page

    kinds = ", ".join(f"{count} {kind}" for kind, count in plan.summary.by_type.items())
    page.note(page.one_line(f"{plan.items_analyzed} items looked at: {kinds or 'all is tidy'}"))
    for number, action in enumerate(plan.actions if whole else (), 1):
        show(action, number, len(plan.actions))


def _safe(plan: HygienePlan) -> list[str]:
    return [action.id for action in plan.actions if not action.requires_human_approval]


def _choose(plan: HygienePlan) -> list[str]:
    """One after the other; what a person should look at is chosen only by a yes."""
    from loremark.cli import keypress

    chosen: list[str] = []
    for number, action in enumerate(plan.actions, 1):
        show(action, number, len(plan.actions))
        default = "n" if action.requires_human_approval else "y"
        key = keypress.choose(f"apply? (Enter: {_KEYS[default]})", _KEYS, default)
        if key == "q":
            break
        if key == "y":
            chosen.append(action.id)
    return chosen


def show(action: HygieneAction, number: int, count: int) -> None:
    """What would be done, and what would change."""
    from loremark.cli import diffs, page

    page.write(page.styled(f"── {number} of {count}: {action.type} ──", "cyan"))
    page.write(page.one_line(action.description))
    mark = page.styled("needs your approval", "yellow") if action.requires_human_approval else "safe"
    page.write(f"{action.confidence:.2f} sure, {mark}, {page.styled(', '.join(_items_of(action)), 'dim')}")
    before = action.before if isinstance(action.before, str) else ""
    after = action.after if isinstance(action.after, str) else ""
    if before or after:
        diffs.show_text(before, after, "  ")
    page.write(page.styled(f"  {action.id}", "dim"))


def _items_of(action: HygieneAction) -> Sequence[str]:
    if isinstance(action.item_ids, list):
        return action.item_ids
    return [action.item_id] if isinstance(action.item_id, str) else []


def _apply(
    client: Client,
    project_id: str,
    arguments: argparse.Namespace,
    plan_id: str,
    chosen: list[str],
    plan: HygienePlan | None,
) -> int:
    from loremark.cli import page
    from loremark.client.calls.hygiene import apply

    if not page.confirm(f"Apply {len(chosen)}?", arguments.yes):
        raise Stop("nothing is changed; say --yes")
    done = client.send(apply(project_id, plan_id, chosen))
    failed = any(result.status == "failed" for result in done.results)
    if arguments.json:
        page.write_json({"plan": plan, "applied": done})
    else:
        _tell(done, plan)
    return FAILED if failed else OK


def _tell(done: HygieneApplied, plan: HygienePlan | None) -> None:
    from loremark.cli import page

    page.write(f"{done.applied} applied, {done.skipped} skipped")
    known = {action.id: action for action in plan.actions} if plan is not None else {}
    for result in done.results:
        if result.status != "success":
            reason = result.reason if isinstance(result.reason, str) else ""
            page.note(page.one_line(f"{result.action_id} {result.status}: {reason}"))
        elif (action := known.get(result.action_id)) is not None and (items := _items_of(action)):
            way = (
                "cannot be taken back" if action.type == "REDACT" else f"take it back: loremark items revert {items[0]}"
            )
            page.note(page.one_line(f"{action.type}: {way}"))
