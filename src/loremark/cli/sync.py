"""``loremark sync``: update the memory block in AGENTS.md and other instruction files."""

from __future__ import annotations

import argparse
import os

from loremark.agents import installer, instructions, status
from loremark.agents.agent import FilePlan
from loremark.agents.errors import EditError
from loremark.cli.connection import add_project, get_project, open_client
from loremark.cli.framework import FAILED, OK, USAGE, CommandError
from loremark.cli.install import apply_plan, open_ledger, project_folder
from loremark.cli.output import note, plain, write, write_json
from loremark.hook.link import find_link

SUMMARY = "Update the memory block in AGENTS.md and other instruction files."
EXAMPLE = "loremark sync --check"

_BUDGET_TOKENS = 1_200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument(
        "--folder", metavar="DIR", help="project folder (default: the one that contains the current folder)"
    )
    parser.add_argument(
        "--budget",
        metavar="TOKENS",
        type=int,
        default=_BUDGET_TOKENS,
        help=f"size limit of the memory block (default: {_BUDGET_TOKENS})",
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit with status 1 if a file is out of date"
    )
    parser.add_argument(
        "--offline", action="store_true", help="do not contact the server; keep the current memory text"
    )
    parser.add_argument("--remove", action="store_true", help="remove the blocks")
    parser.add_argument("--dry-run", action="store_true", help="show the changes without making them")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.folder is not None and not os.path.isdir(arguments.folder):
        raise CommandError(f"{arguments.folder} is not a folder", USAGE)
    home = os.path.expanduser("~")
    folder = os.path.abspath(arguments.folder) if arguments.folder else project_folder(os.getcwd(), home)
    arguments.yes, arguments.dry_run = True, arguments.dry_run or arguments.check
    ledger, owner = open_ledger(), f"{instructions.OWNER}:project:{os.path.realpath(folder)}"
    with ledger.locked():
        try:
            if arguments.remove:
                plan = installer.plan_removal(instructions.all_instruction_files(folder), owner, [folder], ledger)
            else:
                files = _plan_files(folder, arguments)
                plan = installer.plan_files(files, owner, [folder], ledger)
        except EditError as error:
            raise CommandError(str(error)) from None
        apply_plan("sync", plan, ledger, arguments)
    if arguments.json:
        stale = plan.is_change or bool(plan.notes)
        write_json({"folder": folder, "stale": stale, **status.describe(plan, arguments.dry_run)})
    elif not arguments.dry_run:
        for step in plan.steps:
            write(f"{status.change_kind(step):<9} {plain(step.path)}")
    if arguments.check and plan.is_change:
        note("Out of date. Run: loremark sync")
        return FAILED
    if arguments.check and plan.notes:
        note("Some files were left unchanged; see the notes above.")
        return FAILED
    return OK


def _plan_files(folder: str, arguments: argparse.Namespace) -> list[FilePlan]:
    if arguments.offline:
        found = installer.read_file(os.path.join(folder, "AGENTS.md"), [folder])
        existing = instructions.existing_memory((found.content or b"").decode(errors="replace"))
        return instructions.plan_instruction_files(folder, existing, is_neutralized=True)
    if arguments.folder and not arguments.project:
        link = find_link(folder)
        arguments.project = link.project if link is not None else None
    return instructions.plan_instruction_files(folder, _fetch_memory(arguments))


def _fetch_memory(arguments: argparse.Namespace) -> str:
    """The project memory from the server, within the token budget."""
    from loremark.client.calls.brain import get_brain

    with open_client() as client:
        brain = client.send(get_brain(get_project(arguments, client), token_budget=arguments.budget))
    return brain.markdown
