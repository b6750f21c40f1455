"""``loremark install``: set up hooks and the MCP server in coding agents."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import Any

from loremark.agents import installer, status
from loremark.agents.agent import PROJECT, USER, Agent, Locations, Server, SetupOptions
from loremark.agents.catalog import AGENTS, find_agent, is_present
from loremark.agents.errors import EditError
from loremark.agents.installer import Plan
from loremark.agents.ledger import Ledger
from loremark.base import folders
from loremark.cli.framework import FAILED, OK, USAGE, CommandError
from loremark.cli.output import confirm, join, note, plain, styled, table, write, write_json
from loremark.cli.pause import note_if_paused

SUMMARY = "Set up coding agents with hooks and MCP tools."
EXAMPLE = "loremark install claude-code codex --scope user"

TEMPORARY = (
    "agents need a lasting copy of this program, and this one runs from a cache; "
    "run: uv tool install loremark (or: pipx install loremark)"
)
_EXECUTABLES = ("loremark", "loremark.exe")
_PLANNED = {"created": "create", "changed": "change", "deleted": "delete"}
_VARIABLES = (
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "COPILOT_HOME",
    "OPENCODE_CONFIG_DIR",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(agent.name for agent in AGENTS)
    parser.add_argument(
        "agents",
        nargs="*",
        metavar="AGENT",
        help=f"{names} (default: the agents found on this machine), or plugin DIR to write plugin files to a folder",
    )
    add_setup_options(parser)
    parser.add_argument("--all", action="store_true", help="set up every agent found on this machine")
    parser.add_argument("--list", action="store_true", help="list the agents and their setup status")
    parser.add_argument(
        "--http",
        metavar="URL",
        nargs="?",
        const="",
        help="connect over HTTP, with the API key from LOREMARK_API_KEY (default: the server you are signed in to)",
    )


def add_setup_options(parser: argparse.ArgumentParser) -> None:
    """Options shared by install and uninstall."""
    parser.add_argument(
        "--scope", choices=(USER, PROJECT), default=USER, help="for all your projects, or only this one (default: user)"
    )
    parser.add_argument(
        "--folder", metavar="DIR", help="project folder (default: the one that contains the current folder)"
    )
    parser.add_argument("--command", metavar="PATH", help="path of the loremark executable (default: the one found)")
    parser.add_argument("--dry-run", action="store_true", help="show the changes without making them")
    parser.add_argument("--yes", action="store_true", help="skip the confirmation")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.agents[:1] == ["plugin"]:
        return _write_plugin(arguments)
    options, ledger = read_setup_options(arguments), open_ledger()
    if arguments.http is not None:
        options = options._replace(server=Server(_mcp_url(arguments.http)))
    if arguments.list:
        return _list(options, ledger, arguments.json)
    if arguments.command is None and folders.is_temporary(sys.prefix):
        raise CommandError(f"{TEMPORARY}, then: loremark install", USAGE)
    with ledger.locked():
        return _install(_choose_agents(arguments, options.locations), options, ledger, arguments)


def _install(agents: list[Agent], options: SetupOptions, ledger: Ledger, arguments: argparse.Namespace) -> int:
    results: list[dict[str, Any]] = []
    failed = False
    for agent in agents:
        try:
            plan = installer.plan_install(agent, options, ledger)
        except EditError as error:
            note(f"{agent.title}: {error}")
            results.append({"agent": agent.name, "state": "refused", "reason": str(error)})
            failed = True
            continue
        state = "installed" if plan.is_change else "already installed"
        if apply_plan(agent.title, plan, ledger, arguments):
            steps = list(agent.steps(options))
            results.append(
                {"agent": agent.name, "state": state, **status.describe(plan, arguments.dry_run), "next": steps}
            )
            _print_result(agent, state, plan, steps, arguments)
    if arguments.json:
        write_json({"scope": options.scope, "dryRun": arguments.dry_run, "agents": results})
    elif not arguments.dry_run and not arguments.yes and sys.stdin.isatty():
        offer_reading()
    return FAILED if failed else OK


def offer_reading() -> None:
    """Ask once whether the agents may write memories from finished sessions."""
    from loremark.cli.reading import QUESTION
    from loremark.hook import headless, reading_settings

    found = [agent for agent in sorted(headless.SUPPORTED) if headless.installed(agent)]
    if not found or reading_settings.is_decided():
        return
    titles = [headless.title(agent) for agent in found]
    wanted = confirm(QUESTION.format(agents=join(titles, "or")), assumed=False)
    reading_settings.save(reading_settings.load()._replace(enabled=wanted))
    note("Change this at any time with: loremark reading on, or: loremark reading off")


def apply_plan(title: str, plan: Plan, ledger: Ledger, arguments: argparse.Namespace) -> bool:
    """Show the plan, ask, and apply it. Returns False if the user declined."""
    for text in plan.notes:
        note(text)
    if arguments.dry_run:
        for line in (line for step in plan.steps if not arguments.json for line in status.unified_diff(step)):
            write(_color_diff(line))
        return True
    if plan.is_change and not arguments.yes:
        for step in plan.steps:
            kind = status.change_kind(step)
            note(f"  {_PLANNED.get(kind, kind):<9} {step.path}")
        if not sys.stdin.isatty():
            raise CommandError(
                "cannot ask for confirmation without a terminal; preview with --dry-run, then use --yes", USAGE
            )
        if not confirm(f"{title}: change these files?", assumed=False, default=True):
            return False
    try:
        installer.apply_plan(plan, ledger)
    except EditError as error:
        raise CommandError(str(error)) from None
    return True


def _print_result(agent: Agent, state: str, plan: Plan, steps: list[str], arguments: argparse.Namespace) -> None:
    if arguments.json:
        return
    suffix = " (dry run)" if arguments.dry_run else ""
    write(f"{styled(agent.title, 'bold')}: {state}{suffix}")
    for step in plan.steps:
        if step.is_change and not arguments.dry_run:
            write(f"  {status.change_kind(step):<9} {plain(step.path)}")
    for text in steps if plan.is_change else []:
        write(f"  next: {text}")


def _color_diff(line: str) -> str:
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return styled(line, styles[line[0]]) if line[:1] in styles else plain(line)


def _choose_agents(arguments: argparse.Namespace, locations: Locations) -> list[Agent]:
    if arguments.agents:
        return get_agents(arguments.agents)
    found = [agent for agent in AGENTS if is_present(agent, locations, shutil.which)]
    if not found:
        raise CommandError(
            "no agents found on this machine; name one, for example: loremark install claude-code", USAGE
        )
    titles = join([agent.title for agent in found])
    if arguments.all or arguments.yes or arguments.dry_run or confirm(f"Set up {titles}?", assumed=False, default=True):
        return found
    raise CommandError(f"found {titles}; name the agents to set up, or use --all", USAGE)


def get_agents(names: list[str]) -> list[Agent]:
    """The agents with these names."""
    chosen = []
    for name in names:
        agent = find_agent(name)
        if agent is None:
            raise CommandError(
                f"unknown agent {name!r}; choose from: {', '.join(agent.name for agent in AGENTS)}", USAGE
            )
        chosen.append(agent)
    return chosen


def _list(options: SetupOptions, ledger: Ledger, as_json: bool) -> int:
    rows: list[dict[str, Any]] = []
    for agent in AGENTS:
        states = {
            scope: status.install_state(agent, options._replace(scope=scope), ledger) for scope in (USER, PROJECT)
        }
        is_found = is_present(agent, options.locations, shutil.which)
        rows.append({"agent": agent.name, "title": agent.title, "found": is_found, **states})
    if as_json:
        write_json(rows)
    else:
        shown = [(row["agent"], "yes" if row["found"] else "no", row[USER], row[PROJECT]) for row in rows]
        table(shown, ("agent", "found", "user", "project"))
        if any(status.BLOCKED in row for row in shown):
            note("To see why an agent cannot be set up, run: loremark install AGENT --dry-run")
        note_if_paused(options.locations.project)
    return OK


def _write_plugin(arguments: argparse.Namespace) -> int:
    from loremark.agents import plugins

    if len(arguments.agents) != 2:
        raise CommandError("name a folder: loremark install plugin DIR", USAGE)
    folder = os.path.abspath(arguments.agents[1])
    try:
        paths = plugins.write(folder, arguments.command or "loremark", dry_run=arguments.dry_run)
    except EditError as error:
        raise CommandError(str(error)) from None
    if arguments.json:
        write_json({"folder": folder, "files": paths, "dryRun": arguments.dry_run})
        return OK
    for path in paths:
        write(plain(os.path.join(folder, path)))
    for command in plugins.INSTALL_COMMANDS:
        note(command.format(folder=folder))
    return OK


def _mcp_url(given: str) -> str:
    """The MCP endpoint of the given server, or of the signed-in one."""
    from loremark.base import profile

    if not given:
        found = profile.load()
        if found is None:
            raise CommandError("no server; sign in with loremark login, or use --http URL", USAGE)
        given = found.url
    if not given.startswith(("http://", "https://")) or any(character.isspace() for character in given):
        raise CommandError("--http takes a URL such as https://loremark.example.com", USAGE)
    address = given.rstrip("/")
    return address if address.endswith("/mcp") else f"{address}/mcp"


def read_setup_options(arguments: argparse.Namespace) -> SetupOptions:
    """Setup options from the command line and the environment."""
    home = os.path.expanduser("~")
    if arguments.folder is not None and not os.path.isdir(arguments.folder):
        raise CommandError(f"{arguments.folder} is not a folder", USAGE)
    project = os.path.abspath(arguments.folder) if arguments.folder else project_folder(os.getcwd(), home)
    if arguments.scope == PROJECT and os.path.realpath(project) == os.path.realpath(home):
        raise CommandError("this is your home folder; use --scope user, or run this in a project", USAGE)
    locations = Locations(home, project, sys.platform, _variables())
    return SetupOptions(locations, arguments.scope, _executable(arguments.command))


def project_folder(start: str, home: str) -> str:
    """The nearest parent with a .loremark.toml or .git, else the folder itself."""
    folder = start
    while True:
        if any(os.path.exists(os.path.join(folder, name)) for name in (".loremark.toml", ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder or os.path.realpath(folder) == os.path.realpath(home):
            return start
        folder = parent


def _executable(given: str | None) -> str:
    """The command agents run: the name if it is on the PATH, else the full path."""
    if given is not None:
        if os.path.basename(given) not in _EXECUTABLES:  # uninstall finds entries by this name
            raise CommandError("--command takes the path of an executable named loremark", USAGE)
        return given
    if shutil.which("loremark"):
        return "loremark"
    candidates = (os.path.abspath(sys.argv[0]), os.path.join(os.path.dirname(sys.executable), "loremark"))
    for path in candidates:
        if os.path.basename(path) in _EXECUTABLES and os.path.isfile(path):
            return path
    raise CommandError("loremark executable not found; use --command PATH")


def _variables() -> dict[str, str]:
    """Environment variables that relocate the agents' folders."""
    return folders.environment_overrides(_VARIABLES)


def open_ledger() -> Ledger:
    return Ledger(os.path.join(folders.state_folder(), "install"))
