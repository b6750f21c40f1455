"""What a scan has told before and tells anew: the item takes the new words, so that no scan leaves another copy."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from cairn.base.caller import Scope
from cairn.features.enrichment.task import Task
from cairn.features.history import store as history
from cairn.features.items import records
from cairn.features.items import service as items
from cairn.memory.extraction.scans import SCAN
from cairn.memory.items import Item
from cairn.memory.merging import merge
from cairn.storage.database import Row, Tx
from cairn.wire.events import WebhookEvent

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
    """Its words, files and evidence are of the newest scan, unless somebody has put it in words of their own."""
    held = await items.hold_item(tx, task.scope, row["id"])
    assert held is not None
    known = records.to_item(held)
    if await _is_theirs(tx, task.scope, row["id"]):
        told = dataclasses.replace(merge(known, newcomer), title=known.title, content=known.content)
    else:
        quotes = (*newcomer.evidence, *(quote for quote in known.evidence if quote not in newcomer.evidence))
        told = dataclasses.replace(
            known,
            content=newcomer.content,
            files=newcomer.files,
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


async def _is_theirs(tx: Tx, scope: Scope, item_id: str) -> bool:
    rows = await history.list_revisions(tx, scope, item_id, None, _REVISIONS_LOOKED_AT)
    return any(row["reason"] in _BY_PEOPLE for row in rows)
