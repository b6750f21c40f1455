"""The last stage: what is new is held against what is approved, and what is known against the files."""

from __future__ import annotations

import asyncio
import dataclasses

import numpy as np
from numpy.typing import NDArray

from loremark.base import clock
from loremark.features.enrichment import ground, origins, store, vectors
from loremark.features.enrichment.dedup import LIFTED
from loremark.features.enrichment.nearby import Nearby
from loremark.features.enrichment.records import DigestFound, FilesFound, decode
from loremark.features.enrichment.task import Task
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.jobs import outbox, queue
from loremark.memory import branches, drift
from loremark.memory.drift import FileNow, Holding
from loremark.memory.extraction.results import Digest, FileChange
from loremark.memory.items import Item
from loremark.ports.embeddings.compact import unpack
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

STAGE = "drift_check"
_AT_ONCE = 48
_FILES_AT_ONCE = 500
_NEIGHBOURS = 6


async def drift_check(task: Task) -> None:
    """In bounded batches over all that the job has settled, in order; then the session is done."""
    nearby = Nearby(task.scope, task.project_id, task.kit.embedder.name)
    async with task.kit.database.read() as tx:
        await nearby.refresh(tx)
    while await _check_some(task, nearby):
        pass
    async with task.run.finish(STAGE) as tx:
        await _end(task, tx)


async def _check_some(task: Task, nearby: Nearby) -> bool:
    async with task.run.step() as tx:
        await items.lock_memory(tx, task.scope, task.project_id)
        rows = await store.list_settled(tx, task.scope, task.job_id, _AT_ONCE)
        if not rows:
            return False
        await nearby.refresh(tx)
        check = Check(task, tx, nearby)
        told = dict.fromkeys(row["item_id"] for row in rows if row["outcome"] in ("created", "merged", LIFTED))
        new, lifted = ({row["item_id"] for row in rows if row["outcome"] == one} for one in ("created", LIFTED))
        await check.against_memory(list(told), new, lifted)
        for row in rows:
            found = decode(row["content"])
            if isinstance(found, DigestFound):
                await check.take_digest(found.digest, row["event_id"])
            elif isinstance(found, FilesFound):
                await check.take_files(found.files, row["event_id"])
        await store.forget_settled(tx, task.scope, task.job_id, rows[-1]["position"])
        if check.touched:
            await items.touch_memory(tx, task.scope, task.project_id)
    return True


class Check:
    """One batch."""

    def __init__(self, task: Task, tx: Tx, nearby: Nearby) -> None:
        self._task = task
        self._tx = tx
        self._nearby = nearby
        self.touched = False

    async def against_memory(self, item_ids: list[str], new: set[str], lifted: set[str]) -> None:
        """One after the other, so that two newcomers that contradict each other are not both approved."""
        task, tx = self._task, self._tx
        kept = await vectors.find_vectors(tx, task.scope, task.project_id, task.kit.embedder.name, item_ids)
        asked = [item_id for item_id in item_ids if item_id in kept]
        nearest: list[list[tuple[str, float]]] = []
        if asked:
            nearest = await asyncio.to_thread(self._nearest, unpack([kept[item_id] for item_id in asked]))
        neighbours = dict(zip(asked, nearest, strict=True))
        for item_id in item_ids:
            row = await items.hold_item(tx, task.scope, item_id)
            if row is not None:
                await self._check(row, neighbours.get(item_id, []), item_id in new, item_id in lifted)

    def _nearest(self, queries: NDArray[np.float32]) -> list[list[tuple[str, float]]]:
        return self._nearby.nearest(queries, _NEIGHBOURS)

    async def _check(self, row: Row, neighbours: list[tuple[str, float]], is_new: bool, is_lifted: bool) -> None:
        task, tx = self._task, self._tx
        found = await self._conflicts(row, dict(neighbours)) if row["status"] != "deprecated" else []
        item = records.to_item(row)
        flags = {*item.flags, *(["conflict"] if found else [])}
        status = item.status
        if (is_new or is_lifted) and status == "draft" and "conflict" not in flags and self._is_sure(item):
            status = "approved"
        settled = dataclasses.replace(item, flags=tuple(sorted(flags)), status=status)
        reason = "approved" if status != item.status else "flagged"
        changed = await items.change_item(
            tx, task.scope, row, settled, reason=reason, fingerprints=await self._fingerprints(item.files)
        )
        for conflict in found:
            await items.set_conflict(tx, task.scope, task.project_id, item.id, conflict.other_id, conflict.reason)
            await self._flag(conflict.other_id, "conflict")
        if is_new:
            await items.tell(tx, task.scope, WebhookEvent.ITEM_CREATED, task.project_id, item.id, settled)
        elif changed:
            await items.tell(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, item.id, settled)
        self.touched |= "approved" in (status, item.status)

    async def _conflicts(self, row: Row, cosines: dict[str, float]) -> list[drift.Conflict]:
        """What the item contradicts of approved memory, and which drafts it takes back or is taken back by."""
        task, tx = self._task, self._tx
        rows = await items.list_by_ids(tx, task.scope, {*cosines} - {row["id"]})
        beside = [other for other in rows if _same_ground(row, other)]
        known = await origins.to_items(tx, task.scope, [row, *beside])
        approved, drafts = (
            [(known[other["id"]], cosines[other["id"]]) for other in beside if other["status"] == status]
            for status in ("approved", "draft")
        )
        return await asyncio.to_thread(drift.conflicts, known[row["id"]], approved, drafts)

    def _is_sure(self, item: Item) -> bool:
        return item.confidence >= self._task.project["auto_approve_threshold"] and "redacted" not in item.flags

    async def _fingerprints(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        """An item just learnt or confirmed is about the files as they are now."""
        if not paths:
            return {}
        known = await ground.find_files(self._tx, self._task.scope, self._task.project_id, paths)
        return {path: row["fingerprint"] for path, row in known.items() if row["fingerprint"]}

    async def _flag(self, item_id: str, flag: str) -> None:
        task, tx = self._task, self._tx
        row = await items.hold_item(tx, task.scope, item_id)
        if row is None:
            return
        item = records.to_item(row)
        flagged = dataclasses.replace(item, flags=tuple(sorted({*item.flags, flag})))
        if await items.change_item(tx, task.scope, row, flagged, reason="flagged"):
            await items.tell(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, item_id, flagged)
            self.touched |= item.status == "approved"

    async def take_digest(self, digest: Digest, event_id: str) -> None:
        """Commits of a branch are noted; on the default branch they bring in the branches they belong to."""
        task, tx = self._task, self._tx
        if digest.branch and not branches.is_default(digest.branch, digest.default_branch):
            await ground.note_commits(tx, task.scope, task.project_id, digest.branch, digest, event_id)
            return
        concerned = await ground.branches_with(tx, task.scope, task.project_id, digest.commits)
        known = await ground.heads(tx, task.scope, task.project_id, concerned)
        merged = sorted(branches.merged(known, set(digest.commits), set(digest.merged_branches)))
        if not merged:
            return
        freed = await ground.list_unmerged(tx, task.scope, task.project_id, merged)
        await ground.forget_branches(tx, task.scope, task.project_id, merged)
        for item_id in freed:
            await self._free(item_id)
        await self.against_memory(freed, set(), set())

    async def _free(self, item_id: str) -> None:
        task, tx = self._task, self._tx
        row = await items.hold_item(tx, task.scope, item_id)
        if row is None:
            return
        item = records.to_item(row)
        await items.change_item(tx, task.scope, row, item, reason="merged branch", merged_at_ms=clock.now_ms())
        self.touched |= item.status == "approved"

    async def take_files(self, changes: tuple[FileChange, ...], event_id: str) -> None:
        """Files that have changed or gone since an item was learnt make it stale.

        Not so what this session itself has learnt or confirmed: the change is the work it speaks of.
        """
        for start in range(0, len(changes), _FILES_AT_ONCE):
            await self._take_files(changes[start : start + _FILES_AT_ONCE], event_id)

    async def _take_files(self, changes: tuple[FileChange, ...], event_id: str) -> None:
        task, tx = self._task, self._tx
        now = {change.path: FileNow(change.fingerprint, change.deleted) for change in changes}
        holding = await ground.list_holding(tx, task.scope, task.project_id, list(now))
        told, known = await self._holding(holding, event_id, are_some_gone=any(file.deleted for file in now.values()))
        for item_id in sorted(drift.stale_items(now, known)):
            await self._flag(item_id, "stale")
        await ground.see_files(tx, task.scope, task.project_id, changes, event_id)
        for item_id in sorted(told):
            held = await items.hold_item(tx, task.scope, item_id)
            assert held is not None
            item = records.to_item(held)
            known_now = {path: now[path].fingerprint for path in item.files if path in now}
            await items.change_item(tx, task.scope, held, item, reason="flagged", fingerprints=known_now)

    async def _holding(
        self, holding: list[Row], event_id: str, *, are_some_gone: bool
    ) -> tuple[set[str], list[Holding]]:
        """Which items this session has told, or this event or a later one speaks of; and the rest with their files."""
        task, tx = self._task, self._tx
        rows = await items.list_by_ids(tx, task.scope, {row["item_id"] for row in holding})
        known = await origins.to_items(tx, task.scope, rows)
        told = {
            row["id"]
            for row in rows
            if row["session_id"] == task.session_id
            or any(quote.event_id >= event_id for quote in known[row["id"]].evidence)
        }
        paths = {path for item in known.values() if item.id not in told for path in item.files if are_some_gone}
        seen = await ground.find_files(tx, task.scope, task.project_id, sorted(paths)) if paths else {}
        gone = {path for path, row in seen.items() if row["deleted"]}
        fingerprints: dict[str, dict[str, str | None]] = {}
        for row in holding:
            fingerprints.setdefault(row["item_id"], {})[row["path"]] = row["fingerprint"]
        return told, [Holding(item, fingerprints[item.id], gone) for item in known.values() if item.id not in told]


def _same_ground(one: Row, another: Row) -> bool:
    """Whether both speak of the same line of work: what a branch does differently is no conflict before its merge."""
    return _open_branch(one) == _open_branch(another)


def _open_branch(row: Row) -> str | None:
    return None if row["merged_at_ms"] is not None else row["branch"]


async def _end(task: Task, tx: Tx) -> None:
    """The session is done: counters, the model that ran, and the word to webhooks, all with the last stage."""
    await store.count_extracted(
        tx, task.scope, task.session_id, task.progress.items_extracted, task.progress.model or task.builtin_name
    )
    await task.complete_session(tx)
    await task.keep(tx)
    data = {
        "sessionId": task.session_id,
        "itemsExtracted": task.progress.items_extracted,
        "duration": task.run.total_ms(),
        "jobId": task.job_id,
    }
    await outbox.emit(tx, task.scope, WebhookEvent.ENRICHMENT_COMPLETED, task.project_id, data)
    await queue.complete(tx, task.run.job)  # with the session, so that who is told of one sees both done
