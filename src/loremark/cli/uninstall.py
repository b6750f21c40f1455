"""``loremark uninstall``: remove Loremark from some coding agents, or from this machine."""

from __future__ import annotations

import argparse
import sys

from loremark.agents import installer, status
from loremark.agents.agent import USER, SetupOptions
from loremark.agents.catalog import AGENTS
from loremark.agents.ledger import Ledger
from loremark.cli.framework import FAILED, OK, USAGE, CommandError
from loremark.cli.install import add_setup_options, apply_plan, get_agents, open_ledger, read_setup_options
from loremark.cli.output import confirm, note, plain, styled, write, write_json
from loremark.cli.step_report import Step, show

SUMMARY = "Remove Loremark from this machine, or only from the agents that you name."
EXAMPLE = "loremark uninstall --dry-run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(agent.name for agent in AGENTS)
    parser.add_argument(
        "agents",
        nargs="*",
        metavar="AGENT",
        help=f"only remove it from these agents: {names} (default: remove everything but server data)",
    )
    add_setup_options(parser)
    parser.set_defaults(scope=None)
    parser.add_argument("--all", action="store_true", help="remove it from every agent, and leave the rest")


def run(arguments: argparse.Namespace) -> int:
    is_everything = not arguments.agents and not arguments.all and arguments.scope is None
    arguments.scope = arguments.scope or USER
    arguments.all = arguments.all or not arguments.agents
    arguments.command = arguments.command or "loremark"
    options, ledger = read_setup_options(arguments), open_ledger()
    if is_everything:
        return _remove_everything(options, ledger, arguments)
    results, is_complete = [], True
    with ledger.locked():
        for agent in get_agents(arguments.agents) if arguments.agents else AGENTS:
            plan = installer.plan_uninstall(agent, options, ledger)
            state = "removed" if plan.is_change else "left unchanged" if plan.notes else "was not installed"
            is_complete = is_complete and not plan.notes
            if arguments.all and not arguments.agents and not plan.steps and not plan.notes:
                continue
            if not apply_plan(agent.title, plan, ledger, arguments):
                continue
            results.append({"agent": agent.name, "state": state, **status.describe(plan, arguments.dry_run)})
            if not arguments.json:
                write(f"{styled(agent.title, 'bold')}: {state}{' (dry run)' if arguments.dry_run else ''}")
                for step in plan.steps if not arguments.dry_run else []:
                    write(f"  {status.change_kind(step):<9} {plain(step.path)}")
    if arguments.json:
        write_json({"scope": options.scope, "dryRun": arguments.dry_run, "agents": results})
    return OK if is_complete else FAILED


def _remove_everything(options: SetupOptions, ledger: Ledger, arguments: argparse.Namespace) -> int:
    from loremark.cli import removal

    planned = removal.plan(options, ledger)
    kept = removal.list_kept(options)
    if arguments.dry_run or not planned:
        return _report(planned, kept, arguments)
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise CommandError("cannot ask without a terminal; preview with --dry-run, then use --yes", USAGE)
        _report(planned, kept, arguments)
        if not confirm("Remove all of this?", assumed=False, default=True):
            note("Nothing was changed.")
            return FAILED
        write()
    steps: list[Step] = []
    for step in removal.remove(options, ledger):
        steps.append(step)
        if not arguments.json:
            show(step)
    if arguments.json:
        write_json({"dryRun": False, "steps": [step._asdict() for step in steps], "kept": kept})
    else:
        _show_kept(kept)
    return FAILED if any(step.state == "failed" for step in steps) else OK


def _report(planned: list[Step], kept: list[str], arguments: argparse.Namespace) -> int:
    """Show what would be removed, and what would stay."""
    if arguments.json:
        write_json({"dryRun": arguments.dry_run, "steps": [step._asdict() for step in planned], "kept": kept})
        return OK
    if not planned:
        write("There is nothing to remove.")
    for step in planned:
        show(step)
    _show_kept(kept)
    return OK


def _show_kept(kept: list[str]) -> None:
    write("\nNot removed:")
    for line in kept:
        write(f"  {plain(line)}")
