"""Shared by most commands: the profile, the client, and the project to use."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loremark.base import profile
from loremark.cli.framework import SIGNED_OUT, USAGE, CommandError
from loremark.client.calls.projects import list_projects
from loremark.client.client import Client

if TYPE_CHECKING:
    from loremark.hook.link import Link

_KEY_CHARS = 500
_MAX_DIGITS = 6
_ID = "prj_"
_SHOWN = 10


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_project(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--project",
        metavar="PROJECT",
        help="project ID or name (default: from .loremark.toml, or your only project)",
    )


def add_limit(parser: argparse.ArgumentParser, default: int) -> None:
    parser.add_argument(
        "--limit", type=_count, default=default, metavar="N", help=f"maximum number of results (default: {default})"
    )


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > _MAX_DIGITS or int(text) == 0:
        raise argparse.ArgumentTypeError("must be a positive integer")
    return int(text)


def get_profile() -> profile.Profile:
    found = profile.load()
    if found is None:
        raise CommandError("not signed in; run: loremark login", SIGNED_OUT)
    if not is_key(found.key):
        raise CommandError("the saved API key is invalid; run: loremark login", SIGNED_OUT)
    return found


def is_key(text: str) -> bool:
    """Whether this has the format of a key. Anything else must not get into a header."""
    return text.isascii() and text.isprintable() and " " not in text and 0 < len(text) <= _KEY_CHARS


@contextmanager
def open_client(timeout_s: float | None = None) -> Iterator[Client]:
    """A client for the signed-in server."""
    found = get_profile()
    with Client(found.url, found.key, found.secrets, *([timeout_s] if timeout_s is not None else [])) as client:
        yield client


def find_project(arguments: argparse.Namespace) -> str | None:
    """The project ID or name from the option, the environment, or the folder's link."""
    if arguments.project:
        return str(arguments.project)
    found = profile.load()
    if found is not None and found.project:
        return found.project
    from loremark.hook.link import OTHER_SERVER

    link, why = resolve_link(os.getcwd())
    if link is None and OTHER_SERVER in why:  # data for that server must not end up here
        raise CommandError(f"{why}; use --project, or link the folder again: loremark init --project ID")
    return link.project if link is not None else None


def resolve_link(folder: str) -> tuple[Link | None, str]:
    """The folder's link, or None and the reason. Unlike the hook, this may run git."""
    from loremark.hook.link import UNRESOLVED, resolve_link, resolve_repository

    link, why = resolve_link(folder)
    if link is None and why == UNRESOLVED:
        resolve_repository(folder)
        link, why = resolve_link(folder)
    return link, why


def is_project_id(named: str) -> bool:
    """Whether this is a project ID, so no lookup is needed."""
    return named.startswith(_ID)


def resolve_project(client: Client, named: str) -> str:
    """The ID of the project with this ID or name."""
    if is_project_id(named):
        return named
    same = [project.id for project in client.paginate(list_projects()) if project.name.casefold() == named.casefold()]
    if not same:
        raise CommandError(f"no project {named!r} (see: loremark projects list)")
    if len(same) > 1:
        more = f" and {len(same) - _SHOWN} more" if len(same) > _SHOWN else ""
        raise CommandError(
            f"{len(same)} projects are named {named}; use an ID: {', '.join(same[:_SHOWN])}{more}", USAGE
        )
    return same[0]


def get_project(arguments: argparse.Namespace, client: Client) -> str:
    """The ID of the project to use; if none is named, the only active one."""
    named = find_project(arguments)
    if named is not None:
        return resolve_project(client, named)
    projects = list(client.paginate(list_projects()))
    active = [project for project in projects if project.status == "active"]
    if len(active) == 1:
        return active[0].id
    if projects and not active:
        raise CommandError("all projects are archived; create one with loremark init, or use --project PROJECT")
    if not active:
        raise CommandError("no projects yet; create one with: loremark init")
    names = ", ".join(f"{project.id} ({project.name})" for project in active[:_SHOWN])
    raise CommandError(f"no project selected; link this folder with loremark init, or use --project: {names}", USAGE)
