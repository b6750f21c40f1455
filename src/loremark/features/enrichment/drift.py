"""Pipeline stage 4: checks new items against approved memory, and existing items against changed files."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from loremark.base import clock
from loremark.features.enrichment import origins, repository_state, reverts, store, vectors
from loremark.features.enrichment.dedup import PROMOTED
from loremark.features.enrichment.reading_results import CONFIRMED
from loremark.features.enrichment.records import DigestCandidate, FilesCandidate, ItemCandidate, decode
from loremark.features.enrichment.task import Task
from loremark.features.enrichment.vector_index import VectorIndex
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.jobs import outbox, queue
from loremark.memory import branches, drift
from loremark.memory.drift import FileState, TrackedItem
from loremark.memory.extraction.results import Digest, FileChange
from loremark.memory.items import Item
from loremark.memory.reverted_items import find_marks
from loremark.ports.embeddings.vector_packing import unpack
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

STAGE = "drift_check"
_BATCH = 48
_FILES_BATCH = 500
_NEIGHBORS = 6


async def drift_check(task: Task) -> None:
    """Check all candidates of the job in bounded batches, then complete the session."""
    index = VectorIndex(task.scope, task.project_id, task.deps.embedder.name)
    async with task.deps.database.read() as tx:
        await index.refresh(tx)
    restored = await reverts.apply_reverts(task)
    while await _check_batch(task, index):
        pass
    await _check_restored(task, index, restored)
    async with task.run.finish(STAGE) as tx:
        await _complete(task, tx)


async def _check_batch(task: Task, index: VectorIndex) -> bool:
    async with task.run.step() as tx:
        await items.lock_memory(tx, task.scope, task.project_id)
        rows = await store.list_candidates(tx, task.scope, task.job_id, _BATCH)
        if not rows:
            return False
        await index.refresh(tx)
        found = [decode(row["content"]) for row in rows]
        read = {
            row["item_id"]
            for row, one in zip(rows, found, strict=True)
            if isinstance(one, ItemCandidate) and one.reading is not None
        }
        check = DriftCheck(task, tx, index, read)
        outcomes = ("created", "merged", CONFIRMED, PROMOTED)
        item_ids = dict.fromkeys(row["item_id"] for row in rows if row["outcome"] in outcomes)
        new, promoted = ({row["item_id"] for row in rows if row["outcome"] == one} for one in ("created", PROMOTED))
        await check.release_merged(list(item_ids))
        await check.against_memory(list(item_ids), new, promoted)
        for row, candidate in zip(rows, found, strict=True):
            if isinstance(candidate, DigestCandidate):
                await check.apply_digest(candidate.digest, row["event_id"])
            elif isinstance(candidate, FilesCandidate):
                await check.apply_file_changes(candidate.files, row["event_id"])
        await store.delete_candidates(tx, task.scope, task.job_id, rows[-1]["position"])
        if check.touched:
            await items.touch_memory(tx, task.scope, task.project_id)
    return True


async def _check_restored(task: Task, index: VectorIndex, item_ids: list[str]) -> None:
    """Check items whose commit was reverted and restored like new ones."""
    for start in range(0, len(item_ids), _BATCH):
        async with task.run.step() as tx:
            await items.lock_memory(tx, task.scope, task.project_id)
            await index.refresh(tx)
            check = DriftCheck(task, tx, index)
            batch = item_ids[start : start + _BATCH]
            await check.against_memory(batch, set(), set(batch))
            if check.touched:
                await items.touch_memory(tx, task.scope, task.project_id)


class DriftCheck:
    """Drift check of one batch of candidates. ``read``: items by a model that saw what they may contradict."""

    def __init__(self, task: Task, tx: Tx, index: VectorIndex, read: Collection[str] = ()) -> None:
        self._task = task
        self._tx = tx
        self._index = index
        self._read = read
        self.touched = False

    async def against_memory(self, item_ids: list[str], new: set[str], promoted: set[str]) -> None:
        """Check items one by one, so that two new items that contradict each other are not both approved."""
        task, tx = self._task, self._tx
        stored = await vectors.find_vectors(tx, task.scope, task.project_id, task.deps.embedder.name, item_ids)
        embedded = [item_id for item_id in item_ids if item_id in stored]
        nearest: list[list[tuple[str, float]]] = []
        if embedded:
            nearest = await asyncio.to_thread(self._nearest, unpack([stored[item_id] for item_id in embedded]))
        neighbors = dict(zip(embedded, nearest, strict=True))
        for item_id in item_ids:
            row = await items.lock_item(tx, task.scope, item_id)
            if row is not None:
                await self._check(row, neighbors.get(item_id, []), item_id in new, item_id in promoted)

    def _nearest(self, queries: NDArray[np.float32]) -> list[list[tuple[str, float]]]:
        return self._index.nearest(queries, _NEIGHBORS)

    async def _check(self, row: Row, neighbors: list[tuple[str, float]], is_new: bool, is_promoted: bool) -> None:
        task, tx = self._task, self._tx
        is_comparable = row["status"] != "deprecated" and row["id"] not in self._read
        conflicts = await self._conflicts(row, dict(neighbors)) if is_comparable else []
        item = records.to_item(row)
        flags = {*item.flags, *(["conflict"] if conflicts else [])}
        status = item.status
        if (is_new or is_promoted) and status == "draft" and "conflict" not in flags and self._is_confident(item):
            status = "approved"
        checked = dataclasses.replace(item, flags=tuple(sorted(flags)), status=status)
        reason = "approved" if status != item.status else "flagged"
        for conflict in conflicts:
            await items.add_conflict(tx, task.scope, task.project_id, item.id, conflict.other_id, conflict.reason)
        changed = await items.change_item(
            tx, task.scope, row, checked, reason=reason, fingerprints=await self._fingerprints(item.files)
        )
        for conflict in conflicts:
            await self._flag(conflict.other_id, "conflict")
        if is_new:
            await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_CREATED, task.project_id, item.id, checked)
        elif changed:
            await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, item.id, checked)
        self.touched |= "approved" in (status, item.status)

    async def _conflicts(self, row: Row, cosines: dict[str, float]) -> list[drift.Conflict]:
        """Return conflicts with approved items, and with drafts that revert the item or are reverted by it.

        An item whose commit was reverted does not hold anymore, so it contradicts nothing.
        """
        task, tx = self._task, self._tx
        rows = await items.list_by_ids(tx, task.scope, {*cosines} - {row["id"]})
        same_branch = [other for other in rows if _same_branch(row, other) and not find_marks(records.to_item(other))]
        known = await origins.load_items(tx, task.scope, [row, *same_branch])
        approved, drafts = (
            [(known[other["id"]], cosines[other["id"]]) for other in same_branch if other["status"] == status]
            for status in ("approved", "draft")
        )
        return await asyncio.to_thread(drift.find_conflicts, known[row["id"]], approved, drafts)

    def _is_confident(self, item: Item) -> bool:
        return item.confidence >= self._task.project["auto_approve_threshold"] and "redacted" not in item.flags

    async def _fingerprints(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        """Return current fingerprints: a new or confirmed item describes the files as they are now."""
        if not paths:
            return {}
        known = await repository_state.find_file_states(self._tx, self._task.scope, self._task.project_id, paths)
        return {path: row["fingerprint"] for path, row in known.items() if row["fingerprint"]}

    async def _flag(self, item_id: str, flag: str) -> None:
        task, tx = self._task, self._tx
        row = await items.lock_item(tx, task.scope, item_id)
        if row is None:
            return
        item = records.to_item(row)
        flagged = dataclasses.replace(item, flags=tuple(sorted({*item.flags, flag})))
        if await items.change_item(tx, task.scope, row, flagged, reason="flagged"):
            await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, item_id, flagged)
            self.touched |= item.status == "approved"

    async def release_merged(self, item_ids: list[str]) -> None:
        """Release items of a branch that was merged after they were learned, but before they were extracted."""
        task, tx = self._task, self._tx
        rows = [row for row in await items.list_by_ids(tx, task.scope, item_ids) if _open_branch(row) is not None]
        names = sorted({row["branch"] for row in rows})
        merges = await repository_state.find_merges(tx, task.scope, task.project_id, names) if names else {}
        for row in rows:
            learned = max((quote.event_id for quote in records.to_item(row).evidence), default="")
            if learned and learned < merges.get(row["branch"], ""):
                await self._mark_merged(row["id"])

    async def apply_digest(self, digest: Digest, event_id: str) -> None:
        """Record commits of a branch. Commits on the default branch mark the branches they belong to as merged."""
        task, tx = self._task, self._tx
        if digest.branch and not branches.is_default_branch(digest.branch, digest.default_branch):
            merges = await repository_state.find_merges(tx, task.scope, task.project_id, [digest.branch])
            if merges.get(digest.branch, "") < event_id:
                await repository_state.record_commits(tx, task.scope, task.project_id, digest.branch, digest, event_id)
            return
        open_branches = await repository_state.list_open_branches(tx, task.scope, task.project_id)
        merged = sorted(await asyncio.to_thread(branches.find_merged_branches, open_branches, digest))
        made_there = await repository_state.list_reverts(tx, task.scope, task.project_id, merged) if merged else []
        merged_items = await repository_state.list_unmerged(tx, task.scope, task.project_id, merged) if merged else []
        await repository_state.record_merges(
            tx, task.scope, task.project_id, sorted({*merged, *digest.merged_branches}), event_id
        )
        for item_id in merged_items:
            await self._mark_merged(item_id)
        for revert in made_there:
            await reverts.apply_revert(task, tx, revert)
        await self.against_memory(merged_items, set(), set())

    async def _mark_merged(self, item_id: str) -> None:
        task, tx = self._task, self._tx
        row = await items.lock_item(tx, task.scope, item_id)
        if row is None:
            return
        item = records.to_item(row)
        await items.change_item(tx, task.scope, row, item, reason="merged branch", merged_at_ms=clock.now_ms())
        self.touched |= item.status == "approved"

    async def apply_file_changes(self, changes: tuple[FileChange, ...], event_id: str) -> None:
        """Flag items as stale if their files have changed or been deleted since the item was learned.

        Items learned or confirmed in this session are excluded, because they describe that very change.
        """
        for start in range(0, len(changes), _FILES_BATCH):
            await self._apply_file_batch(changes[start : start + _FILES_BATCH], event_id)

    async def _apply_file_batch(self, changes: tuple[FileChange, ...], event_id: str) -> None:
        task, tx = self._task, self._tx
        now = {change.path: FileState(change.fingerprint, change.deleted) for change in changes}
        rows = await repository_state.list_item_files(tx, task.scope, task.project_id, list(now))
        fresh, known = await self._split_fresh(rows, event_id, any_deleted=any(file.deleted for file in now.values()))
        for item_id in sorted(drift.find_stale_items(now, known)):
            await self._flag(item_id, "stale")
        await repository_state.upsert_file_states(tx, task.scope, task.project_id, changes, event_id)
        for item_id in sorted(fresh):
            locked = await items.lock_item(tx, task.scope, item_id)
            assert locked is not None
            item = records.to_item(locked)
            known_now = {path: now[path].fingerprint for path in item.files if path in now}
            await items.change_item(tx, task.scope, locked, item, reason="flagged", fingerprints=known_now)

    async def _split_fresh(
        self, item_files: list[Row], event_id: str, *, any_deleted: bool
    ) -> tuple[set[str], list[TrackedItem]]:
        """Split items into ids confirmed by this session, this event or a later one, and the rest with their files."""
        task, tx = self._task, self._tx
        rows = await items.list_by_ids(tx, task.scope, {row["item_id"] for row in item_files})
        known = await origins.load_items(tx, task.scope, rows)
        fresh = {
            row["id"]
            for row in rows
            if row["session_id"] == task.session_id
            or any(quote.event_id >= event_id for quote in known[row["id"]].evidence)
        }
        paths = {path for item in known.values() if item.id not in fresh for path in item.files if any_deleted}
        seen = await repository_state.find_file_states(tx, task.scope, task.project_id, sorted(paths)) if paths else {}
        deleted = {path for path, row in seen.items() if row["deleted"]}
        fingerprints: dict[str, dict[str, str | None]] = {}
        for row in item_files:
            fingerprints.setdefault(row["item_id"], {})[row["path"]] = row["fingerprint"]
        return fresh, [
            TrackedItem(item, fingerprints[item.id], deleted) for item in known.values() if item.id not in fresh
        ]


def _same_branch(one: Row, another: Row) -> bool:
    """Return whether both items belong to the same branch. Differences between unmerged branches are no conflict."""
    return _open_branch(one) == _open_branch(another)


def _open_branch(row: Row) -> str | None:
    return None if row["merged_at_ms"] is not None else row["branch"]


async def _complete(task: Task, tx: Tx) -> None:
    """Complete the session: counters, model name and webhook event, in the transaction of the last stage."""
    await store.count_extracted(
        tx, task.scope, task.session_id, task.progress.items_extracted, task.progress.model or task.builtin_name
    )
    await task.complete_session(tx)
    await task.save_progress(tx)
    data = {
        "sessionId": task.session_id,
        "itemsExtracted": task.progress.items_extracted,
        "duration": task.run.total_ms(),
        "jobId": task.job_id,
    }
    await outbox.emit(tx, task.scope, WebhookEvent.ENRICHMENT_COMPLETED, task.project_id, data)
    # In the same transaction as the session, so that both appear completed together.
    await queue.complete(tx, task.run.job)
