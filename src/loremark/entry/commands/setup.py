"""``loremark setup``: the command line's steps, and signing in through the database of a server on this machine."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from loremark.cli.framework import CommandError

if TYPE_CHECKING:
    from loremark.base.running_servers import ServerRecord

SUMMARY = "Set up Loremark for a folder: server, sign-in, agents, and what is known already."
EXAMPLE = "loremark setup --dry-run"

_COMMITS = 300
_NAME_CHARS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="the folder (default: the current one)"
    )
    parser.add_argument(
        "--url",
        help="server to use (default: the one you are signed in to, else one on this machine, started if needed)",
    )
    parser.add_argument("--project", metavar="PROJECT", help="ID or name of the project to link to")
    parser.add_argument("--name", metavar="NAME", help="name of the project; created if it does not exist")
    parser.add_argument(
        "--commits",
        metavar="N",
        type=int,
        default=_COMMITS,
        help=f"import the newest N past commits (default: {_COMMITS}; 0 for none)",
    )
    parser.add_argument(
        "--sessions",
        action=argparse.BooleanOptionalAction,
        help="import past agent sessions of this folder (default: only to a server that you run on this machine)",
    )
    parser.add_argument(
        "--git", action=argparse.BooleanOptionalAction, default=True, help="capture commits with git hooks"
    )
    parser.add_argument(
        "--agents", action=argparse.BooleanOptionalAction, default=True, help="set up the agents found on this machine"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be done, without doing it")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli.setup import run as setup

    return setup.run(arguments, _sign_in)


def _sign_in(server: ServerRecord) -> str:
    """An API key for this user's own server."""
    import socket

    from loremark.base import log
    from loremark.base.settings import SettingsError, load
    from loremark.entry import local_sign_in
    from loremark.entry.commands.runner import run_async

    try:
        settings = load(server.environment)
    except SettingsError as error:
        raise CommandError(f"cannot open the data of the server at {server.url}: {error}") from None
    log.configure(settings.log_level, settings.log_format)
    return run_async(local_sign_in.create_key(settings, f"loremark on {socket.gethostname()}"[:_NAME_CHARS]))
