"""``loremark review``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from loremark.cli.framework import OK

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.items import MemoryItem

SUMMARY = "Review drafts, conflicts and stale items one by one."
EXAMPLE = "loremark review --only conflict"

_QUEUES = ("conflict", "draft", "stale", "low_confidence")
_KEYS = {"a": "approve", "d": "deprecate", "e": "edit", "s": "skip", "u": "undo", "q": "quit"}
_KEY_HELP = {
    "a": "approve it so agents see it",
    "d": "deprecate it so agents no longer see it",
    "e": "edit it in your editor, then review it again",
    "s": "leave it for later",
    "u": "undo your last decision",
    "q": "quit; the rest stays in the queue",
}
_STATUS = {"a": "approved", "d": "deprecated"}


class QueuedItem(NamedTuple):
    """An item in the review queue, and the reason it is there."""

    why: str
    item: MemoryItem


class _Decision(NamedTuple):
    """A decision, with the item's version before and after it."""

    position: int
    item_id: str
    before: int
    after: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_limit, add_project

    parser.add_argument("--only", choices=_QUEUES, help="review only one kind")
    add_limit(parser, 100)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_project, open_client

    with open_client() as client:
        kinds = (arguments.only,) if arguments.only else _QUEUES
        queue = _queue(client, get_project(arguments, client), kinds, arguments.limit)
        if arguments.json:
            output.write_json([{"reason": each.why, "item": each.item} for each in queue])
            return OK
        if not queue:
            output.note("You're all caught up. There is nothing to review.")
            return OK
        _Review(client, queue).run()
    return OK


def _queue(client: Client, project_id: str, kinds: tuple[str, ...], max_items: int) -> list[QueuedItem]:
    """The items to review; each item once, for the first reason that applies."""
    from itertools import islice

    from loremark.client.calls.items import list_items

    found: dict[str, QueuedItem] = {}
    for kind in kinds:
        limit = min(max_items, 1_000)
        if kind == "draft":
            call = list_items(project_id, status="draft", limit=limit)
        else:
            call = list_items(project_id, flag=kind, limit=limit)
        for item in islice(client.paginate(call), max_items):
            if item.status != "deprecated":
                found.setdefault(item.id, QueuedItem(kind, item))
    return list(found.values())[:max_items]


class _Review:
    """An interactive review with undo."""

    def __init__(self, client: Client, queue: list[QueuedItem]) -> None:
        self._client = client
        self._queue = queue
        self._position = 0
        self._decisions: list[_Decision] = []

    def run(self) -> None:
        from loremark.cli import keypress, output

        while self._position < len(self._queue):
            if not self._show():
                self._position += 1
                continue
            key = keypress.choose("?", _KEYS, descriptions=_KEY_HELP)
            if key == "q":
                break
            if key == "u":
                self._undo()
            elif key == "s":
                self._position += 1
            else:
                self._decide(key)
        summary = [f"{len(self._decisions)} reviewed", f"{len(self._queue) - self._position} left"]
        output.note(", ".join(summary))

    def _show(self) -> bool:
        """Print the current version; False if the item no longer exists."""
        from loremark.cli import output, rendering
        from loremark.client.call import ApiError
        from loremark.client.calls.items import get_item

        queued = self._queue[self._position]
        try:
            item = self._client.send(get_item(queued.item.id))
        except ApiError as error:
            if error.status != 404:
                raise
            output.note(f"{queued.item.id} no longer exists")
            return False
        self._queue[self._position] = QueuedItem(queued.why, item)
        output.write(output.styled(f"── {self._position + 1} of {len(self._queue)}: {queued.why} ──", "cyan"))
        rendering.show_item(item)
        output.write()
        return True

    def _decide(self, key: str) -> None:
        """Approve, deprecate or edit the shown item. If it changed in the meantime, show it again."""
        from loremark.cli import output
        from loremark.cli.framework import CommandError
        from loremark.cli.items import edit_item
        from loremark.client.call import ApiError
        from loremark.client.calls.items import get_item, update_item

        shown = self._queue[self._position].item
        try:
            if key == "e":
                changed = edit_item(self._client, shown.id)
            else:
                now = self._client.request(get_item(shown.id))
                if now.value.version != shown.version:
                    output.note("Someone else changed this item; here is the new version.")
                    return
                changed = self._client.send(update_item(shown.id, if_match=now.etag, status=_STATUS[key]))
        except (ApiError, CommandError) as error:
            if isinstance(error, ApiError) and error.status in (0, 401):
                raise
            output.note(str(error))
            return
        if changed is None:
            output.note("No changes.")
            return
        self._decisions.append(_Decision(self._position, shown.id, shown.version, changed.version))
        if key != "e":  # show an edited item again, for approval
            self._position += 1

    def _undo(self) -> None:
        """Undo the last decision, unless the item has changed since."""
        from loremark.cli import output
        from loremark.client.call import ApiError
        from loremark.client.calls.items import get_item, revert_item

        if not self._decisions:
            output.note("Nothing to undo.")
            return
        last = self._decisions.pop()
        try:
            if self._client.send(get_item(last.item_id)).version != last.after:
                output.note("Someone else has changed this item since then; your decision was not undone.")
                return
            if last.before != last.after:
                self._client.send(revert_item(last.item_id, last.before))
        except ApiError as error:
            if error.status in (0, 401):
                raise
            output.note(str(error))
            return
        self._position = last.position
