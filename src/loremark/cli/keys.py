"""``loremark keys``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import FAILED, USAGE, CommandError, add_subcommands

if TYPE_CHECKING:
    from loremark.wire.keys import KeyEntry

SUMMARY = "Manage API keys."
EXAMPLE = "loremark keys create laptop"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    commands = add_subcommands(parser, "list")
    listing = commands.add("list", "List your API keys, newest first.", _list, "loremark keys list")
    creating = commands.add("create", "Create an API key. It is shown only once.", _create, EXAMPLE)
    creating.add_argument("name", metavar="NAME", help="name, for example where the key is used")
    deleting = commands.add("delete", "Revoke an API key immediately.", _delete, "loremark keys delete KEY --yes")
    deleting.add_argument("key", metavar="KEY", help="key ID, or the prefix from the list")
    deleting.add_argument("--yes", action="store_true", help="skip the confirmation")
    for command in (listing, creating, deleting):
        add_json(command)


def is_same(entry: KeyEntry, key: str) -> bool:
    """Whether a list entry is this key. The entry only has the key's prefix."""
    return bool(entry.prefix) and key.startswith(entry.prefix)


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_profile, open_client
    from loremark.client.calls.keys import list_keys

    with open_client() as client:
        found = list(client.paginate(list_keys()))
    if arguments.json:
        output.write_json(found)
        return 0
    current = get_profile().key
    rows = [
        (key.id, f"{key.prefix}…", (key.last_used or "never")[:16], key.name + (" (this one)" * is_same(key, current)))
        for key in found
    ]
    output.table(rows, ("id", "prefix", "last used", "name"))
    return 0


def _create(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.keys import create_key

    with open_client() as client:
        created = client.send(create_key(arguments.name))
    if arguments.json:
        output.write_json(created)
    else:
        output.write(output.plain(created.key))
        output.note(f"Created {created.id} ({created.name}). Copy the key now; it is shown only once.")
    return 0


def _delete(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_profile, open_client
    from loremark.client.calls.keys import delete_key, list_keys

    with open_client() as client:
        matches = [
            key for key in client.paginate(list_keys()) if arguments.key in (key.id, key.prefix, f"{key.prefix}…")
        ]
        if len(matches) > 1:
            raise CommandError(f"{len(matches)} keys start with {arguments.key}; use the key ID", USAGE)
        if not matches:
            raise CommandError(f"no key {arguments.key} (see: loremark keys list)")
        (key,) = matches
        warning = " You are signed in with this key." if is_same(key, get_profile().key) else ""
        if not output.confirm(f"Revoke the key {key.name} ({key.prefix}…)?{warning}", arguments.yes):
            output.note("Not revoked. Confirm with --yes.")
            return FAILED
        client.send(delete_key(key.id))
    if arguments.json:
        output.write_json({"deleted": key.id})
    else:
        output.write(output.plain(f"Revoked {key.id} ({key.name})."))
    return 0
