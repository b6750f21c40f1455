"""Remove everything that Loremark has put on this machine for this user, except for the memory on servers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from loremark.agents import installer, status
from loremark.agents.agent import USER, SetupOptions
from loremark.agents.catalog import AGENTS
from loremark.agents.errors import EditError
from loremark.agents.installer import Plan
from loremark.agents.ledger import Ledger
from loremark.base import profile, running_servers
from loremark.base.folders import cache_folder, config_folder, data_folder, state_folder
from loremark.base.running_servers import ServerRecord
from loremark.cli import local_server, logout, output
from loremark.cli.framework import CommandError
from loremark.cli.local_server import shorten
from loremark.cli.step_report import State, Step
from loremark.client.call import ApiError
from loremark.hook import flush, git, githooks, gitpaths, link
from loremark.hook.git import GitError
from loremark.hook.link import FILE

_FLUSH_S = 15.0
_CONFIG = ("profile.json", "links.json", "reading.json")
_STATE = (
    *("spool", "git", "install", "imports", "private", "edits", "servers", "open.html"),
    *("repositories.json", "paused.json", "conversations.json", "reading-outcome.json", "server.log", "server.log.1"),
)
_CLIENT_CACHE = ("briefed", "briefings", "headless", "mcp", "phrases")
"""What agents and commands have cached; the rest is a server's."""


def plan(options: SetupOptions, ledger: Ledger) -> list[Step]:
    """What would be removed."""
    folders = _folders(options)
    changed = [step.path for each in _agent_plans(options, ledger) for step in each.steps if step.is_change]
    found = [
        _agents_step("planned", changed),
        _git_step("planned", [path for folder in folders for path in _list_hooks(folder)]),
        _links_step("planned", _list_links(folders)),
        _sign_in_step(),
        _servers_step("planned", _background_servers()),
        _files_step("planned"),
    ]
    return [step for step in found if step is not None]


def list_kept(options: SetupOptions) -> list[str]:
    """What stays on this machine, and how to remove it."""
    data = dict.fromkeys(server.data_dir for server in running_servers.list_known())
    if os.path.isfile(os.path.join(data_folder(), "loremark.db")):
        data[data_folder()] = None
    kept = [f"Server data, with all memory: {folder}. Delete it with: rm -r {folder}" for folder in map(shorten, data)]
    saved = profile.load({})
    if saved is not None and saved.url not in [server.url for server in running_servers.list_known()]:
        kept.append(f"The memory on {saved.url}")
    tracked = [folder for folder in _folders(options) if link.without_link(folder) is not None and _is_tracked(folder)]
    kept += [f"{shorten(os.path.join(folder, FILE))}, which is part of the repository" for folder in tracked]
    running = [server for server in running_servers.list_running() if not server.log_file]
    kept += [f"The server at {server.url}, which runs in a terminal or as a service" for server in running]
    return [*kept, "The loremark program"]


def remove(options: SetupOptions, ledger: Ledger) -> Iterator[Step]:
    """Remove everything, step by step. Capture ends first; what was captured is sent before the sign-in ends."""
    folders = _folders(options)
    steps: tuple[Callable[[], Step | None], ...] = (
        partial(_remove_agents, options, ledger),
        partial(_remove_git_hooks, folders),
        partial(_remove_links, folders),
        _sign_out,
        _stop_servers,
        _remove_files,
    )
    for step in steps:
        done = step()
        if done is not None:
            yield done


def _folders(options: SetupOptions) -> list[str]:
    """This folder and the linked ones."""
    here = os.path.realpath(options.locations.project)
    return list(dict.fromkeys((here, *link.list_linked_folders())))


# ── agents


def _agent_plans(options: SetupOptions, ledger: Ledger) -> Iterator[Plan]:
    """A plan for each owner of changes: agents of this user, then those of projects and the blocks of ``sync``.

    Each takes the ones before it into account if they are applied in between.
    """
    for agent in AGENTS:
        yield installer.plan_uninstall(agent, options._replace(scope=USER), ledger)
    for owner in sorted({owner for record in ledger.list_records() for owner in record.owners()}):
        yield installer.plan_removal([], owner, [], ledger)


def _agents_step(state: State, changed: Iterable[str], problems: Iterable[str] = ()) -> Step | None:
    details = (*map(shorten, dict.fromkeys(changed)), *dict.fromkeys(problems))
    message = "Restore the files of coding agents" if state == "planned" else "Restored the files of coding agents"
    return Step("Agents", "failed" if any(problems) else state, message, details) if details else None


def _remove_agents(options: SetupOptions, ledger: Ledger) -> Step | None:
    changed: list[str] = []
    problems: list[str] = []
    with ledger.locked():
        for each in _agent_plans(options, ledger):
            problems += each.notes
            try:
                installer.apply_plan(each, ledger)
            except EditError as error:
                problems.append(str(error))
                continue
            changed += [f"{status.change_kind(step)}  {shorten(step.path)}" for step in each.steps if step.is_change]
    return _agents_step("done", changed, problems)


# ── folders


def _list_hooks(folder: str) -> list[str]:
    try:
        return githooks.list_installed(folder)
    except GitError:
        return []


def _git_step(state: State, lines: list[str]) -> Step | None:
    message = "Remove the git hooks" if state == "planned" else "Removed the git hooks"
    return Step("Git", state, message, tuple(map(shorten, dict.fromkeys(lines)))) if lines else None


def _remove_git_hooks(folders: list[str]) -> Step | None:
    lines: list[str] = []
    for folder in folders:
        if _list_hooks(folder):
            try:
                lines += githooks.uninstall(folder)
            except GitError as error:
                lines.append(f"{folder}: {error}")
    left = any(_list_hooks(folder) for folder in folders)
    return _git_step("failed" if left else "done", lines)


def _list_links(folders: list[str]) -> list[str]:
    """The files with a link that this user has made. A tracked one is part of the repository."""
    found = []
    for folder in folders:
        if link.without_link(folder) is not None and not _is_tracked(folder):
            found.append(os.path.join(folder, FILE))
        repository = gitpaths.find_repository(folder)
        if repository is not None and gitpaths.read_setting(repository, "loremark", "place"):
            found.append(f"{os.path.join(repository.common, 'config')} (loremark.place)")
    return list(dict.fromkeys(found))


def _is_tracked(folder: str) -> bool:
    try:
        return git.run(["ls-files", "--error-unmatch", "--", FILE], folder=folder).code == 0
    except GitError:
        return False


def _links_step(state: State, paths: list[str]) -> Step | None:
    message = "Unlink folders" if state == "planned" else "Unlinked folders"
    return Step("Folders", state, message, tuple(map(shorten, paths))) if paths else None


def _remove_links(folders: list[str]) -> Step | None:
    paths = _list_links(folders)
    for folder in folders:
        if not _is_tracked(folder):
            link.remove_link(folder)
        repository = gitpaths.find_repository(folder)
        if repository is not None:
            link.remove_place(repository)
    return _links_step("failed" if _list_links(folders) else "done", paths)


# ── the sign-in, and servers


def _sign_in_step() -> Step | None:
    saved = profile.load({})
    if saved is None:
        return None
    waiting = flush.status().waiting
    queued = f"Send {output.pluralize(waiting, 'event')} that {'is' if waiting == 1 else 'are'} still queued"
    details = (queued,) if waiting else ()
    return Step("Sign-in", "planned", f"Sign out of {saved.url} and revoke the keys of this machine", details)


def _sign_out() -> Step | None:
    saved = profile.load({})
    if saved is None:
        return None
    flush.run(seconds=_FLUSH_S)
    lost = flush.status().waiting
    details = (f"{output.pluralize(lost, 'captured event')} could not be sent and will be deleted",) if lost else ()
    try:
        logout.revoke(saved)
    except ApiError as error:
        problem = f"The keys of this machine are still valid, because they could not be revoked: {error}"
        return Step("Sign-in", "failed", f"Signed out of {saved.url}", (problem, *details))
    return Step("Sign-in", "done", f"Signed out of {saved.url}; the keys of this machine are revoked", details)


def _background_servers() -> list[ServerRecord]:
    return [server for server in running_servers.list_running() if server.log_file]


def _servers_step(state: State, servers: list[ServerRecord], problems: tuple[str, ...] = ()) -> Step | None:
    if not servers:
        return None
    verb = "Stop" if state == "planned" else "Stopped"
    return Step("Server", state, f"{verb} the server at {output.join([server.url for server in servers])}", problems)


def _stop_servers() -> Step | None:
    servers, problems = _background_servers(), list[str]()
    for server in servers:
        try:
            local_server.stop(server)
        except CommandError as error:
            problems.append(str(error))
    return _servers_step("failed" if problems else "done", servers, tuple(problems))


# ── our own files


def _own_files() -> list[str]:
    found = [os.path.join(config_folder(), name) for name in _CONFIG]
    found += [os.path.join(state_folder(), name) for name in _STATE]
    if any(not server.log_file for server in running_servers.list_running()):
        found += [os.path.join(cache_folder(), name) for name in _CLIENT_CACHE]
    else:
        found.append(cache_folder())
    return [path for path in found if os.path.lexists(path)]


def _files_step(state: State, paths: list[str] | None = None) -> Step | None:
    paths = _own_files() if paths is None else paths
    message = "Delete Loremark's own files" if state == "planned" else "Deleted Loremark's own files"
    return Step("Files", state, message, tuple(map(shorten, paths))) if paths else None


def _remove_files() -> Step | None:
    paths = _own_files()
    for path in paths:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
    for folder in (config_folder(), state_folder()):
        with suppress(OSError):  # it may contain something else
            os.rmdir(folder)
    left = [path for path in paths if os.path.lexists(path)]
    return _files_step("failed" if left else "done", left or paths)
