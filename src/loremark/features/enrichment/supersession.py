"""Marks an item as replaced by a newer one that is served wherever it was."""

from __future__ import annotations

import dataclasses

from loremark.features.enrichment.task import Task
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.memory.branches import is_default_branch
from loremark.memory.briefing.relevance import is_served
from loremark.memory.items import Item
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent


def is_current(row: Row) -> bool:
    return row["superseded_by"] is None and row["status"] != "deprecated"


def may_replace(task: Task, row: Row, newer: Item, *, is_merged: bool = False) -> bool:
    """Whether a newer item may take this one's place: it is served wherever this one is, or neither is served.

    ``is_merged``: the newer one's branch was merged.
    """
    if not is_current(row) or newer.status == "deprecated":
        return False
    branch = _open_branch(newer.branch, is_merged=is_merged)
    if branch is not None and branch != _open_branch(row["branch"], is_merged=row["merged_at_ms"] is not None):
        return False
    return not is_served(records.to_item(row)) or _will_be_served(task, newer)


def _will_be_served(task: Task, item: Item) -> bool:
    """Whether a new item is served, once the next stage has approved it if it is confident."""
    if task.project["show_unreviewed"] or item.status == "approved":
        return is_served(item)
    return (
        is_served(item) and item.confidence >= task.project["auto_approve_threshold"] and "redacted" not in item.flags
    )


def _open_branch(branch: str | None, *, is_merged: bool) -> str | None:
    return None if is_merged or is_default_branch(branch, None) else branch


async def supersede(task: Task, tx: Tx, row: Row, newer_id: str) -> Row:
    """Record that an item was replaced, if the newer one may; return its row.

    It is no longer served. What was approved stays so until a person decides.
    """
    locked, newer = await items.lock_item(tx, task.scope, row["id"]), await items.find_item(tx, task.scope, newer_id)
    assert locked is not None
    assert newer is not None
    if not may_replace(task, locked, records.to_item(newer), is_merged=newer["merged_at_ms"] is not None):
        return locked
    known = records.to_item(locked)
    changed = dataclasses.replace(known, status="deprecated") if known.status == "draft" else known
    return await _change(task, tx, locked, changed, "superseded", newer_id)


async def withdraw(task: Task, tx: Tx, row: Row, newer_id: str) -> Row:
    """Deprecate an item whose later version says that it is outdated. What a person approved is only flagged."""
    locked = await items.lock_item(tx, task.scope, row["id"])
    assert locked is not None
    known = records.to_item(locked)
    if known.status == "approved" and known.reviewed:
        flagged = dataclasses.replace(known, flags=tuple(sorted({*known.flags, items.STALE})))
        return await _change(task, tx, locked, flagged, "flagged", locked["superseded_by"])
    retired = dataclasses.replace(known, status="deprecated")
    return await _change(task, tx, locked, retired, "superseded", newer_id)


async def _change(task: Task, tx: Tx, row: Row, after: Item, reason: str, successor: str | None) -> Row:
    if await items.change_item(tx, task.scope, row, after, reason=reason, superseded_by=successor):
        await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, row["id"], after)
        if row["status"] == "approved":
            await items.touch_memory(tx, task.scope, task.project_id)
    updated = await items.find_item(tx, task.scope, row["id"])
    assert updated is not None
    return updated
