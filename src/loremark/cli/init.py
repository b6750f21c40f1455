"""``loremark init``: from now on this folder has a memory."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from loremark.cli.kit import USAGE, Stop

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.hook.link import Link
    from loremark.wire.projects import ProjectEntry

SUMMARY = "Link a folder to a project: pick or make one, write .loremark.toml, keep the signing secret."
EXAMPLE = "loremark init --yes"

_NAME_CHARS = 100
_SECRET_CHARS = 1_000
_SHOWN = 20


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="the folder; else this one")
    parser.add_argument("--project", metavar="PROJECT", help="link to this project, by its id or name")
    parser.add_argument("--name", metavar="NAME", help="the project's name; made if there is none of it")
    parser.add_argument("--secret-stdin", action="store_true", help="read the project's signing secret from the input")
    parser.add_argument(
        "--git", action=argparse.BooleanOptionalAction, help="put our lines into the git hooks, or take them out"
    )
    parser.add_argument(
        "--agents", action=argparse.BooleanOptionalAction, help="set up the agents found on this machine"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask: the project of this name, else a new one")
    parser.add_argument("--no-input", action="store_true", help="never ask; stop where something must be decided")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.cli.offering import captures_commits, offer
    from loremark.hook.link import save_link

    folder = _top(arguments.folder)
    if arguments.git and captures_commits(folder) is None:
        raise Stop(f"{folder} is in no git repository, so there are no commits to capture; leave out --git")
    with open_client() as client:
        project, name, is_new = _choose(client, arguments, folder)
        secret = _secret(client, arguments, project)
        try:
            link = save_link(folder, project, client.url)
        except ValueError:
            raise Stop(f"{project} is no project's id", USAGE) from None
    if not arguments.json:
        made = " (made just now)" if is_new else ""
        page.write(page.plain(f"{folder} belongs to {name}{made}, {project} on {link.url}."))
    offer(arguments, folder)
    if arguments.json:
        told = {"project": project, "name": name, "created": is_new, "url": link.url, "folder": link.folder}
        page.write_json({**told, "rootCommit": link.root or None, "canSign": secret})
    else:
        _tell_rest(link, secret)
    return 0


def _top(folder: Path) -> str:
    """The top of the working tree; a folder that is in none stands for itself."""
    from loremark.hook.place import find_repository

    if not folder.is_dir():
        raise Stop(f"{folder} is no folder", USAGE)
    found = find_repository(os.path.realpath(folder))
    return found.top if found is not None else os.path.realpath(folder)


def _choose(client: Client, arguments: argparse.Namespace, folder: str) -> tuple[str, str, bool]:
    """The project: named, as linked before, of the same name, picked, or new."""
    from loremark.cli.desk import project_named
    from loremark.client.call import ApiError
    from loremark.client.calls.projects import create_project, get_project, list_projects

    named = project_named(client, arguments.project) if arguments.project else None
    if named is None and not arguments.name:
        named = _linked(folder)
    if named is not None:
        try:
            found = client.send(get_project(named))
        except ApiError as error:
            if error.status == 404:
                raise Stop(f"there is no project {named} on {client.url}; say --project or --name") from None
            raise
        return found.id, found.name, False
    name = arguments.name or _proposal(folder)
    there = [project for project in client.every(list_projects()) if project.status == "active"]
    same = [project for project in there if project.name.casefold() == name.casefold()]
    if len(same) > 1:
        told = ", ".join(project.id for project in same[:_SHOWN])
        raise Stop(f"{len(same)} projects are called {name}; say --project: {told}", USAGE)
    picked = same[0] if same and (arguments.yes or arguments.name) else _ask(arguments, name, there, same)
    if picked is not None:
        return picked.id, picked.name, False
    made = client.send(create_project(name))
    return made.id, made.name, True


def _linked(folder: str) -> str | None:
    from loremark.cli.desk import OTHER_SERVER, look_around
    from loremark.hook.link import UNCONFIRMED, named_here

    link, why = look_around(folder)
    if why == UNCONFIRMED:
        return named_here(folder)  # that this is run here, where it is named, is the confirmation
    if link is None and OTHER_SERVER in why:
        raise Stop(f"{folder}: {why}; link it anew with --project or --name")
    return link.project if link is not None else None


def _proposal(folder: str) -> str:
    """A name from where the repository comes from, else from the folder."""
    from loremark.cli.page import one_line
    from loremark.hook import gitrepository
    from loremark.hook.git import GitFailed

    try:
        told = gitrepository.remote(gitrepository.discover(folder)) or ""
    except GitFailed:
        told = ""
    name = told.rstrip("/").rpartition("/")[2].removesuffix(".git") or os.path.basename(folder)
    return one_line(name)[:_NAME_CHARS].strip() or "project"


def _ask(
    arguments: argparse.Namespace, name: str, there: list[ProjectEntry], same: list[ProjectEntry]
) -> ProjectEntry | None:
    """What the person picks of the projects; None: a new one."""
    from loremark.cli import page

    if arguments.yes or (arguments.name and not same):
        return None
    if arguments.no_input or not sys.stdin.isatty():
        raise Stop("say which project with --project ID or --name NAME, or --yes to make one", USAGE)
    offered = [*same, *(project for project in there if project not in same)][:_SHOWN]
    for number, project in enumerate(offered, 1):
        page.note(f"  {number:>2}  {project.id}  {page.one_line(project.name, 60)}")
    usual = f"1, {same[0].name}" if same else f"a new one, {name}"
    answer = page.ask(f"Which project? A number, or new; Enter for {page.one_line(usual)}:")
    if answer == "":
        return same[0] if same else None
    if answer == "new":
        return None
    if answer.isdecimal() and 1 <= int(answer[:4]) <= len(offered):
        return offered[int(answer[:4]) - 1]
    raise Stop("that is none of them", USAGE)


def _secret(client: Client, arguments: argparse.Namespace, project: str) -> bool:
    """Keep the secret that signs for the project; whether there is one afterwards."""
    from loremark.base import profile
    from loremark.cli import page
    from loremark.client.call import ApiError
    from loremark.client.calls.projects import get_hmac_secret

    if arguments.secret_stdin:
        secret = _given_secret(client.url, project)
    else:
        try:
            secret = client.send(get_hmac_secret(project)).secret  # not one kept before, which may have ended
        except ApiError as error:
            if error.status != 403:
                raise
            known = profile.load()
            return known is not None and project in known.secrets
    if profile.keep_secret(client.url, project, secret) is None:
        page.note("The key comes from the environment, so the secret was not kept: set LOREMARK_HMAC_SECRET too.")
    return True


def _given_secret(url: str, project: str) -> str:
    from loremark.cli.signing import can_sign
    from loremark.client.client import Client

    secret = sys.stdin.readline(_SECRET_CHARS).strip()
    with Client(url, None, {project: secret}) as client:
        if not secret or not can_sign(client, project):
            raise Stop("the server does not take this secret")
    return secret


def _tell_rest(link: Link, secret: bool) -> None:
    from loremark.cli import page

    page.write(page.plain(f"  {os.path.join(link.folder, '.loremark.toml')} holds no secret: commit it."))
    if link.root:
        page.write("  Clones, worktrees and renamed folders of this repository are known by its first commit.")
    if not secret:
        page.write("  What is captured is sent with your key: the signing secret is for owners and admins.")
    page.write(
        "  Next: loremark install (agents and git, so that memory is kept by itself), loremark scan, loremark doctor."
    )
