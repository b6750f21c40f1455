"""Set up coding agents: hooks that capture and brief, and our tools as an MCP server."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import Any

from loremark.agents import installing, status
from loremark.agents.agent import PROJECT, USER, Agent, Places, Server, Wish
from loremark.agents.catalog import AGENTS, find_agent, is_present
from loremark.agents.installing import Plan
from loremark.agents.ledger import Ledger
from loremark.agents.refusal import Refused
from loremark.base import folders
from loremark.cli.kit import FAILED, OK, USAGE, Stop
from loremark.cli.page import confirm, note, plain, styled, table, write, write_json

SUMMARY = "Set up coding agents: capture, briefing and tools."
EXAMPLE = "loremark install claude-code codex --scope user"

_EXECUTABLES = ("loremark", "loremark.exe")
_VARIABLES = (
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "COPILOT_HOME",
    "OPENCODE_CONFIG_DIR",
)


def declare(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(agent.name for agent in AGENTS)
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=f"{names}; or: plugin DIR (left out: those found)")
    add_common(parser)
    parser.add_argument("--all", action="store_true", help="every agent found on this machine")
    parser.add_argument("--list", action="store_true", help="show each agent and how far it is set up")
    parser.add_argument(
        "--http", metavar="URL", nargs="?", const="", help="tools over HTTP with a key from LOREMARK_API_KEY"
    )


def add_common(parser: argparse.ArgumentParser) -> None:
    """What installing and its undoing share."""
    parser.add_argument("--scope", choices=(USER, PROJECT), default=USER, help="for you everywhere, or in this project")
    parser.add_argument("--folder", metavar="DIR", help="the project's folder (else: the one around this one)")
    parser.add_argument("--command", metavar="PATH", help="the loremark to run (else: the one found)")
    parser.add_argument("--dry-run", action="store_true", help="show what would change and change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.agents[:1] == ["plugin"]:
        return _write_plugin(arguments)
    wish, ledger = wish_of(arguments), open_ledger()
    if arguments.http is not None:
        wish = wish._replace(server=Server(_mcp_url(arguments.http)))
    if arguments.list:
        return _list(wish, ledger, arguments.json)
    with ledger.locked():
        return _install(_chosen(arguments, wish.places), wish, ledger, arguments)


def _install(agents: list[Agent], wish: Wish, ledger: Ledger, arguments: argparse.Namespace) -> int:
    results: list[dict[str, Any]] = []
    failed = False
    for agent in agents:
        try:
            plan = installing.plan_install(agent, wish, ledger)
        except Refused as refused:
            note(f"{agent.title}: {refused}")
            results.append({"agent": agent.name, "state": "refused", "reason": str(refused)})
            failed = True
            continue
        state = "installed" if plan.is_change else "already installed"
        if carry_out(agent.title, plan, ledger, arguments):
            steps = list(agent.steps(wish))
            results.append({"agent": agent.name, "state": state, **status.told(plan, arguments.dry_run), "next": steps})
            _tell(agent, state, plan, steps, arguments)
    if arguments.json:
        write_json({"scope": wish.scope, "dryRun": arguments.dry_run, "agents": results})
    return FAILED if failed else OK


def carry_out(title: str, plan: Plan, ledger: Ledger, arguments: argparse.Namespace) -> bool:
    """Show, ask, do; whether it was done (or would be)."""
    for told in plan.notes:
        note(told)
    if arguments.dry_run:
        for line in (line for step in plan.steps if not arguments.json for line in status.difference(step)):
            write(_coloured(line))
        return True
    if plan.is_change and not arguments.yes:
        for step in plan.steps:
            note(f"  {status.kind_of(step):<9} {step.path}")
        if not sys.stdin.isatty():
            raise Stop("nobody can be asked here; look with --dry-run, then say --yes", USAGE)
        if not confirm(f"{title}: change these files?", assumed=False):
            return False
    try:
        installing.carry_out(plan, ledger)
    except Refused as refused:
        raise Stop(str(refused)) from None
    return True


def _tell(agent: Agent, state: str, plan: Plan, steps: list[str], arguments: argparse.Namespace) -> None:
    if arguments.json:
        return
    would = " (nothing was changed)" if arguments.dry_run else ""
    write(f"{styled(agent.title, 'bold')}: {state}{would}")
    for step in plan.steps:
        if step.is_change and not arguments.dry_run:
            write(f"  {status.kind_of(step):<9} {plain(step.path)}")
    for told in steps if plan.is_change else []:
        write(f"  next: {told}")


def _coloured(line: str) -> str:
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return styled(line, styles[line[0]]) if line[:1] in styles else plain(line)


def _chosen(arguments: argparse.Namespace, places: Places) -> list[Agent]:
    if arguments.agents:
        return named(arguments.agents)
    found = [agent for agent in AGENTS if is_present(agent, places, shutil.which)]
    if not found:
        raise Stop("no agent was found on this machine; name one: loremark install claude-code", USAGE)
    titles = ", ".join(agent.title for agent in found)
    if arguments.all or arguments.yes or arguments.dry_run or confirm(f"Found {titles}. Set them up?", assumed=False):
        return found
    raise Stop(f"found {titles}: name those to set up, or say --all", USAGE)


def named(names: list[str]) -> list[Agent]:
    """The agents of these names."""
    chosen = []
    for name in names:
        agent = find_agent(name)
        if agent is None:
            raise Stop(f"there is no agent {name!r}; known: {', '.join(one.name for one in AGENTS)}", USAGE)
        chosen.append(agent)
    return chosen


def _list(wish: Wish, ledger: Ledger, as_json: bool) -> int:
    rows: list[dict[str, Any]] = []
    for agent in AGENTS:
        states = {scope: status.state_of(agent, wish._replace(scope=scope), ledger) for scope in (USER, PROJECT)}
        is_there = is_present(agent, wish.places, shutil.which)
        rows.append({"agent": agent.name, "title": agent.title, "found": is_there, **states})
    if as_json:
        write_json(rows)
    else:
        shown = [(row["agent"], "yes" if row["found"] else "no", row[USER], row[PROJECT]) for row in rows]
        table(shown, ("AGENT", "FOUND", "USER", "PROJECT"))
    return OK


def _write_plugin(arguments: argparse.Namespace) -> int:
    from loremark.agents import plugins

    if len(arguments.agents) != 2:
        raise Stop("say where to: loremark install plugin DIR", USAGE)
    folder = os.path.abspath(arguments.agents[1])
    try:
        paths = plugins.write(folder, arguments.command or "loremark", dry_run=arguments.dry_run)
    except Refused as refused:
        raise Stop(str(refused)) from None
    if arguments.json:
        write_json({"folder": folder, "files": paths, "dryRun": arguments.dry_run})
        return OK
    for path in paths:
        write(plain(os.path.join(folder, path)))
    for told in plugins.STEPS:
        note(told.format(folder=folder))
    return OK


def _mcp_url(given: str) -> str:
    """The address of our MCP endpoint: as given, else of the server one is signed in to."""
    from loremark.base import profile

    if not given:
        found = profile.load()
        if found is None:
            raise Stop("which server? sign in with loremark login, or say --http URL", USAGE)
        given = found.url
    if not given.startswith(("http://", "https://")) or any(character.isspace() for character in given):
        raise Stop("--http takes an address such as https://loremark.example.com", USAGE)
    address = given.rstrip("/")
    return address if address.endswith("/mcp") else f"{address}/mcp"


def wish_of(arguments: argparse.Namespace) -> Wish:
    """What is to be done, from what was typed and where."""
    home = os.path.expanduser("~")
    if arguments.folder is not None and not os.path.isdir(arguments.folder):
        raise Stop(f"there is no folder {arguments.folder}", USAGE)
    project = os.path.abspath(arguments.folder) if arguments.folder else project_folder(os.getcwd(), home)
    if arguments.scope == PROJECT and os.path.realpath(project) == os.path.realpath(home):
        raise Stop("this folder is your home: use --scope user, or go to a project", USAGE)
    places = Places(home, project, sys.platform, _variables())
    return Wish(places, arguments.scope, _executable(arguments.command))


def project_folder(start: str, home: str) -> str:
    """The folder of the project around this one: with our link or a repository, else this one."""
    folder = start
    while True:
        if any(os.path.exists(os.path.join(folder, name)) for name in (".loremark.toml", ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder or os.path.realpath(folder) == os.path.realpath(home):
            return start
        folder = above


def _executable(given: str | None) -> str:
    """What the agents shall run: the name where a shell finds it, else the whole path."""
    if given is not None:
        if os.path.basename(given) not in _EXECUTABLES:  # by that name our entries are found again
            raise Stop("--command takes the path of an executable called loremark", USAGE)
        return given
    if shutil.which("loremark"):
        return "loremark"
    beside = (os.path.abspath(sys.argv[0]), os.path.join(os.path.dirname(sys.executable), "loremark"))
    for path in beside:
        if os.path.basename(path) in _EXECUTABLES and os.path.isfile(path):
            return path
    raise Stop("the loremark executable was not found; say --command PATH")


def _variables() -> dict[str, str]:
    """The variables by which agents let their folders be moved."""
    return folders.moved_by(_VARIABLES)


def open_ledger() -> Ledger:
    return Ledger(os.path.join(folders.state_folder(), "install"))
