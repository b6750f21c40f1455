"""``loremark init``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from loremark.cli.framework import USAGE, CommandError

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.hook.link import Link
    from loremark.wire.projects import ProjectDetail, ProjectEntry

SUMMARY = "Link a folder to a project."
EXAMPLE = "loremark init --yes"

_NAME_CHARS = 100
_SECRET_CHARS = 1_000
_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="the folder (default: the current one)"
    )
    parser.add_argument("--project", metavar="PROJECT", help="ID or name of the project to link to")
    parser.add_argument("--name", metavar="NAME", help="name of the project; created if it does not exist")
    parser.add_argument(
        "--secret-stdin", action="store_true", help="read the project's signing secret from standard input"
    )
    parser.add_argument("--git", action=argparse.BooleanOptionalAction, help="install or remove the git hooks")
    parser.add_argument(
        "--agents", action=argparse.BooleanOptionalAction, help="set up the agents found on this machine"
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="do not ask: use the project named after this repository or folder, or create it",
    )
    parser.add_argument("--no-input", action="store_true", help="never ask; fail if a choice is required")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.cli.integrations import has_git_hooks, offer_integrations
    from loremark.cli.pause import note_if_paused

    folder = root_folder(arguments.folder)
    if arguments.git and has_git_hooks(folder) is None:
        raise CommandError(f"{folder} is not in a git repository; run without --git")
    with open_client() as client:
        project, name, is_new = _choose(client, arguments, folder)
        secret = _read_secret(client.url, project) if arguments.secret_stdin else None
        link, can_sign = link_folder(client, folder, project, name, secret)
    if not arguments.json:
        created = " (new)" if is_new else ""
        output.write(output.plain(f"Linked {folder} to {name}{created}, {project} on {link.url}."))
    offer_integrations(arguments, folder)
    if arguments.json:
        result = {"project": project, "name": name, "created": is_new, "url": link.url, "folder": link.folder}
        output.write_json({**result, "rootCommit": link.root or None, "canSign": can_sign})
    else:
        _print_next_steps(link, can_sign)
        note_if_paused(link.folder)
    return 0


def link_folder(client: Client, folder: str, project: str, name: str, secret: str | None = None) -> tuple[Link, bool]:
    """Link a folder, with the project's secret and a key for its agents. Returns whether events can be signed."""
    from loremark.cli.agent_key import save_agent_key
    from loremark.hook.link import save_link

    can_sign = save_secret(client, project, secret)
    save_agent_key(client, project, name)
    try:
        return save_link(folder, project, client.url), can_sign
    except ValueError:
        raise CommandError(f"{project} is not a valid project ID", USAGE) from None


def root_folder(folder: Path) -> str:
    """The root of the working tree, or the folder itself outside a repository."""
    from loremark.hook.gitpaths import find_repository

    if not folder.is_dir():
        raise CommandError(f"{folder} is not a folder", USAGE)
    found = find_repository(os.path.realpath(folder))
    return found.top if found is not None else os.path.realpath(folder)


def _choose(client: Client, arguments: argparse.Namespace, folder: str) -> tuple[str, str, bool]:
    """The project to link: from the options, an existing link, the same name, the user's choice, or a new one."""
    from loremark.cli.connection import resolve_project
    from loremark.client.calls.projects import create_project, list_projects

    named = resolve_project(client, arguments.project) if arguments.project else None
    if named is None and not arguments.name:
        named = linked_project(folder)
    if named is not None:
        found = find_existing(client, named)
        return found.id, found.name, False
    name = arguments.name or suggest_name(folder)
    active = [project for project in client.paginate(list_projects()) if project.status == "active"]
    same = named_same(active, name)
    picked = same[0] if same and (arguments.yes or arguments.name) else _ask_project(arguments, name, active, same)
    if picked is not None:
        return picked.id, picked.name, False
    made = client.send(create_project(name))
    return made.id, made.name, True


def named_same(projects: list[ProjectEntry], name: str) -> list[ProjectEntry]:
    """The project of this name, if there is one."""
    same = [project for project in projects if project.name.casefold() == name.casefold()]
    if len(same) > 1:
        ids = ", ".join(project.id for project in same[:_SHOWN])
        raise CommandError(f"{len(same)} projects are named {name}; choose one with --project: {ids}", USAGE)
    return same


def find_existing(client: Client, project: str) -> ProjectDetail:
    """The project, which must exist on this server."""
    from loremark.client.call import ApiError
    from loremark.client.calls.projects import get_project

    try:
        return client.send(get_project(project))
    except ApiError as error:
        if error.status == 404:
            raise CommandError(
                f"project {project} does not exist on {client.url}; choose one with --project or --name"
            ) from None
        raise


def linked_project(folder: str) -> str | None:
    """The project this folder is linked to, or that it names: running the command here is the confirmation."""
    from loremark.cli.connection import resolve_link
    from loremark.hook.link import OTHER_SERVER, UNCONFIRMED, suggest_project

    link, why = resolve_link(folder)
    if why == UNCONFIRMED:
        return suggest_project(folder)
    if link is None and OTHER_SERVER in why:
        raise CommandError(f"{folder}: {why}; to link it again, use --project or --name")
    return link.project if link is not None else None


def suggest_name(folder: str) -> str:
    """A project name from the repository's remote, or from the folder."""
    from loremark.cli.output import one_line
    from loremark.hook import gitrepository
    from loremark.hook.git import GitError

    try:
        remote = gitrepository.remote_url(gitrepository.discover(folder)) or ""
    except GitError:
        remote = ""
    name = remote.rstrip("/").rpartition("/")[2].removesuffix(".git") or os.path.basename(folder)
    return one_line(name)[:_NAME_CHARS].strip() or "project"


def _ask_project(
    arguments: argparse.Namespace, name: str, active: list[ProjectEntry], same: list[ProjectEntry]
) -> ProjectEntry | None:
    """Ask which project to use; None means a new one."""
    from loremark.cli import output

    if arguments.yes or (arguments.name and not same):
        return None
    if arguments.no_input or not sys.stdin.isatty():
        raise CommandError("choose a project with --project ID or --name NAME, or use --yes to create one", USAGE)
    offered = [*same, *(project for project in active if project not in same)][:_SHOWN]
    for number, project in enumerate(offered, 1):
        output.note(f"  {number:>2}  {project.id}  {output.one_line(project.name, 60)}")
    default = f"1 ({same[0].name})" if same else f"new project {name}"
    answer = output.prompt(f"Project number, or 'new' [{output.one_line(default)}]:")
    if answer == "":
        return same[0] if same else None
    if answer == "new":
        return None
    if answer.isdecimal() and 1 <= int(answer[:4]) <= len(offered):
        return offered[int(answer[:4]) - 1]
    raise CommandError(f"{answer} is not one of the projects listed", USAGE)


def save_secret(client: Client, project: str, secret: str | None = None) -> bool:
    """Save the project's signing secret, or fetch it; returns whether one is available."""
    from loremark.base import profile
    from loremark.cli import output
    from loremark.client.call import ApiError
    from loremark.client.calls.projects import get_hmac_secret

    if secret is None:
        try:
            secret = client.send(get_hmac_secret(project)).secret  # a saved one may be revoked
        except ApiError as error:
            if error.status != 403:
                raise
            known = profile.load()
            return known is not None and project in known.secrets
    if profile.save_secret(client.url, project, secret) is None:
        output.note(
            "The API key comes from the environment, so the secret was not saved. Set LOREMARK_HMAC_SECRET as well."
        )
    return True


def _read_secret(url: str, project: str) -> str:
    from loremark.cli.secret_check import is_secret_accepted
    from loremark.client.client import Client

    secret = sys.stdin.readline(_SECRET_CHARS).strip()
    with Client(url, None, {project: secret}) as client:
        if not secret or not is_secret_accepted(client, project):
            raise CommandError("the server rejected this secret; ask a project owner or admin for the current one")
    return secret


def _print_next_steps(link: Link, can_sign: bool) -> None:
    from loremark.cli import output

    output.write(output.plain(f"  {os.path.join(link.folder, '.loremark.toml')} contains no secrets. Commit it."))
    if link.root:
        output.write("  Worktrees of this repository are linked too. In other clones, run: loremark link")
    if not can_sign:
        output.write("  Events are sent with your API key; only owners and admins can read the signing secret.")
    output.write(
        "  Next: loremark install (set up your agents), loremark scan (scan the code), "
        "loremark doctor (check your setup)."
    )
