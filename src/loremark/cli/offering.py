"""What can be set up around a linked folder, so that memory is kept by itself: git hooks and agents."""

from __future__ import annotations

import argparse
import shutil
import sys

from loremark.cli import page
from loremark.cli.kit import Stop, parser_of


def offer(arguments: argparse.Namespace, folder: str) -> None:
    """Set up what was asked for; what was not spoken of is asked on a terminal, and else left alone."""
    may_ask = sys.stdin.isatty() and not (arguments.json or arguments.no_input or arguments.yes)
    _offer_git(arguments.git, folder, may_ask)
    _offer_agents(arguments, folder, may_ask)


def captures_commits(folder: str) -> bool | None:
    """Whether our lines are in the git hooks; None where there is no repository."""
    from loremark.hook import githooks
    from loremark.hook.git import GitFailed

    try:
        lines = githooks.preview(folder)
    except GitFailed:
        return None
    return bool(lines) and all("are there already" in line for line in lines)


def agents_here(folder: str) -> dict[str, str]:
    """The agents on this machine, and how far each is set up for everywhere."""
    from loremark.agents import status
    from loremark.agents.catalog import AGENTS, is_present
    from loremark.cli import install

    asked = argparse.Namespace(scope="user", folder=folder, command=None)
    try:
        wish = install.wish_of(asked)
    except Stop:  # there is no loremark that they could call
        return {}
    ledger = install.open_ledger()
    there = [agent for agent in AGENTS if is_present(agent, wish.places, shutil.which)]
    return {agent.name: status.state_of(agent, wish, ledger) for agent in there}


def _offer_git(wanted: bool | None, folder: str, may_ask: bool) -> None:
    from loremark.hook import githooks
    from loremark.hook.git import GitFailed

    there = captures_commits(folder)
    if there is None or (wanted is None and (there or not may_ask)):
        return
    if wanted is None:
        wanted = page.confirm("Capture the commits of this repository by git hooks?", assumed=False)
        if not wanted:
            return
    try:
        lines = githooks.install(folder) if wanted else githooks.uninstall(folder)
    except GitFailed as error:
        raise Stop(f"the git hooks stay as they are: {error}") from None
    for line in lines:
        page.note(f"  {line}")


def _offer_agents(arguments: argparse.Namespace, folder: str, may_ask: bool) -> None:
    if arguments.agents is False or not (arguments.agents or may_ask):
        return
    names = [name for name, state in agents_here(folder).items() if state in ("not installed", "outdated")]
    if not names:
        return
    if not arguments.agents and not page.confirm(f"Set up {', '.join(names)}?", assumed=False):
        return
    parser = parser_of("install", arguments.commands["install"])
    parsed = parser.parse_args([*names, "--yes"] if arguments.agents else names)
    parsed.run(parsed)
