"""Take our entries out of the files of coding agents again."""

from __future__ import annotations

import argparse

from loremark.agents import installing, status
from loremark.agents.catalog import AGENTS
from loremark.cli.install import add_common, carry_out, named, open_ledger, wish_of
from loremark.cli.kit import FAILED, OK, USAGE, Stop
from loremark.cli.page import plain, styled, write, write_json

SUMMARY = "Take Loremark out of coding agents again; their files become as they were."
EXAMPLE = "loremark uninstall codex --scope user"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=", ".join(agent.name for agent in AGENTS))
    add_common(parser)
    parser.add_argument("--all", action="store_true", help="every agent")


def run(arguments: argparse.Namespace) -> int:
    if not arguments.agents and not arguments.all:
        raise Stop("name an agent, or say --all", USAGE)
    arguments.command = arguments.command or "loremark"
    wish, ledger = wish_of(arguments), open_ledger()
    results, is_whole = [], True
    with ledger.locked():
        for agent in named(arguments.agents) if arguments.agents else AGENTS:
            plan = installing.plan_uninstall(agent, wish, ledger)
            state = "removed" if plan.is_change else "left alone" if plan.notes else "was not installed"
            is_whole = is_whole and not plan.notes
            if arguments.all and not arguments.agents and not plan.steps and not plan.notes:
                continue
            if not carry_out(agent.title, plan, ledger, arguments):
                continue
            results.append({"agent": agent.name, "state": state, **status.told(plan, arguments.dry_run)})
            if not arguments.json:
                write(f"{styled(agent.title, 'bold')}: {state}{' (nothing was changed)' if arguments.dry_run else ''}")
                for step in plan.steps if not arguments.dry_run else []:
                    write(f"  {status.kind_of(step):<9} {plain(step.path)}")
    if arguments.json:
        write_json({"scope": wish.scope, "dryRun": arguments.dry_run, "agents": results})
    return OK if is_whole else FAILED
