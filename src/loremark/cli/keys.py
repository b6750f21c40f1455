"""``loremark keys``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.kit import FAILED, Stop, actions

if TYPE_CHECKING:
    from loremark.wire.keys import KeyEntry

SUMMARY = "API keys: list, create, delete."
EXAMPLE = "loremark keys create laptop"


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    verbs = actions(parser, "list")
    listing = verbs.add("list", "Your keys, newest first.", _list, "loremark keys list")
    making = verbs.add("create", "Make a key. It is shown only now.", _create, EXAMPLE)
    making.add_argument("name", metavar="NAME", help="where it will be used")
    ending = verbs.add("delete", "End a key at once, everywhere.", _delete, "loremark keys delete KEY --yes")
    ending.add_argument("key", metavar="KEY", help="its id, or the beginning that the list shows")
    ending.add_argument("--yes", action="store_true", help="do not ask")
    for verb in (listing, making, ending):
        add_json(verb)


def is_same(entry: KeyEntry, key: str) -> bool:
    """Whether an entry of the list is this key, of which it knows only the beginning."""
    return bool(entry.prefix) and key.startswith(entry.prefix)


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import get_profile, open_client
    from loremark.client.calls.keys import list_keys

    with open_client() as client:
        found = list(client.every(list_keys()))
    if arguments.json:
        page.write_json(found)
        return 0
    mine = get_profile().key
    rows = [
        (key.id, f"{key.prefix}…", (key.last_used or "never")[:16], key.name + (" (this one)" * is_same(key, mine)))
        for key in found
    ]
    page.table(rows, ("id", "begins", "last used", "name"))
    return 0


def _create(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.keys import create_key

    with open_client() as client:
        made = client.send(create_key(arguments.name))
    if arguments.json:
        page.write_json(made)
    else:
        page.write(page.plain(made.key))
        page.note(f"{made.id} ({made.name}): the key is shown only now")
    return 0


def _delete(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import get_profile, open_client
    from loremark.client.calls.keys import delete_key, list_keys

    with open_client() as client:
        meant = [key for key in client.every(list_keys()) if arguments.key in (key.id, key.prefix, f"{key.prefix}…")]
        if len(meant) != 1:
            raise Stop(f"there is no key {arguments.key}; see: loremark keys list")
        (key,) = meant
        warning = " You are signed in with it." if is_same(key, get_profile().key) else ""
        if not page.confirm(f"End the key {key.name} ({key.prefix}…)?{warning}", arguments.yes):
            page.note("left as it is; say --yes")
            return FAILED
        client.send(delete_key(key.id))
    if arguments.json:
        page.write_json({"deleted": key.id})
    else:
        page.write(page.plain(f"{key.id} ({key.name}) has ended."))
    return 0
