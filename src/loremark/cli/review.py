"""``loremark review``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from loremark.cli.kit import OK

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.items import MemoryItem

SUMMARY = "Decide on drafts, conflicts and doubts, one after the other."
EXAMPLE = "loremark review --only conflict"

_QUEUES = ("conflict", "draft", "stale", "low_confidence")
_KEYS = {"a": "approve", "d": "deprecate", "e": "edit", "s": "skip", "u": "undo", "q": "quit"}
_ABOUT = {
    "a": "take it into the brain, where agents read it",
    "d": "keep it out of the brain, or take it out",
    "e": "change it in your editor, and see it again",
    "s": "leave it as it is, for another time",
    "u": "take your last decision back",
    "q": "end; what is left waits",
}
_STATUS = {"a": "approved", "d": "deprecated"}


class Waiting(NamedTuple):
    """An item, and why somebody should look at it."""

    why: str
    item: MemoryItem


class _Done(NamedTuple):
    """What was decided: the versions before and after it."""

    place: int
    item_id: str
    before: int
    after: int


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_limit, add_project

    parser.add_argument("--only", choices=_QUEUES, help="one kind of them")
    add_limit(parser, 100)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import get_project, open_client

    with open_client() as client:
        kinds = (arguments.only,) if arguments.only else _QUEUES
        queue = _queue(client, get_project(arguments, client), kinds, arguments.limit)
        if arguments.json:
            page.write_json([{"why": each.why, "item": each.item} for each in queue])
            return OK
        if not queue:
            page.note("nothing waits for a decision")
            return OK
        _Review(client, queue).run()
    return OK


def _queue(client: Client, project_id: str, kinds: tuple[str, ...], most: int) -> list[Waiting]:
    """Each item once, for the first reason there is."""
    from itertools import islice

    from loremark.client.calls.items import list_items

    found: dict[str, Waiting] = {}
    for kind in kinds:
        limit = min(most, 1_000)
        if kind == "draft":
            call = list_items(project_id, status="draft", limit=limit)
        else:
            call = list_items(project_id, flag=kind, limit=limit)
        for item in islice(client.every(call), most):
            if item.status != "deprecated":
                found.setdefault(item.id, Waiting(kind, item))
    return list(found.values())[:most]


class _Review:
    """The queue, where one is in it, and what can be taken back."""

    def __init__(self, client: Client, queue: list[Waiting]) -> None:
        self._client = client
        self._queue = queue
        self._place = 0
        self._done: list[_Done] = []

    def run(self) -> None:
        from loremark.cli import keypress, page

        while self._place < len(self._queue):
            if not self._show():
                self._place += 1
                continue
            key = keypress.choose("?", _KEYS, about=_ABOUT)
            if key == "q":
                break
            if key == "u":
                self._undo()
            elif key == "s":
                self._place += 1
            else:
                self._decide(key)
        told = [f"{len(self._done)} decided", f"{len(self._queue) - self._place} left"]
        page.note(", ".join(told))

    def _show(self) -> bool:
        """The item as it is now; False where it is gone."""
        from loremark.cli import cards, page
        from loremark.client.call import ApiError
        from loremark.client.calls.items import get_item

        waiting = self._queue[self._place]
        try:
            item = self._client.send(get_item(waiting.item.id))
        except ApiError as error:
            if error.status != 404:
                raise
            page.note(f"{waiting.item.id} is gone")
            return False
        self._queue[self._place] = Waiting(waiting.why, item)
        page.write(page.styled(f"── {self._place + 1} of {len(self._queue)}: {waiting.why} ──", "cyan"))
        cards.show_item(item)
        page.write()
        return True

    def _decide(self, key: str) -> None:
        """Approve, retire or edit what was shown; what has changed since then is shown again."""
        from loremark.cli import page
        from loremark.cli.items import edit_item
        from loremark.cli.kit import Stop
        from loremark.client.call import ApiError
        from loremark.client.calls.items import get_item, update_item

        shown = self._queue[self._place].item
        try:
            if key == "e":
                changed = edit_item(self._client, shown.id)
            else:
                now = self._client.answer(get_item(shown.id))
                if now.value.version != shown.version:
                    page.note("it was changed by somebody else meanwhile")
                    return
                changed = self._client.send(update_item(shown.id, if_match=now.etag, status=_STATUS[key]))
        except (ApiError, Stop) as error:
            if isinstance(error, ApiError) and error.status in (0, 401):
                raise
            page.note(str(error))
            return
        if changed is None:
            page.note("nothing is changed")
            return
        self._done.append(_Done(self._place, shown.id, shown.version, changed.version))
        if key != "e":  # what was edited is shown once more, to be approved
            self._place += 1

    def _undo(self) -> None:
        """Take the last decision back, unless somebody has changed the item since."""
        from loremark.cli import page
        from loremark.client.call import ApiError
        from loremark.client.calls.items import get_item, revert_item

        if not self._done:
            page.note("there is nothing to take back")
            return
        last = self._done.pop()
        try:
            if self._client.send(get_item(last.item_id)).version != last.after:
                page.note("it was changed by somebody else meanwhile; it stays as it is")
                return
            if last.before != last.after:
                self._client.send(revert_item(last.item_id, last.before))
        except ApiError as error:
            if error.status in (0, 401):
                raise
            page.note(str(error))
            return
        self._place = last.place
