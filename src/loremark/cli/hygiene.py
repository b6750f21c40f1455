"""``loremark hygiene``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loremark.cli.framework import FAILED, OK, USAGE, CommandError

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.hygiene import HygieneAction, HygieneApplied, HygienePlan

SUMMARY = "Find and apply memory cleanups."
EXAMPLE = "loremark hygiene --mode weekly"

_KEYS = {"y": "yes", "n": "no", "q": "quit"}
_TIMEOUT_S = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument(
        "--mode",
        choices=("quick", "weekly"),
        default="quick",
        help="quick: check the 20 newest items; weekly: up to 200 (default: quick)",
    )
    parser.add_argument("--apply-safe", action="store_true", help="apply all actions that need no approval")
    parser.add_argument("--plan", metavar="ID", help="apply actions from this plan; needs --select")
    parser.add_argument("--select", metavar="A,B", help="IDs of the actions to apply")
    parser.add_argument("--yes", action="store_true", help="do not ask; apply the safe actions, or those from --select")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.hygiene import analyze

    if bool(arguments.plan) != bool(arguments.select):
        raise CommandError("--plan and --select must be used together", USAGE)
    with open_client(_TIMEOUT_S) as client:
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
        output.write_json({"plan": plan, "applied": None})
    elif plan.actions:
        output.note("No actions selected; nothing was changed.")
    return OK


def _show_plan(plan: HygienePlan, *, whole: bool) -> None:
    from loremark.cli import output

    kinds = ", ".join(f"{count} {kind}" for kind, count in plan.summary.by_type.items())
    checked = output.pluralize(plan.items_analyzed, "item")
    output.note(
        output.one_line(f"{checked} checked: {f'{kinds} (plan {plan.plan_id})' if kinds else 'nothing to clean up'}")
    )
    for number, action in enumerate(plan.actions if whole else (), 1):
        show(action, number, len(plan.actions))


def _safe(plan: HygienePlan) -> list[str]:
    return [action.id for action in plan.actions if not action.requires_human_approval]


def _choose(plan: HygienePlan) -> list[str]:
    """Ask about each action. Actions that need approval default to no."""
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
    """Print an action and its diff."""
    from loremark.cli import diffs, output

    output.write(output.styled(f"── {number} of {count}: {action.type} ──", "cyan"))
    output.write(output.one_line(action.description))
    mark = output.styled("needs your approval", "yellow") if action.requires_human_approval else "safe"
    output.write(f"confidence {action.confidence:.2f}, {mark}, {output.styled(', '.join(_items_of(action)), 'dim')}")
    before = action.before if isinstance(action.before, str) else ""
    after = action.after if isinstance(action.after, str) else ""
    if before or after:
        diffs.show_text(before, after, "  ")
    output.write(output.styled(f"  {action.id}", "dim"))


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
    from loremark.cli import output
    from loremark.client.calls.hygiene import apply

    if not output.confirm(f"Apply {output.pluralize(len(chosen), 'action')}?", arguments.yes):
        raise CommandError("nothing was changed; confirm with --yes")
    done = client.send(apply(project_id, plan_id, chosen))
    failed = any(result.status == "failed" for result in done.results)
    if arguments.json:
        output.write_json({"plan": plan, "applied": done})
    else:
        _print_results(done, plan)
    return FAILED if failed else OK


def _print_results(done: HygieneApplied, plan: HygienePlan | None) -> None:
    from loremark.cli import output

    output.write(f"{done.applied} applied, {done.skipped} skipped")
    known = {action.id: action for action in plan.actions} if plan is not None else {}
    for result in done.results:
        if result.status != "success":
            reason = result.reason if isinstance(result.reason, str) else ""
            output.note(output.one_line(f"{result.action_id} {result.status}: {reason}"))
        elif (action := known.get(result.action_id)) is not None and (items := _items_of(action)):
            undo = "cannot be undone" if action.type == "REDACT" else f"to undo, run: loremark items revert {items[0]}"
            output.note(output.one_line(f"{action.type}: {undo}"))
