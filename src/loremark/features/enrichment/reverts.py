"""Reverted commits: what was learned from them no longer holds, until the revert is reverted itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import msgspec
from sqlalchemy import bindparam, select

from loremark.base.caller import Scope
from loremark.features.enrichment import store
from loremark.features.enrichment.records import RevertCandidate, decode
from loremark.features.enrichment.task import Task
from loremark.features.history import store as history
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.memory.commit_hashes import is_same_commit
from loremark.memory.extraction.commit_reverts import subject_of_revert
from loremark.memory.extraction.results import Revert
from loremark.memory.items import Item
from loremark.memory.reverted_items import (
    add_mark,
    find_effect,
    find_marks,
    remove_marks,
    rests_on_reverted_only,
)
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import items as items_table
from loremark.wire.events import WebhookEvent

REVERTED = "commit reverted"
RESTORED = "commit restored"
_STALE = "stale"
_BATCH = 48
_MAX_ITEMS = 50
_QUOTING = Sql(
    select(items_table.c.id)
    .where(
        items_table.c.team_id == bindparam("scope"),
        items_table.c.project_id == bindparam("of_project"),
        items_table.c.evidence.like(bindparam("pattern"), escape="!"),
    )
    .order_by(items_table.c.id.desc())
    .limit(_MAX_ITEMS)
)


async def apply_reverts(task: Task) -> list[str]:
    """Apply the reverts of the job, before its items are approved. Return the ids of the items that hold again."""
    restored: dict[str, None] = {}
    after = 0
    while True:
        async with task.run.step() as tx:
            await items.lock_memory(tx, task.scope, task.project_id)
            rows = await store.list_reverts(tx, task.scope, task.job_id, after=after, take=_BATCH)
            for row in rows:
                candidate = decode(row["content"])
                if isinstance(candidate, RevertCandidate):
                    restored |= dict.fromkeys(await apply_revert(task, tx, candidate.revert))
                await store.set_outcome(tx, task.scope, task.job_id, row["position"], "applied")
        if not rows:
            return list(restored)
        after = rows[-1]["position"]


async def apply_revert(task: Task, tx: Tx, revert: Revert) -> list[str]:
    """Mark the items of the reverted commit, or restore those that the reverted revert marked; return the latter."""
    successor = await _find_explanation(tx, task, revert)
    quoting = await _find_quoting(tx, task.scope, task.project_id, revert)
    rows = [row for row in quoting if row["id"] != successor and _is_on_branch(row, revert)]
    effects = {row["id"]: find_effect(records.to_item(row), revert) for row in rows}
    restored = [item_id for item_id, effect in effects.items() if effect == "restored"]
    for item_id in restored:
        await _restore(task, tx, item_id, {row["id"] for row in quoting})
    for row in rows:
        if effects[row["id"]] == "reverted" and row["status"] != "deprecated":
            await _mark(task, tx, row["id"], revert, successor or (restored[0] if restored else None))
    return restored


async def _find_quoting(tx: Tx, scope: Scope, project_id: str, revert: Revert) -> list[Row]:
    """Return the items that may quote the reverted commit, or the commit that a reverted revert undid."""
    subject = subject_of_revert(revert.subject) or revert.subject
    texts = [f'"commitSha":"{revert.sha}'] if revert.sha else []
    # As it is stored, without the number of its pull request.
    texts += [msgspec.json.encode(subject.partition(" (#")[0]).decode()[1:-1]] if subject else []
    return await _list_quoting(tx, scope, project_id, texts)


async def _list_quoting(tx: Tx, scope: Scope, project_id: str, texts: Sequence[str]) -> list[Row]:
    found: dict[str, None] = {}
    for text in texts:
        escaped = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        rows = await tx.many(_QUOTING, scope=scope, of_project=project_id, pattern=f"%{escaped}%")
        found |= dict.fromkeys(row["id"] for row in rows)
    return await items.list_by_ids(tx, scope, list(found)) if found else []


async def _find_explanation(tx: Tx, task: Task, revert: Revert) -> str | None:
    """Return the item that says why the commit was reverted."""
    if not revert.by_sha:
        return None
    rows = await _list_quoting(tx, task.scope, task.project_id, [f'"commitSha":"{revert.by_sha}"'])
    for row in rows:
        item = records.to_item(row)
        is_marked = any(is_same_commit(mark.commit_sha, revert.by_sha) for mark in find_marks(item))
        if item.status != "deprecated" and not is_marked:
            return str(row["id"])
    return None


def _is_on_branch(row: Row, revert: Revert) -> bool:
    """Whether the revert was made where the item holds. One on an open branch says nothing about the others."""
    open_branch = None if row["merged_at_ms"] is not None else row["branch"]
    return revert.branch is None or revert.branch == open_branch


async def _mark(task: Task, tx: Tx, item_id: str, revert: Revert, successor: str | None) -> None:
    """Point the item to the one that explains the revert, or flag it. A draft is not left for review."""
    row = await items.lock_item(tx, task.scope, item_id)
    if row is None:
        return
    item = add_mark(records.to_item(row), revert)
    if rests_on_reverted_only(records.to_item(row), revert):
        item = dataclasses.replace(item, status="deprecated" if item.status == "draft" else item.status)
        if successor is None:
            item = _with_stale(item)
        await _change(task, tx, row, item, REVERTED, successor or row["superseded_by"])
    else:  # something else supports it too
        await _change(task, tx, row, _with_stale(item), REVERTED, row["superseded_by"])


async def _restore(task: Task, tx: Tx, item_id: str, explanations: Collection[str]) -> None:
    """Undo ``_mark``. What replaced the item for another reason than the revert still does."""
    row = await items.lock_item(tx, task.scope, item_id)
    if row is None:
        return
    item = remove_marks(records.to_item(row))
    item = dataclasses.replace(item, flags=tuple(flag for flag in item.flags if flag != _STALE))
    if item.status == "deprecated":
        revisions = await history.list_revisions(tx, task.scope, item_id, None, 1)
        if revisions and revisions[0]["reason"] == REVERTED:  # not a person's decision
            item = dataclasses.replace(item, status="draft")
    kept = None if row["superseded_by"] in explanations else row["superseded_by"]
    await _change(task, tx, row, item, RESTORED, kept)


def _with_stale(item: Item) -> Item:
    return dataclasses.replace(item, flags=tuple(sorted({*item.flags, _STALE})))


async def _change(task: Task, tx: Tx, row: Row, item: Item, reason: str, successor: str | None) -> None:
    if not await items.change_item(tx, task.scope, row, item, reason=reason, superseded_by=successor):
        return
    retired = item.status == "deprecated" and row["status"] != "deprecated"
    event = WebhookEvent.ITEM_DEPRECATED if retired else WebhookEvent.ITEM_UPDATED
    await items.emit_item_event(tx, task.scope, event, task.project_id, row["id"], item)
    if "approved" in (row["status"], item.status):
        await items.touch_memory(tx, task.scope, task.project_id)
