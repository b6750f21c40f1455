"""Pipeline stage 3: turns candidates into new items, or merges them into items that already say the same."""

from __future__ import annotations

import asyncio
import dataclasses
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from loremark.features.contexts import service as contexts
from loremark.features.enrichment import origins, reading_results, rescan, store, vectors
from loremark.features.enrichment.proposals import propose_edit, quote_changes
from loremark.features.enrichment.records import (
    ContextCandidate,
    ItemCandidate,
    OperationCandidate,
    decode,
    text_hash,
)
from loremark.features.enrichment.supersession import is_current, may_replace, supersede, withdraw
from loremark.features.enrichment.task import Task
from loremark.features.enrichment.vector_index import VectorIndex
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.features.reading import store as readings
from loremark.memory import dedup as rules
from loremark.memory import item_classifier, replacement
from loremark.memory.extraction.results import ContextUpdate, Operation
from loremark.memory.items import Item
from loremark.memory.merging import merge, merge_contents
from loremark.memory.provenance import is_from_scans
from loremark.ports.embeddings.vector_packing import unpack
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

STAGE = "dedup"
PROMOTED = "lifted"
"""Outcome of a candidate that raised a draft's confidence to the auto-approval threshold."""
_BATCH = 48
_NEIGHBORS = 6


async def dedup(task: Task) -> None:
    """Resolve candidates in bounded batches, one at a time per project, so that each sees the items created before."""
    index = VectorIndex(task.scope, task.project_id, task.deps.embedder.name)
    async with task.deps.database.read() as tx:
        await index.refresh(tx)
    if task.reading is not None:
        async with task.run.step() as tx:
            await items.lock_memory(tx, task.scope, task.project_id)
            await reading_results.retire_rule_drafts(task, tx, task.reading)
    while await _resolve_batch(task, index):
        pass
    async with task.run.finish(STAGE):
        pass


async def _resolve_batch(task: Task, index: VectorIndex) -> bool:
    async with task.run.step() as tx:
        await items.lock_memory(tx, task.scope, task.project_id)
        rows = await store.list_pending(tx, task.scope, task.job_id, _BATCH)
        if not rows:
            return False
        await index.refresh(tx)
        batch = Batch(task, tx, index)
        for row in rows:
            found = decode(row["content"])
            if isinstance(found, ItemCandidate) and found.reading is not None:
                await reading_results.resolve(task, tx, row, found, found.reading)
            elif isinstance(found, ItemCandidate):
                item = _classify(task, row, found)
                if item is not None:
                    batch.add(row, item)
                else:
                    task.progress.dropped_weak += 1
                    await store.set_outcome(tx, task.scope, task.job_id, row["position"], "dropped")
            elif isinstance(found, OperationCandidate):
                await apply_operation(task, tx, found.operation, row["event_id"])
                await store.set_outcome(
                    tx, task.scope, task.job_id, row["position"], "applied", found.operation.item_id
                )
            elif isinstance(found, ContextCandidate):
                await _apply_context(task, tx, found.context, row["event_id"])
                await store.set_outcome(tx, task.scope, task.job_id, row["position"], "applied")
            else:  # handled by the next stage
                await store.set_outcome(tx, task.scope, task.job_id, row["position"], "noted")
        await batch.resolve()
        await task.save_progress(tx)
    return True


def _classify(task: Task, row: Row, found: ItemCandidate) -> Item | None:
    """Return the item with its type and origins, or None if it is not worth keeping."""
    item = dataclasses.replace(found.item, origins=(found.event,) if found.event else ())
    if task.deps.embedder.name not in item_classifier.SUPPORTED_EMBEDDERS:
        return item
    return item_classifier.classify_item(item, found.event, unpack([row["vector"]])[0])


class Batch:
    """Candidates that are compared and stored together."""

    def __init__(self, task: Task, tx: Tx, index: VectorIndex) -> None:
        self._task = task
        self._tx = tx
        self._index = index
        self._rows: list[Row] = []
        self._items: list[Item] = []
        self._created: dict[str, int] = {}

    def add(self, row: Row, item: Item) -> None:
        self._rows.append(row)
        self._items.append(item)

    async def resolve(self) -> None:
        if not self._items:
            return
        found = unpack([row["vector"] for row in self._rows])
        groups, nearest = await asyncio.to_thread(self._compare, found)
        near_ids = {item_id for entries in nearest for item_id, _ in entries}
        known = {row["id"]: row for row in await items.list_by_ids(self._tx, self._task.scope, near_ids)}
        for group in groups:
            await self._resolve_group(group, found, nearest, known)

    def _compare(self, found: NDArray[np.float32]) -> tuple[list[list[int]], list[list[tuple[str, float]]]]:
        return rules.cluster_items(self._items, found), self._index.nearest(found, _NEIGHBORS)

    async def _resolve_group(
        self,
        group: list[int],
        found: NDArray[np.float32],
        nearest: list[list[tuple[str, float]]],
        known: dict[str, Row],
    ) -> None:
        task, tx = self._task, self._tx
        merged = reduce(merge, [self._items[number] for number in group])
        best = next((number for number in group if self._items[number].title == merged.title), group[0])
        entries = [(known[item_id], cosine) for item_id, cosine in nearest[best] if item_id in known]
        before = rescan.find_rescanned(merged, [row for row, _ in entries])
        # Items of this batch are not in the index yet, and a later one may change an earlier one.
        created = [(known[item_id], float(found[best] @ found[other])) for item_id, other in self._created.items()]
        named = {self._items[number].supersedes for number in group} - {""}
        replaced = await self._list_named(named, merged)
        if before is None and not replaced:
            replaced = await self._find_replaced(merged, [*entries, *created])
        gone = {row["id"] for row in replaced}
        row = before or await self._find_same(
            merged, self._rows[best], [entry for entry in entries if entry[0]["id"] not in gone]
        )
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
            await vectors.upsert_vector(
                tx,
                task.scope,
                task.project_id,
                item_id,
                model=task.deps.embedder.name,
                text_hash=text_hash(records.item_text(self._items[best])),
                vector=self._rows[best]["vector"],
            )
            task.progress.items_extracted += 1
            outcome = "created"
            new = await items.find_item(tx, task.scope, item_id)
            assert new is not None
            known[item_id] = new
            self._created[item_id] = best
        else:
            item_id = row["id"]
            known[item_id] = await (rescan.update_from_scan if before else merge_into)(task, tx, row, merged)
            outcome = PROMOTED if _is_promoted(task, row, known[item_id]) else "merged"
            task.progress.items_merged += 1
        replace = withdraw if merged.status == "deprecated" else supersede
        for older in replaced:
            if older["id"] != item_id:
                known[older["id"]] = await replace(task, tx, older, item_id)
        for number in group:
            candidate_outcome = outcome if number == min(group) else "merged"
            await store.set_outcome(
                tx, task.scope, task.job_id, self._rows[number]["position"], candidate_outcome, item_id
            )

    async def _list_named(self, item_ids: set[str], item: Item) -> list[Row]:
        """Return the current items of this project that whoever saved the candidate says it replaces."""
        rows = await items.list_by_ids(self._tx, self._task.scope, item_ids) if item_ids else []
        return [
            row for row in rows if row["project_id"] == self._task.project_id and may_replace(self._task, row, item)
        ]

    async def _find_replaced(self, item: Item, entries: list[tuple[Row, float]]) -> list[Row]:
        """Return the current items that this one replaces."""
        current = [
            (row, cosine)
            for row, cosine in entries
            if row["branch"] == item.branch
            and (is_current(row) if item.status == "deprecated" else may_replace(self._task, row, item))
        ]
        loaded = await origins.load_items(self._tx, self._task.scope, [row for row, _ in current])
        pairs = [(row, loaded[row["id"]], cosine) for row, cosine in current]
        return await asyncio.to_thread(
            lambda: [row for row, known, cosine in pairs if replacement.replaces(item, known, cosine)]
        )

    async def _find_same(self, item: Item, row: Row, entries: list[tuple[Row, float]]) -> Row | None:
        """Return the existing item that says the same, following merges to the surviving item."""
        vector = unpack([row["vector"]])[0]
        loaded = await origins.load_items(self._tx, self._task.scope, [known for known, _ in entries])
        known_items = [(loaded[known["id"]], cosine) for known, cosine in entries]
        position = await asyncio.to_thread(rules.find_duplicate, item, vector, known_items)
        if position is None:
            return None
        same = entries[position][0]
        seen = {same["id"]}
        while same["superseded_by"] and same["superseded_by"] not in seen:
            survivor = await items.find_item(self._tx, self._task.scope, same["superseded_by"])
            if survivor is None:
                break
            if same["id"] not in records.to_item(survivor).merged_from:
                return None  # it was replaced, not merged: saying it again is news
            same = survivor
            seen.add(same["id"])
        return same


def _status_of(group: list[Item]) -> str:
    """Return "deprecated" if every candidate says so, else "draft". The next stage decides on approval."""
    return "deprecated" if all(item.status == "deprecated" for item in group) else "draft"


def _is_promoted(task: Task, before: Row, after: Row) -> bool:
    """Return whether merging raised a draft's confidence to the auto-approval threshold."""
    threshold = float(task.project["auto_approve_threshold"])
    return before["status"] == "draft" and float(before["confidence"]) < threshold <= float(after["confidence"])


async def merge_into(task: Task, tx: Tx, row: Row, candidate: Item) -> Row:
    """Merge a candidate into an item. Approved text and a model's are kept; user text is proposed for a scan's."""
    locked = await items.lock_item(tx, task.scope, row["id"])
    assert locked is not None
    known = (await origins.load_items(tx, task.scope, [locked]))[locked["id"]]
    merged = merge(known, candidate)
    if known.status != "draft" or await readings.is_from_reading(tx, task.scope, task.project_id, known.id):
        longer = known.content
        if is_from_scans(known) and not is_from_scans(candidate):
            longer = merge_contents(known, candidate)
        merged = dataclasses.replace(
            merged,
            title=known.title,
            content=known.content if known.status == "approved" else longer,
            type=known.type,
            schema_key=known.schema_key,
            tier=known.tier,
            reviewed=known.reviewed,
        )
        if known.status == "approved":
            await propose_edit(task, tx, locked, dataclasses.replace(merged, content=longer), candidate.evidence)
    fresh = tuple(flag for flag in merged.flags if flag != "stale")
    merged = dataclasses.replace(merged, id=known.id, status=known.status, flags=fresh)
    if await items.change_item(tx, task.scope, locked, merged, reason="merged"):
        await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, known.id, merged)
        if known.status == "approved":
            await items.touch_memory(tx, task.scope, task.project_id)
    updated = await items.find_item(tx, task.scope, row["id"])
    assert updated is not None
    return updated


async def _apply_context(task: Task, tx: Tx, update: ContextUpdate, event_id: str) -> None:
    """Apply a tool's context update. The text of an approved context stays until a reviewer accepts the new one."""
    actor_id = await store.find_actor(tx, task.scope, event_id)
    proposed = await contexts.apply_update(
        tx, task.scope, task.project_id, update, actor_id=actor_id, source=task.session_id
    )
    if proposed is not None:
        task.progress.warn(
            f"The approved context {update.schema_key[:80]} was not changed. The new text is waiting as version "
            f"{proposed}; revert to it to accept it."
        )


async def apply_operation(task: Task, tx: Tx, operation: Operation, event_id: str) -> None:
    """Apply a tool's operation on an item. A delete only deprecates it, so users can restore it.

    What a person has approved stays in use: its new text waits as a draft, and a signed delete only flags it.
    """
    locked = await items.lock_item(tx, task.scope, operation.item_id)
    if locked is None or locked["project_id"] != task.project_id:
        task.progress.warn(f"Skipped an operation on {operation.item_id[:40]}: item not found.")
        return
    known = records.to_item(locked)
    actor_id = await store.find_actor(tx, task.scope, event_id)
    if operation.kind == "update" and known.status == "approved":
        evidence = quote_changes(operation.changes, event_id)
        await propose_edit(
            task, tx, locked, dataclasses.replace(known, **operation.changes), evidence, actor_id=actor_id
        )
        return
    if operation.kind == "update":
        changed = dataclasses.replace(known, **operation.changes)
        changed = dataclasses.replace(changed, confidence=min(known.confidence, changed.confidence))
        event = WebhookEvent.ITEM_UPDATED
    elif known.status == "approved" and known.reviewed and actor_id is None:
        task.progress.warn("A reviewed item was flagged as stale, because a signed event may not deprecate it.")
        changed = dataclasses.replace(known, flags=tuple(sorted({*known.flags, "stale"})))
        event = WebhookEvent.ITEM_UPDATED
    else:
        changed = dataclasses.replace(known, status="deprecated")
        event = WebhookEvent.ITEM_DEPRECATED
    reason = "edited" if operation.kind == "update" else "flagged" if changed.status == known.status else "deprecated"
    if operation.kind == "update" and records.content_hash(changed) != records.content_hash(known):
        # It took the place of others with another text.
        await items.release_replaced(tx, task.scope, task.project_id, known.id, actor_id=actor_id)
    if await items.change_item(tx, task.scope, locked, changed, reason=reason, actor_id=actor_id):
        await items.emit_item_event(tx, task.scope, event, task.project_id, known.id, changed)
        if "approved" in (known.status, changed.status):
            await items.touch_memory(tx, task.scope, task.project_id)
