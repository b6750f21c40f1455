"""``loremark items``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.kit import FAILED, OK, Stop, actions

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.history import Revision
    from loremark.wire.items import MemoryItem

SUMMARY = "The items of the memory: list, read, approve, edit, compare."
EXAMPLE = "loremark items list --status draft"

_TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")
_FLAGS = ("low_confidence", "conflict", "stale", "quality", "redacted")
_FILTERS = ("status", "type", "flag", "key", "branch", "file")
_NONE = "no items yet; tell the memory something with: loremark save TEXT --enrich"
_EDITED = ("title", "type", "status", "schema_key", "tier", "tags", "files")


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    verbs = actions(parser, "list")
    listing = verbs.add("list", "Items, newest first.", _list, EXAMPLE)
    _declare_list(listing)
    showing = verbs.add("show", "One item, with what it rests on.", _show, "loremark items show itm_…")
    approving = verbs.add("approve", "Take items into the brain.", _approve, "loremark items approve itm_… itm_…")
    retiring = verbs.add("deprecate", "Take items out of the brain.", _deprecate, "loremark items deprecate itm_…")
    for verb in (approving, retiring):
        verb.add_argument("items", nargs="+", metavar="ITEM")
    editing = verbs.add("edit", "Change an item in your editor.", _edit, "loremark items edit itm_…")
    comparing = verbs.add("diff", "What changed between two versions.", _diff, "loremark items diff itm_… 1 3")
    past = verbs.add("history", "All versions, newest first.", _history, "loremark items history itm_…")
    reverting = verbs.add("revert", "Go back to an earlier version.", _revert, "loremark items revert itm_… 1")
    deleting = verbs.add("delete", "Delete an item for ever.", _delete, "loremark items delete itm_… --yes")
    for verb in (showing, editing, comparing, past, reverting, deleting):
        verb.add_argument("item", metavar="ITEM")
    editing.add_argument("--file", metavar="PATH", help="take the text from a file instead")
    comparing.add_argument("first", nargs="?", type=int, metavar="FROM", help="else the version before")
    comparing.add_argument("last", nargs="?", type=int, metavar="TO", help="else the newest")
    reverting.add_argument("version", nargs="?", type=int, metavar="VERSION", help="else the one before")
    deleting.add_argument("--yes", action="store_true", help="do not ask")
    for verb in (listing, showing, approving, retiring, editing, comparing, past, reverting, deleting):
        add_json(verb)


def _declare_list(listing: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_limit, add_project

    listing.add_argument("--status", choices=("approved", "draft", "deprecated"))
    listing.add_argument("--type", choices=_TYPES)
    listing.add_argument("--flag", choices=_FLAGS)
    listing.add_argument("--key", metavar="KEY", help="a schema key, and all below it")
    listing.add_argument("--branch", metavar="NAME")
    listing.add_argument("--file", metavar="PATH", help="items that name this file")
    add_limit(listing, 50)
    add_project(listing)


def _list(arguments: argparse.Namespace) -> int:
    from itertools import islice

    from loremark.cli import cards, page, paths
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.items import list_items

    with open_client() as client:
        call = list_items(
            get_project(arguments, client),
            status=arguments.status,
            type=arguments.type,
            schema_key=arguments.key,
            branch=arguments.branch,
            flag=arguments.flag,
            file=paths.in_project([arguments.file])[0] if arguments.file else None,
            limit=min(arguments.limit, 1_000),
        )
        found = list(islice(client.every(call), arguments.limit))
    if arguments.json:
        page.write_json(found)
        return OK
    cards.list_items(found)
    if not found:
        page.note("no such items" if any(vars(arguments)[name] for name in _FILTERS) else _NONE)
    return OK


def _show(arguments: argparse.Namespace) -> int:
    from loremark.cli.desk import open_client
    from loremark.client.calls.items import get_item

    with open_client() as client:
        _tell(client.send(get_item(arguments.item)), arguments, whole=True)
    return OK


def _approve(arguments: argparse.Namespace) -> int:
    return _set_status(arguments, "approved")


def _deprecate(arguments: argparse.Namespace) -> int:
    return _set_status(arguments, "deprecated")


def _set_status(arguments: argparse.Namespace, status: str) -> int:
    """Each by itself: one that is not there does not keep the others from it."""
    from loremark.cli import cards, page
    from loremark.cli.desk import open_client
    from loremark.client.call import ApiError
    from loremark.client.calls.items import update_item

    changed: list[MemoryItem] = []
    refused = False
    with open_client() as client:
        for item_id in dict.fromkeys(arguments.items):
            try:
                changed.append(client.send(update_item(item_id, status=status)))
            except ApiError as error:
                if error.status in (0, 401):
                    raise
                refused = True
                page.note(f"{item_id}: {error}")
    if arguments.json:
        page.write_json(changed)
    else:
        cards.list_items(changed)
    return FAILED if refused else OK


def edit_item(client: Client, item_id: str, file: str | None = None) -> MemoryItem | None:
    """Let the person change an item as it is now; None where they changed nothing."""
    from loremark.cli import drafts, editor
    from loremark.client.calls.items import get_item, update_item

    now = client.answer(get_item(item_id))
    fields = {_outside(name): getattr(now.value, name) for name in _EDITED}
    text = drafts.write(fields, now.value.content)
    edited = editor.take(file) if file else editor.edit(now.value.id, text)
    with edited.kept():
        changes = drafts.read(edited.text, fields, now.value.content) if edited.text.strip() else {}
        if not changes:
            return None
        return client.send(update_item(now.value.id, if_match=now.etag, **changes))


def _outside(name: str) -> str:
    return "schemaKey" if name == "schema_key" else name


def _edit(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.items import get_item

    with open_client() as client:
        changed = edit_item(client, arguments.item, arguments.file)
        if changed is None:
            page.note("nothing is changed")
        if changed is not None or arguments.json:
            _tell(changed or client.send(get_item(arguments.item)), arguments)
    return OK


def _revisions(client: Client, item_id: str) -> list[Revision]:
    from loremark.client.calls.items import list_revisions

    return list(client.every(list_revisions(item_id)))


def _diff(arguments: argparse.Namespace) -> int:
    from loremark.cli import diffs, page
    from loremark.cli.desk import open_client

    with open_client() as client:
        before, after = diffs.between(_revisions(client, arguments.item), arguments.first, arguments.last)
    if arguments.json:
        page.write_json({"before": before, "after": after})
    else:
        diffs.show_versions(before, after)
    return OK


def _history(arguments: argparse.Namespace) -> int:
    from loremark.cli import cards, page
    from loremark.cli.desk import open_client

    with open_client() as client:
        found = _revisions(client, arguments.item)
        if arguments.json:
            page.write_json(found)
        else:
            cards.list_revisions(found, _people(client) if any(each.actor_id for each in found) else {})
    return OK


def _people(client: Client) -> dict[str, str]:
    """The names of the team, by id; none where the server does not tell them."""
    from loremark.client.call import ApiError, Call
    from loremark.wire.team import TeamMember

    asked = Call(method="GET", path="/api/team", answer=list[TeamMember])
    try:
        return {person.user_id: person.name for person in client.every(asked) if person.name}
    except ApiError:
        return {}


def _revert(arguments: argparse.Namespace) -> int:
    from loremark.cli.desk import open_client
    from loremark.client.calls.items import get_item, revert_item

    with open_client() as client:
        version = arguments.version
        if version is None:
            version = client.send(get_item(arguments.item)).version - 1
            if version < 1:
                raise Stop("there is no earlier version")
        _tell(client.send(revert_item(arguments.item, version)), arguments)
    return OK


def _delete(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.items import delete_item, get_item

    with open_client() as client:
        item = client.send(get_item(arguments.item))
        if not page.confirm(f"Delete “{page.one_line(item.title, 80)}” for ever?", arguments.yes):
            raise Stop("not deleted; say --yes")
        client.send(delete_item(item.id))
    if arguments.json:
        page.write_json({"deleted": item.id})
    else:
        page.write(f"deleted {page.plain(item.id)}")
    return OK


def _tell(item: MemoryItem, arguments: argparse.Namespace, *, whole: bool = False) -> None:
    from loremark.cli import cards, page

    if arguments.json:
        page.write_json(item)
    elif whole:
        cards.show_item(item)
    else:
        cards.list_items([item])
