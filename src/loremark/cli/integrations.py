"""Set up git hooks and coding agents for a linked folder."""

from __future__ import annotations

import argparse
import shutil
import sys

from loremark.cli import output
from loremark.cli.framework import CommandError, build_parser


def offer_integrations(arguments: argparse.Namespace, folder: str) -> None:
    """Set up what the options request. On a terminal, ask about the rest."""
    may_ask = sys.stdin.isatty() and not (arguments.json or arguments.no_input or arguments.yes)
    _set_up_git_hooks(arguments.git, folder, may_ask)
    _set_up_agents(arguments, folder, may_ask)


def has_git_hooks(folder: str) -> bool | None:
    """Whether the git hooks are installed; None outside a repository."""
    from loremark.hook import githooks
    from loremark.hook.git import GitError

    try:
        lines = githooks.preview(folder)
    except GitError:
        return None
    return bool(lines) and all(line.endswith(githooks.INSTALLED) for line in lines)


def agent_states(folder: str) -> dict[str, str]:
    """The agents found on this machine, with the state of their user-level setup."""
    from loremark.agents import status
    from loremark.agents.catalog import AGENTS, is_present
    from loremark.cli import install

    arguments = argparse.Namespace(scope="user", folder=folder, command=None)
    try:
        options = install.read_setup_options(arguments)
    except CommandError:  # no loremark executable for agents to call
        return {}
    ledger = install.open_ledger()
    installed = [agent for agent in AGENTS if is_present(agent, options.locations, shutil.which)]
    return {agent.name: status.install_state(agent, options, ledger) for agent in installed}


def _set_up_git_hooks(wanted: bool | None, folder: str, may_ask: bool) -> None:
    from loremark.hook import githooks
    from loremark.hook.git import GitError

    installed = has_git_hooks(folder)
    if installed is None or (wanted is None and (installed or not may_ask)):
        return
    if wanted is None:
        wanted = output.confirm("Capture commits in this repository with git hooks?", assumed=False, default=True)
        if not wanted:
            return
    try:
        lines = githooks.install(folder) if wanted else githooks.uninstall(folder)
    except GitError as error:
        raise CommandError(f"the git hooks were not changed: {error}") from None
    for line in lines:
        output.note(f"  {line}")


def _set_up_agents(arguments: argparse.Namespace, folder: str, may_ask: bool) -> None:
    if arguments.agents is False or not (arguments.agents or may_ask):
        return
    from loremark.agents import status
    from loremark.agents.catalog import AGENTS

    states = agent_states(folder)
    agents = [agent for agent in AGENTS if states.get(agent.name) in (status.NOT_SET_UP, status.OUTDATED)]
    names = [agent.name for agent in agents]
    if not names:
        return
    if not arguments.agents and not output.confirm(
        f"Set up {output.join([agent.title for agent in agents])}?", assumed=False, default=True
    ):
        return
    parser = build_parser("install", arguments.commands["install"])
    parsed = parser.parse_args([*names, "--yes"] if arguments.agents else names)
    parsed.run(parsed)
