"""The third stage: candidates become items, or join the item that says the same already."""

from __future__ import annotations

import asyncio
import dataclasses
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from loremark.features.contexts import service as contexts
from loremark.features.enrichment import origins, rescan, store, vectors
from loremark.features.enrichment.nearby import Nearby
from loremark.features.enrichment.records import (
    ContextFound,
    ItemFound,
    OperationFound,
    decode,
    text_hash,
)
from loremark.features.enrichment.task import Task
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.memory import dedup as rules
from loremark.memory import judgement
from loremark.memory.extraction.results import Operation
from loremark.memory.items import Item
from loremark.memory.merging import joined, merge
from loremark.memory.provenance import rests_on_scans
from loremark.ports.embeddings.compact import unpack
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

STAGE = "dedup"
LIFTED = "lifted"
"""What became of a candidate that joined a draft and made it sure enough."""
_AT_ONCE = 48
_NEIGHBOURS = 6


async def dedup(task: Task) -> None:
    """In bounded batches, one after the other in a project: whoever comes second sees what the first has made."""
    nearby = Nearby(task.scope, task.project_id, task.kit.embedder.name)
    async with task.kit.database.read() as tx:
        await nearby.refresh(tx)
    while await _settle_some(task, nearby):
        pass
    async with task.run.finish(STAGE):
        pass


async def _settle_some(task: Task, nearby: Nearby) -> bool:
    async with task.run.step() as tx:
        await items.lock_memory(tx, task.scope, task.project_id)
        rows = await store.list_open(tx, task.scope, task.job_id, _AT_ONCE)
        if not rows:
            return False
        await nearby.refresh(tx)
        batch = Batch(task, tx, nearby)
        for row in rows:
            found = decode(row["content"])
            if isinstance(found, ItemFound):
                judged = _judged(task, row, found)
                if judged is not None:
                    batch.add(row, judged)
                else:
                    task.progress.dropped_weak += 1
                    await store.settle(tx, task.scope, task.job_id, row["position"], "dropped")
            elif isinstance(found, OperationFound):
                await apply_operation(task, tx, found.operation)
                await store.settle(tx, task.scope, task.job_id, row["position"], "applied", found.operation.item_id)
            elif isinstance(found, ContextFound):
                await contexts.take_update(tx, task.scope, task.project_id, found.context)
                await store.settle(tx, task.scope, task.job_id, row["position"], "applied")
            else:  # for the next stage
                await store.settle(tx, task.scope, task.job_id, row["position"], "noted")
        await batch.settle()
        await task.keep(tx)
    return True


def _judged(task: Task, row: Row, found: ItemFound) -> Item | None:
    """The item with its type and what it rests on; None when it is not worth keeping."""
    item = dataclasses.replace(found.item, origins=(found.event,) if found.event else ())
    if task.kit.embedder.name not in judgement.EMBEDDERS:
        return item
    return judgement.judged(item, found.event, unpack([row["vector"]])[0])


class Batch:
    """Candidates that are looked at together."""

    def __init__(self, task: Task, tx: Tx, nearby: Nearby) -> None:
        self._task = task
        self._tx = tx
        self._nearby = nearby
        self._rows: list[Row] = []
        self._items: list[Item] = []

    def add(self, row: Row, item: Item) -> None:
        self._rows.append(row)
        self._items.append(item)

    async def settle(self) -> None:
        if not self._items:
            return
        found = unpack([row["vector"] for row in self._rows])
        groups, nearest = await asyncio.to_thread(self._compare, found)
        near_ids = {item_id for entries in nearest for item_id, _ in entries}
        known = {row["id"]: row for row in await items.list_by_ids(self._tx, self._task.scope, near_ids)}
        for group in groups:
            await self._settle_group(group, nearest, known)

    def _compare(self, found: NDArray[np.float32]) -> tuple[list[list[int]], list[list[tuple[str, float]]]]:
        return rules.group(self._items, found), self._nearby.nearest(found, _NEIGHBOURS)

    async def _settle_group(
        self, group: list[int], nearest: list[list[tuple[str, float]]], known: dict[str, Row]
    ) -> None:
        task, tx = self._task, self._tx
        merged = reduce(merge, [self._items[number] for number in group])
        best = next((number for number in group if self._items[number].title == merged.title), group[0])
        entries = [(known[item_id], cosine) for item_id, cosine in nearest[best] if item_id in known]
        before = rescan.told_before(merged, [row for row, _ in entries])
        row = before or await self._same_as(merged, self._rows[best], entries)
        if row is None:
            item_id = await items.create_item(
                tx,
                task.scope,
                task.project_id,
                dataclasses.replace(merged, status=_status_of([self._items[number] for number in group])),
                session_id=task.session_id,
                source_ref=task.session_id,
                reason="created",
            )
            await vectors.keep_vector(
                tx,
                task.scope,
                task.project_id,
                item_id,
                model=task.kit.embedder.name,
                text_hash=text_hash(records.item_text(self._items[best])),
                vector=self._rows[best]["vector"],
            )
            task.progress.items_extracted += 1
            outcome = "created"
        else:
            item_id = row["id"]
            known[item_id] = await (rescan.tell_anew if before else join)(task, tx, row, merged)
            outcome = LIFTED if _is_lifted(task, row, known[item_id]) else "merged"
            task.progress.items_merged += 1
        for number in group:
            said = outcome if number == min(group) else "merged"
            await store.settle(tx, task.scope, task.job_id, self._rows[number]["position"], said, item_id)

    async def _same_as(self, item: Item, row: Row, entries: list[tuple[Row, float]]) -> Row | None:
        """The item that says the same already; of one that was merged into another, the other."""
        vector = unpack([row["vector"]])[0]
        told = await origins.to_items(self._tx, self._task.scope, [known for known, _ in entries])
        known_items = [(told[known["id"]], cosine) for known, cosine in entries]
        place = await asyncio.to_thread(rules.choose, item, vector, known_items)
        if place is None:
            return None
        same = entries[place][0]
        seen = {same["id"]}
        while same["superseded_by"] and same["superseded_by"] not in seen:
            survivor = await items.find_item(self._tx, self._task.scope, same["superseded_by"])
            if survivor is None:
                break
            same = survivor
            seen.add(same["id"])
        return same


def _status_of(told: list[Item]) -> str:
    """A draft, unless all who tell it say that it holds no longer; whether it is approved is decided later."""
    return "deprecated" if all(item.status == "deprecated" for item in told) else "draft"


def _is_lifted(task: Task, before: Row, after: Row) -> bool:
    """A draft that was not sure enough to be approved and now is, because another event tells the same."""
    threshold = float(task.project["auto_approve_threshold"])
    return before["status"] == "draft" and float(before["confidence"]) < threshold <= float(after["confidence"])


async def join(task: Task, tx: Tx, row: Row, newcomer: Item) -> Row:
    """Add what the newcomer brings to an item. What is approved keeps its words; to a scan's, people's are added."""
    held = await items.hold_item(tx, task.scope, row["id"])
    assert held is not None
    known = (await origins.to_items(tx, task.scope, [held]))[held["id"]]
    merged = merge(known, newcomer)
    if known.status != "draft":
        is_told_anew = rests_on_scans(known) and not rests_on_scans(newcomer)
        merged = dataclasses.replace(
            merged,
            title=known.title,
            content=joined(known, newcomer) if is_told_anew else known.content,
            type=known.type,
            schema_key=known.schema_key,
            tier=known.tier,
        )
    fresh = tuple(flag for flag in merged.flags if flag != "stale")
    merged = dataclasses.replace(merged, id=known.id, status=known.status, flags=fresh)
    if await items.change_item(tx, task.scope, held, merged, reason="merged"):
        await items.tell(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, known.id, merged)
        if known.status == "approved":
            await items.touch_memory(tx, task.scope, task.project_id)
    again = await items.find_item(tx, task.scope, row["id"])
    assert again is not None
    return again


async def apply_operation(task: Task, tx: Tx, operation: Operation) -> None:
    """What a tool says about an item. Nothing is deleted on a tool's word: it is deprecated, and can come back."""
    held = await items.hold_item(tx, task.scope, operation.item_id)
    if held is None or held["project_id"] != task.project_id:
        task.progress.warn(f"An operation on {operation.item_id[:40]} was left out: there is no such item.")
        return
    known = records.to_item(held)
    if operation.kind == "update":
        changed = dataclasses.replace(known, **operation.changes)
        event = WebhookEvent.ITEM_UPDATED
    else:
        changed = dataclasses.replace(known, status="deprecated")
        event = WebhookEvent.ITEM_DEPRECATED
    reason = "edited" if operation.kind == "update" else "deprecated"
    if await items.change_item(tx, task.scope, held, changed, reason=reason):
        await items.tell(tx, task.scope, event, task.project_id, known.id, changed)
        if "approved" in (known.status, changed.status):
            await items.touch_memory(tx, task.scope, task.project_id)
