"""Keep the block about the project's memory in AGENTS.md and the other instruction files up to date."""

from __future__ import annotations

import argparse
import os

from loremark.agents import installing, instructions, status
from loremark.agents.agent import FileWish
from loremark.agents.refusal import Refused
from loremark.cli.desk import add_project, get_project, open_client
from loremark.cli.install import carry_out, open_ledger, project_folder
from loremark.cli.kit import FAILED, OK, USAGE, Stop
from loremark.cli.page import note, plain, write, write_json
from loremark.hook.link import find_link

SUMMARY = "Keep the project's memory in AGENTS.md and the other instruction files."
EXAMPLE = "loremark sync --check"

_BUDGET_TOKENS = 1_200


def declare(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--folder", metavar="DIR", help="the project's folder (else: the one around this one)")
    parser.add_argument("--budget", metavar="TOKENS", type=int, default=_BUDGET_TOKENS, help="how much memory to write")
    parser.add_argument("--check", action="store_true", help="change nothing; end with 1 if something is out of date")
    parser.add_argument("--offline", action="store_true", help="do not ask the server; keep the memory that is there")
    parser.add_argument("--remove", action="store_true", help="take our blocks out again")
    parser.add_argument("--dry-run", action="store_true", help="show what would change and change nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.folder is not None and not os.path.isdir(arguments.folder):
        raise Stop(f"there is no folder {arguments.folder}", USAGE)
    home = os.path.expanduser("~")
    folder = os.path.abspath(arguments.folder) if arguments.folder else project_folder(os.getcwd(), home)
    arguments.yes, arguments.dry_run = True, arguments.dry_run or arguments.check
    ledger, owner = open_ledger(), f"{instructions.OWNER}:project:{os.path.realpath(folder)}"
    with ledger.locked():
        try:
            if arguments.remove:
                plan = installing.plan_removal(instructions.all_wishes(folder), owner, [folder], ledger)
            else:
                wishes = _wishes(folder, arguments)
                plan = installing.plan_files(wishes, owner, [folder], ledger)
        except Refused as refused:
            raise Stop(str(refused)) from None
        carry_out("sync", plan, ledger, arguments)
    if arguments.json:
        stale = plan.is_change or bool(plan.notes)
        write_json({"folder": folder, "stale": stale, **status.told(plan, arguments.dry_run)})
    elif not arguments.dry_run:
        for step in plan.steps:
            write(f"{status.kind_of(step):<9} {plain(step.path)}")
    if arguments.check and plan.is_change:
        note("out of date; run: loremark sync")
        return FAILED
    if arguments.check and plan.notes:
        note("not everything is in place: see what was left alone")
        return FAILED
    return OK


def _wishes(folder: str, arguments: argparse.Namespace) -> list[FileWish]:
    if arguments.offline:
        found = installing.find_file(os.path.join(folder, "AGENTS.md"), [folder])
        kept = instructions.kept_memory((found.content or b"").decode(errors="replace"))
        return instructions.wishes(folder, kept, is_defused=True)
    if arguments.folder and not arguments.project:
        link = find_link(folder)
        arguments.project = link.project if link is not None else None
    return instructions.wishes(folder, _memory(arguments))


def _memory(arguments: argparse.Namespace) -> str:
    """The most important of the project's memory, from the server."""
    from loremark.client.calls.brain import get_brain

    with open_client() as client:
        brain = client.send(get_brain(get_project(arguments, client), token_budget=arguments.budget))
    return brain.markdown
