"""Applying each type of action to its items. Everything except a redaction can be undone exactly."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from loremark.base.caller import Caller
from loremark.features.enrichment.records import text_hash
from loremark.features.history.store import encode
from loremark.features.hygiene import store
from loremark.features.hygiene.records import PlannedAction, affected_items
from loremark.features.items import records
from loremark.features.items.service import change_item, emit_item_event
from loremark.features.items.store import lock_by_ids, queue_embedding
from loremark.memory.hygiene import duplicates, quality, redaction
from loremark.memory.items import TIER_OF_TYPE, Item
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.hygiene import HygieneActionType

REASON = "hygiene"
"""Reason stored with the revisions."""
_SNAPSHOT_BATCH = 50


@dataclasses.dataclass
class PlanExecution:
    """State while a plan is applied or undone. ``versions`` include the plan's own changes."""

    tx: Tx
    caller: Caller
    project_id: str
    versions: dict[str, int]
    touched: bool = False
    changed: dict[str, tuple[int, int]] = dataclasses.field(default_factory=dict)
    """Items changed by the current action, with the version before and after."""

    async def change(self, row: Row, after: Item, superseded_by: str | None, reason: str = REASON) -> None:
        """Change an item and emit the webhook event."""
        before = records.to_item(row)
        changed = await change_item(
            self.tx,
            self.caller.scope,
            row,
            after,
            reason=reason,
            actor_id=self.caller.user_id,
            superseded_by=superseded_by,
        )
        if not changed:
            return
        self.versions[row["id"]] = row["version"] + 1
        self.changed[row["id"]] = (row["version"], row["version"] + 1)
        self.touched |= "approved" in (before.status, after.status)
        retired = after.status == "deprecated" and before.status != "deprecated"
        event = WebhookEvent.ITEM_DEPRECATED if retired else WebhookEvent.ITEM_UPDATED
        await emit_item_event(self.tx, self.caller.scope, event, self.project_id, row["id"], after)


async def apply(execution: PlanExecution, action: PlannedAction) -> bool:
    """Apply an action. Returns False, without changes, if anything but the plan has changed an item since."""
    item_ids = affected_items(action)
    rows = {row["id"]: row for row in await lock_by_ids(execution.tx, execution.caller.scope, item_ids)}
    for item_id in item_ids:
        row = rows.get(item_id)
        if (
            row is None
            or row["project_id"] != execution.project_id
            or row["version"] != execution.versions.get(item_id)
        ):
            return False
    execution.changed = {}
    await _APPLY[action.type](execution, action, [rows[item_id] for item_id in action.item_ids])
    action.changed = execution.changed
    return True


async def _rename(execution: PlanExecution, action: PlannedAction, rows: list[Row]) -> None:
    assert action.after is not None
    renamed = dataclasses.replace(records.to_item(rows[0]), title=action.after)
    await execution.change(rows[0], renamed, rows[0]["superseded_by"])


async def _retag(execution: PlanExecution, action: PlannedAction, rows: list[Row]) -> None:
    item = records.to_item(rows[0])
    kind = action.new_type or item.type
    # Keep a tier that was set explicitly; otherwise it follows the type.
    tier = TIER_OF_TYPE[kind] if item.tier == TIER_OF_TYPE[item.type] else item.tier
    tagged = dataclasses.replace(item, type=kind, tier=tier, schema_key=action.new_key or item.schema_key)
    await execution.change(rows[0], tagged, rows[0]["superseded_by"])


async def _deprecate(execution: PlanExecution, action: PlannedAction, rows: list[Row]) -> None:
    retired = dataclasses.replace(records.to_item(rows[0]), status="deprecated")
    await execution.change(rows[0], retired, action.successor or rows[0]["superseded_by"])


async def _flag(execution: PlanExecution, action: PlannedAction, rows: list[Row]) -> None:
    item = records.to_item(rows[0])
    flagged = dataclasses.replace(item, flags=tuple(sorted({*item.flags, quality.FLAG})))
    await execution.change(rows[0], flagged, rows[0]["superseded_by"])


async def _merge(execution: PlanExecution, action: PlannedAction, rows: list[Row]) -> None:
    """Deprecate the duplicates before changing the surviving item, so that reverting it restores them."""
    survivor, *others = [records.to_item(row) for row in rows]
    for row, item in zip(rows[1:], others, strict=True):
        await execution.change(row, dataclasses.replace(item, status="deprecated"), survivor.id)
    await execution.change(rows[0], duplicates.merged(survivor, others), rows[0]["superseded_by"])


async def _redact(execution: PlanExecution, action: PlannedAction, rows: list[Row]) -> None:
    """Redact the item, its search index entry and its history."""
    row = rows[0]
    item = records.to_item(row)
    cleaned = redaction.clean_item(item)
    flagged = dataclasses.replace(cleaned, flags=tuple(sorted({*item.flags, redaction.FLAG})))
    await execution.change(row, flagged, row["superseded_by"])
    hashes = await _clean_history(execution, row["id"])
    await store.delete_vectors(execution.tx, execution.caller.scope, execution.project_id, row["id"], sorted(hashes))
    await queue_embedding(execution.tx, execution.caller.scope, execution.project_id, row["id"])


async def _clean_history(execution: PlanExecution, item_id: str) -> set[str]:
    """Redact the item's revisions; return the hashes of embedded texts that contained secrets."""
    hashes: set[str] = set()
    after = 0
    while True:
        found = await store.list_snapshots(
            execution.tx, execution.caller.scope, item_id, after=after, take=_SNAPSHOT_BATCH
        )
        for row in found:
            snapshot: dict[str, Any] = msgspec.json.decode(row["snapshot"])
            cleaned = redaction.clean_snapshot(snapshot)
            if cleaned != snapshot:
                hashes.add(text_hash(records.item_text(records.from_snapshot(item_id, snapshot))))
                await store.rewrite_snapshot(
                    execution.tx, execution.caller.scope, item_id, row["version"], encode(cleaned)
                )
        if len(found) < _SNAPSHOT_BATCH:
            return hashes
        after = found[-1]["version"]


_APPLY: dict[HygieneActionType, Callable[[PlanExecution, PlannedAction, list[Row]], Awaitable[None]]] = {
    "RENAME_TITLE": _rename,
    "RETAG": _retag,
    "MERGE_MEMORIES": _merge,
    "DEPRECATE_MEMORY": _deprecate,
    "REDACT": _redact,
    "FLAG_QUALITY": _flag,
}
