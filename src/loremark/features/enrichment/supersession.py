"""Marks an item as replaced by a newer one."""

from __future__ import annotations

import dataclasses

from loremark.features.enrichment.task import Task
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent


async def supersede(task: Task, tx: Tx, row: Row, newer_id: str) -> Row:
    """Record that an item was replaced. It is no longer served; what was approved stays so until a person decides."""
    locked = await items.lock_item(tx, task.scope, row["id"])
    assert locked is not None
    known = records.to_item(locked)
    changed = dataclasses.replace(known, status="deprecated") if known.status == "draft" else known
    if await items.change_item(tx, task.scope, locked, changed, reason="superseded", superseded_by=newer_id):
        await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, known.id, changed)
        if known.status == "approved":
            await items.touch_memory(tx, task.scope, task.project_id)
    updated = await items.find_item(tx, task.scope, row["id"])
    assert updated is not None
    return updated
