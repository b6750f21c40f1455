"""What a scan has told before and tells anew: the item takes the new words, so that no scan leaves another copy."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from loremark.base.caller import Scope
from loremark.features.enrichment.task import Task
from loremark.features.history import store as history
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.memory.extraction.scans import SCAN
from loremark.memory.items import Item
from loremark.memory.merging import MAX_FILES, merge, union, with_sentences
from loremark.memory.parts import sentences_of
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

_BY_PEOPLE = ("edited", "reverted")
_REVISIONS_LOOKED_AT = 50
_MOST_QUOTES = 20


def told_before(item: Item, neighbours: Sequence[Row]) -> Row | None:
    """The living item in which an earlier scan has told of the same thing."""
    if SCAN not in item.tags:
        return None
    for row in neighbours:
        known = records.to_item(row)
        same = known.title.casefold() == item.title.casefold() and known.type == item.type
        if same and SCAN in known.tags and known.status != "deprecated":
            return row
    return None


async def tell_anew(task: Task, tx: Tx, row: Row, newcomer: Item) -> Row:
    """Its words, files and evidence are of the newest scan, with what other events have added to them.

    What somebody has put in words of their own, before or after a scan found it, stays in these.
    """
    held = await items.hold_item(tx, task.scope, row["id"])
    assert held is not None
    known = records.to_item(held)
    revisions = await history.list_revisions(tx, task.scope, row["id"], None, _REVISIONS_LOOKED_AT)
    is_by_people = any(revision["reason"] in _BY_PEOPLE for revision in revisions)
    if is_by_people or await _was_told_first(tx, task.scope, row["id"]):
        told = dataclasses.replace(merge(known, newcomer), title=known.title, content=known.content)
    else:
        sentences, files = _added(revisions)
        quotes = (*newcomer.evidence, *(quote for quote in known.evidence if quote not in newcomer.evidence))
        told = dataclasses.replace(
            known,
            content=with_sentences(newcomer.content, [each for each in sentences if each in known.content]),
            files=union(newcomer.files, files, MAX_FILES),
            confidence=max(known.confidence, newcomer.confidence),
            evidence=tuple(sorted(quotes[:_MOST_QUOTES])),
        )
    flags = tuple(flag for flag in told.flags if flag != "stale")
    told = dataclasses.replace(told, id=known.id, status=known.status, flags=flags)
    if await items.change_item(tx, task.scope, held, told, reason="rescanned"):
        await items.tell(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, known.id, told)
        if known.status == "approved":
            await items.touch_memory(tx, task.scope, task.project_id)
    again = await items.find_item(tx, task.scope, row["id"])
    assert again is not None
    return again


async def _was_told_first(tx: Tx, scope: Scope, item_id: str) -> bool:
    """Whether the item was there before any scan spoke of it."""
    first = await history.find_revision(tx, scope, item_id, 1)
    return first is not None and SCAN not in records.from_snapshot("", msgspec.json.decode(first["snapshot"])).tags


def _added(revisions: Sequence[Row]) -> tuple[list[str], set[str]]:
    """The sentences and files that joined the item from elsewhere, oldest first; ``revisions`` are newest first."""
    sentences: dict[str, None] = {}
    files: set[str] = set()
    for before, after in pairwise(reversed(revisions)):
        if after["reason"] == "merged":
            old, new = (records.from_snapshot("", msgspec.json.decode(each["snapshot"])) for each in (before, after))
            told = set(sentences_of(old.content))
            sentences |= dict.fromkeys(each for each in sentences_of(new.content) if each not in told)
            files |= {*new.files} - {*old.files}
    return list(sentences), files
