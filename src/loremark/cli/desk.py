"""What most commands begin with: the profile, a client, the project that is meant."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loremark.base import profile
from loremark.cli.kit import SIGNED_OUT, USAGE, Stop
from loremark.client.calls.projects import list_projects
from loremark.client.client import Client

if TYPE_CHECKING:
    from loremark.hook.link import Link

OTHER_SERVER = "another server"
_KEY_CHARS = 500
_DIGITS = 6
_ID = "prj_"
_SHOWN = 10


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_project(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--project",
        metavar="PROJECT",
        help="its id or name (else: the folder's .loremark.toml, or the only one you may see)",
    )


def add_limit(parser: argparse.ArgumentParser, usual: int) -> None:
    parser.add_argument("--limit", type=_count, default=usual, metavar="N", help=f"how many at most ({usual})")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > _DIGITS or int(text) == 0:
        raise argparse.ArgumentTypeError("must be a whole number from 1")
    return int(text)


def get_profile() -> profile.Profile:
    found = profile.load()
    if found is None:
        raise Stop("not signed in; run: loremark login", SIGNED_OUT)
    if not is_key(found.key):
        raise Stop("the API key holds characters that no key has; run: loremark login", SIGNED_OUT)
    return found


def is_key(text: str) -> bool:
    """Whether this could be a key at all; anything else must not get into a header."""
    return text.isascii() and text.isprintable() and " " not in text and 0 < len(text) <= _KEY_CHARS


@contextmanager
def open_client(seconds: float | None = None) -> Iterator[Client]:
    """A client of the server one is signed in to."""
    found = get_profile()
    with Client(found.url, found.key, found.secrets, *([seconds] if seconds is not None else [])) as client:
        yield client


def find_project(arguments: argparse.Namespace) -> str | None:
    """The project that was named: by the option, the environment, or the folder's link."""
    if arguments.project:
        return str(arguments.project)
    found = profile.load()
    if found is not None and found.project:
        return found.project
    link, why = look_around(os.getcwd())
    if link is None and OTHER_SERVER in why:  # what is meant for there must not end up in a project here
        raise Stop(f"{why}; say --project, or link the folder anew: loremark init --project ID")
    return link.project if link is not None else None


def look_around(folder: str) -> tuple[Link | None, str]:
    """The link of a folder, or None and why; other than a hook, a person has time to ask git."""
    from loremark.hook.link import UNKNOWN_PLACE, look, remember_place

    link, why = look(folder)
    if link is None and why == UNKNOWN_PLACE:
        remember_place(folder)
        link, why = look(folder)
    return link, why


def is_id(named: str) -> bool:
    """Whether a project is named by its id, and nobody need be asked."""
    return named.startswith(_ID)


def project_named(client: Client, named: str) -> str:
    """The id of the project of this id or name."""
    if is_id(named):
        return named
    same = [project.id for project in client.every(list_projects()) if project.name.casefold() == named.casefold()]
    if not same:
        raise Stop(f"there is no project {named!r} that you may see (see: loremark projects list)")
    if len(same) > 1:
        more = f" and {len(same) - _SHOWN} more" if len(same) > _SHOWN else ""
        raise Stop(f"{len(same)} projects are called {named}; say which: {', '.join(same[:_SHOWN])}{more}", USAGE)
    return same[0]


def get_project(arguments: argparse.Namespace, client: Client) -> str:
    """The project that is meant, by id or name; where nothing names one, the only one there is."""
    named = find_project(arguments)
    if named is not None:
        return project_named(client, named)
    there = [project for project in client.every(list_projects()) if project.status == "active"]
    if len(there) == 1:
        return there[0].id
    if not there:
        raise Stop("there is no project yet; make one: loremark init")
    names = ", ".join(f"{project.id} ({project.name})" for project in there[:_SHOWN])
    raise Stop(f"which project? link this folder with loremark init, or say --project: {names}", USAGE)
