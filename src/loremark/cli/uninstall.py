"""``loremark uninstall``: remove Loremark's entries from coding agents."""

from __future__ import annotations

import argparse

from loremark.agents import installer, status
from loremark.agents.catalog import AGENTS
from loremark.cli.framework import FAILED, OK, USAGE, CommandError
from loremark.cli.install import add_setup_options, apply_plan, get_agents, open_ledger, read_setup_options
from loremark.cli.output import plain, styled, write, write_json

SUMMARY = "Remove Loremark from coding agents and restore their files."
EXAMPLE = "loremark uninstall codex --scope user"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=", ".join(agent.name for agent in AGENTS))
    add_setup_options(parser)
    parser.add_argument("--all", action="store_true", help="remove Loremark from every agent")


def run(arguments: argparse.Namespace) -> int:
    if not arguments.agents and not arguments.all:
        raise CommandError("name an agent, or use --all", USAGE)
    arguments.command = arguments.command or "loremark"
    options, ledger = read_setup_options(arguments), open_ledger()
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
