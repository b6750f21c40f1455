"""``loremark keys``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.base.caller import AGENT_SCOPES, KEY_SCOPES
from loremark.cli.framework import FAILED, USAGE, CommandError, add_subcommands

if TYPE_CHECKING:
    from loremark.wire.keys import KeyEntry, KeyLimits

SUMMARY = "Manage API keys."
EXAMPLE = "loremark keys create laptop"
_MAX_DAYS = 3_650


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    commands = add_subcommands(parser, "list")
    listing = commands.add("list", "List your API keys, newest first.", _list, "loremark keys list")
    creating = commands.add("create", "Create an API key. It is shown only once.", _create, EXAMPLE)
    creating.add_argument("name", metavar="NAME", help="name, for example where the key is used")
    creating.add_argument(
        "--scope",
        action="append",
        choices=KEY_SCOPES,
        help="what the key can do; can be repeated (default: everything you can do)",
    )
    creating.add_argument(
        "--agent", action="store_true", help=f"limit it to what an agent needs: the scopes {' and '.join(AGENT_SCOPES)}"
    )
    creating.add_argument("--project", metavar="PROJECT", help="ID or name of the only project it can access")
    creating.add_argument("--days", type=_days, metavar="N", help="number of days until it expires (default: never)")
    creating.add_argument(
        "--allow-from",
        action="append",
        metavar="ADDRESS",
        help="IP address or network it can be used from, such as 10.0.0.0/8; can be repeated",
    )
    deleting = commands.add("delete", "Revoke an API key immediately.", _delete, "loremark keys delete KEY --yes")
    deleting.add_argument("key", metavar="KEY", help="key ID, or the prefix from the list")
    deleting.add_argument("--yes", action="store_true", help="skip the confirmation")
    for command in (listing, creating, deleting):
        add_json(command)


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:9]) <= _MAX_DAYS:
        raise argparse.ArgumentTypeError(f"must be a number of days up to {_MAX_DAYS}")
    return int(text)


def describe_limits(limits: KeyLimits) -> str:
    """The limits of a key in a few words, without its project."""
    parts = [
        "+".join(limits.scopes or ()),
        f"until {limits.expires_at[:10]}" if limits.expires_at else "",
        f"from {', '.join(limits.allowed_addresses)}" if limits.allowed_addresses else "",
    ]
    return ", ".join(part for part in parts if part) or "none"


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
        (
            key.id,
            f"{key.prefix}…",
            (key.last_used or "never")[:16],
            key.project_id or "any",
            describe_limits(key),
            key.name + (" (this one)" * is_same(key, current)),
        )
        for key in found
    ]
    output.table(rows, ("id", "prefix", "last used", "project", "limits", "name"))
    return 0


def _create(arguments: argparse.Namespace) -> int:
    from loremark.base import clock
    from loremark.cli import output
    from loremark.cli.connection import open_client, resolve_project
    from loremark.client.calls.keys import create_key

    if arguments.agent and arguments.scope:
        raise CommandError("use --agent or --scope, not both", USAGE)
    until_ms = clock.now_ms() + arguments.days * clock.DAY_MS if arguments.days else None
    with open_client() as client:
        call = create_key(
            arguments.name,
            scopes=AGENT_SCOPES if arguments.agent else arguments.scope,
            project_id=resolve_project(client, arguments.project) if arguments.project else None,
            expires_at=clock.iso_or_none(until_ms),
            allowed_addresses=arguments.allow_from,
        )
        created = client.send(call)
    if arguments.json:
        output.write_json(created)
    else:
        output.write(output.plain(created.key))
        output.note(
            f"Created {created.id} ({created.name}). Project: {created.project_id or 'any'}. "
            f"Limits: {describe_limits(created)}. "
            "Copy the key now; it is shown only once."
        )
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
