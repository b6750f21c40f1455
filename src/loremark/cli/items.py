"""``loremark items``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import FAILED, OK, CommandError, add_subcommands

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.history import Revision
    from loremark.wire.items import MemoryItem

SUMMARY = "List, show, edit and approve memory items."
EXAMPLE = "loremark items list --status draft"

_TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")
_FLAGS = ("low_confidence", "conflict", "stale", "quality", "redacted")
_FILTERS = ("status", "type", "flag", "key", "branch", "file")
_EMPTY = "No items yet. Save one with: loremark save TEXT --enrich"
_EDITED = ("title", "type", "status", "schema_key", "tier", "tags", "files")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    commands = add_subcommands(parser, "list")
    listing = commands.add("list", "List items, newest first.", _list, EXAMPLE)
    _declare_list(listing)
    showing = commands.add("show", "Show an item and its evidence.", _show, "loremark items show itm_…")
    approving = commands.add(
        "approve", "Approve items so agents see them.", _approve, "loremark items approve itm_… itm_…"
    )
    deprecating = commands.add(
        "deprecate", "Deprecate items so agents no longer see them.", _deprecate, "loremark items deprecate itm_…"
    )
    for command in (approving, deprecating):
        command.add_argument("items", nargs="+", metavar="ITEM", help="item ID")
    editing = commands.add("edit", "Edit an item in your editor.", _edit, "loremark items edit itm_…")
    comparing = commands.add("diff", "Show the changes between two versions.", _diff, "loremark items diff itm_… 1 3")
    history = commands.add(
        "history", "List an item's versions, newest first.", _history, "loremark items history itm_…"
    )
    reverting = commands.add("revert", "Restore an earlier version.", _revert, "loremark items revert itm_… 1")
    deleting = commands.add("delete", "Delete an item permanently.", _delete, "loremark items delete itm_… --yes")
    for command in (showing, editing, comparing, history, reverting, deleting):
        command.add_argument("item", metavar="ITEM", help="item ID")
    editing.add_argument("--file", metavar="PATH", help="read the text from a file instead")
    comparing.add_argument("first", nargs="?", type=int, metavar="FROM", help="default: the version before TO")
    comparing.add_argument("last", nargs="?", type=int, metavar="TO", help="default: the newest")
    reverting.add_argument("version", nargs="?", type=int, metavar="VERSION", help="default: the previous one")
    deleting.add_argument("--yes", action="store_true", help="skip the confirmation")
    for command in (listing, showing, approving, deprecating, editing, comparing, history, reverting, deleting):
        add_json(command)


def _declare_list(listing: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_limit, add_project

    listing.add_argument("--status", choices=("approved", "draft", "deprecated"), help="only items with this status")
    listing.add_argument("--type", choices=_TYPES, help="only items of this type")
    listing.add_argument("--flag", choices=_FLAGS, help="only items with this flag")
    listing.add_argument("--key", metavar="KEY", help="only items under this schema key")
    listing.add_argument("--branch", metavar="NAME", help="only items from this branch")
    listing.add_argument("--file", metavar="PATH", help="only items about this file")
    add_limit(listing, 50)
    add_project(listing)


def _list(arguments: argparse.Namespace) -> int:
    from itertools import islice

    from loremark.cli import output, paths, rendering
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.items import list_items

    with open_client() as client:
        call = list_items(
            get_project(arguments, client),
            status=arguments.status,
            type=arguments.type,
            schema_key=arguments.key,
            branch=arguments.branch,
            flag=arguments.flag,
            file=paths.relative_to_project([arguments.file])[0] if arguments.file else None,
            limit=min(arguments.limit, 1_000),
        )
        found = list(islice(client.paginate(call), arguments.limit))
    if arguments.json:
        output.write_json(found)
        return OK
    rendering.list_items(found)
    if not found:
        output.note("No matching items." if any(vars(arguments)[name] for name in _FILTERS) else _EMPTY)
    return OK


def _show(arguments: argparse.Namespace) -> int:
    from loremark.cli.connection import open_client
    from loremark.client.calls.items import get_item

    with open_client() as client:
        _print_item(client.send(get_item(arguments.item)), arguments, whole=True)
    return OK


def _approve(arguments: argparse.Namespace) -> int:
    return _set_status(arguments, "approved")


def _deprecate(arguments: argparse.Namespace) -> int:
    return _set_status(arguments, "deprecated")


def _set_status(arguments: argparse.Namespace, status: str) -> int:
    """Update items one by one; a failure does not stop the others."""
    from loremark.cli import output, rendering
    from loremark.cli.connection import open_client
    from loremark.client.call import ApiError
    from loremark.client.calls.items import update_item

    changed: list[MemoryItem] = []
    failed = False
    with open_client() as client:
        for item_id in dict.fromkeys(arguments.items):
            try:
                changed.append(client.send(update_item(item_id, status=status)))
            except ApiError as error:
                if error.status in (0, 401):
                    raise
                failed = True
                output.note(f"{item_id}: {error}")
    if arguments.json:
        output.write_json(changed)
    else:
        rendering.list_items(changed)
    return FAILED if failed else OK


def edit_item(client: Client, item_id: str, file: str | None = None) -> MemoryItem | None:
    """Open the current version in an editor and save it; None if nothing was changed."""
    from loremark.cli import editor, front_matter
    from loremark.client.calls.items import get_item, update_item

    now = client.request(get_item(item_id))
    fields = {_api_field(name): getattr(now.value, name) for name in _EDITED}
    text = front_matter.dump(fields, now.value.content)
    edited = editor.read_file(file) if file else editor.edit(now.value.id, text)
    with edited.preserved_on_failure():
        changes = front_matter.parse_changes(edited.text, fields, now.value.content) if edited.text.strip() else {}
        if not changes:
            return None
        return client.send(update_item(now.value.id, if_match=now.etag, **changes))


def _api_field(name: str) -> str:
    return "schemaKey" if name == "schema_key" else name


def _edit(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.items import get_item

    with open_client() as client:
        changed = edit_item(client, arguments.item, arguments.file)
        if changed is None:
            output.note("No changes.")
        if changed is not None or arguments.json:
            _print_item(changed or client.send(get_item(arguments.item)), arguments)
    return OK


def _revisions(client: Client, item_id: str) -> list[Revision]:
    from loremark.client.calls.items import list_revisions

    return list(client.paginate(list_revisions(item_id)))


def _diff(arguments: argparse.Namespace) -> int:
    from loremark.cli import diffs, output
    from loremark.cli.connection import open_client

    with open_client() as client:
        before, after = diffs.select_versions(_revisions(client, arguments.item), arguments.first, arguments.last)
    if arguments.json:
        output.write_json({"before": before, "after": after})
    else:
        diffs.show_versions(before, after)
    return OK


def _history(arguments: argparse.Namespace) -> int:
    from loremark.cli import output, rendering
    from loremark.cli.connection import open_client

    with open_client() as client:
        found = _revisions(client, arguments.item)
        if arguments.json:
            output.write_json(found)
        else:
            rendering.list_revisions(found, _people(client) if any(each.actor_id for each in found) else {})
    return OK


def _people(client: Client) -> dict[str, str]:
    """Names of team members by user ID; empty if the request fails."""
    from loremark.client.call import ApiError, Call
    from loremark.wire.team import TeamMember

    call = Call(method="GET", path="/api/team", response_type=list[TeamMember])
    try:
        return {person.user_id: person.name for person in client.paginate(call) if person.name}
    except ApiError:
        return {}


def _revert(arguments: argparse.Namespace) -> int:
    from loremark.cli.connection import open_client
    from loremark.client.calls.items import get_item, revert_item

    with open_client() as client:
        version = arguments.version
        if version is None:
            version = client.send(get_item(arguments.item)).version - 1
            if version < 1:
                raise CommandError("this is the first version; there is nothing to revert to")
        _print_item(client.send(revert_item(arguments.item, version)), arguments)
    return OK


def _delete(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.items import delete_item, get_item

    with open_client() as client:
        item = client.send(get_item(arguments.item))
        if not output.confirm(f"Delete “{output.one_line(item.title, 80)}” permanently?", arguments.yes):
            raise CommandError("not deleted; confirm with --yes")
        client.send(delete_item(item.id))
    if arguments.json:
        output.write_json({"deleted": item.id})
    else:
        output.write(f"Deleted {output.plain(item.id)}")
    return OK


def _print_item(item: MemoryItem, arguments: argparse.Namespace, *, whole: bool = False) -> None:
    from loremark.cli import output, rendering

    if arguments.json:
        output.write_json(item)
    elif whole:
        rendering.show_item(item)
    else:
        rendering.list_items([item])
