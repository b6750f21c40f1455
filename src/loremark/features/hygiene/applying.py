"""What each kind of action does to its items. Everything but a redaction can be reverted to the same bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from loremark.base.caller import Caller
from loremark.features.enrichment.records import text_hash
from loremark.features.history.store import encode
from loremark.features.hygiene import store
from loremark.features.hygiene.records import Kept, concerned
from loremark.features.items import records
from loremark.features.items.service import change_item, tell
from loremark.features.items.store import hold_by_ids, want_vector
from loremark.memory.hygiene import duplicates, quality, redacting
from loremark.memory.items import TIER_OF_TYPE, Item
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.hygiene import HygieneActionType

REASON = "hygiene"
"""Why there is a revision."""
_SNAPSHOTS_AT_ONCE = 50


@dataclasses.dataclass
class Work:
    """One application of a plan. ``versions`` grow with what is done: the plan's own changes are not another's."""

    tx: Tx
    caller: Caller
    project_id: str
    versions: dict[str, int]
    touched: bool = False
    changed: dict[str, tuple[int, int]] = dataclasses.field(default_factory=dict)
    """What the action at hand has done: of each item, the version before and after."""

    async def change(self, row: Row, after: Item, superseded_by: str | None, reason: str = REASON) -> None:
        """Give an item its new state, and tell of it."""
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
        await tell(self.tx, self.caller.scope, event, self.project_id, row["id"], after)


async def apply(work: Work, action: Kept) -> bool:
    """False, and nothing done, when an item is not what it was when the plan was made, but for the plan's own doing."""
    wanted = concerned(action)
    rows = {row["id"]: row for row in await hold_by_ids(work.tx, work.caller.scope, wanted)}
    for item_id in wanted:
        row = rows.get(item_id)
        if row is None or row["project_id"] != work.project_id or row["version"] != work.versions.get(item_id):
            return False
    work.changed = {}
    await _DO[action.type](work, action, [rows[item_id] for item_id in action.item_ids])
    action.changed = work.changed
    return True


async def _rename(work: Work, action: Kept, rows: list[Row]) -> None:
    assert action.after is not None
    renamed = dataclasses.replace(records.to_item(rows[0]), title=action.after)
    await work.change(rows[0], renamed, rows[0]["superseded_by"])


async def _retag(work: Work, action: Kept, rows: list[Row]) -> None:
    item = records.to_item(rows[0])
    kind = action.new_type or item.type
    # A tier that somebody chose stays; one that followed from the type goes on to do so.
    tier = TIER_OF_TYPE[kind] if item.tier == TIER_OF_TYPE[item.type] else item.tier
    tagged = dataclasses.replace(item, type=kind, tier=tier, schema_key=action.new_key or item.schema_key)
    await work.change(rows[0], tagged, rows[0]["superseded_by"])


async def _deprecate(work: Work, action: Kept, rows: list[Row]) -> None:
    retired = dataclasses.replace(records.to_item(rows[0]), status="deprecated")
    await work.change(rows[0], retired, action.successor or rows[0]["superseded_by"])


async def _flag(work: Work, action: Kept, rows: list[Row]) -> None:
    item = records.to_item(rows[0])
    flagged = dataclasses.replace(item, flags=tuple(sorted({*item.flags, quality.FLAG})))
    await work.change(rows[0], flagged, rows[0]["superseded_by"])


async def _merge(work: Work, action: Kept, rows: list[Row]) -> None:
    """The others go before the one that stays: going back on it gives them back."""
    stays, *others = [records.to_item(row) for row in rows]
    for row, item in zip(rows[1:], others, strict=True):
        await work.change(row, dataclasses.replace(item, status="deprecated"), stays.id)
    await work.change(rows[0], duplicates.merged(stays, others), rows[0]["superseded_by"])


async def _redact(work: Work, action: Kept, rows: list[Row]) -> None:
    """Out of the item, of what it is found by, and of every state it has had."""
    row = rows[0]
    item = records.to_item(row)
    cleaned = redacting.clean_item(item)
    flagged = dataclasses.replace(cleaned, flags=tuple(sorted({*item.flags, redacting.FLAG})))
    await work.change(row, flagged, row["superseded_by"])
    hashes = await _clean_history(work, row["id"])
    await store.forget_vectors(work.tx, work.caller.scope, work.project_id, row["id"], sorted(hashes))
    await want_vector(work.tx, work.caller.scope, work.project_id, row["id"])


async def _clean_history(work: Work, item_id: str) -> set[str]:
    """The hashes of the texts that were embedded and held something."""
    hashes: set[str] = set()
    after = 0
    while True:
        found = await store.list_snapshots(work.tx, work.caller.scope, item_id, after=after, take=_SNAPSHOTS_AT_ONCE)
        for row in found:
            snapshot: dict[str, Any] = msgspec.json.decode(row["snapshot"])
            cleaned = redacting.clean_snapshot(snapshot)
            if cleaned != snapshot:
                hashes.add(text_hash(records.item_text(records.from_snapshot(item_id, snapshot))))
                await store.rewrite_snapshot(work.tx, work.caller.scope, item_id, row["version"], encode(cleaned))
        if len(found) < _SNAPSHOTS_AT_ONCE:
            return hashes
        after = found[-1]["version"]


_DO: dict[HygieneActionType, Callable[[Work, Kept, list[Row]], Awaitable[None]]] = {
    "RENAME_TITLE": _rename,
    "RETAG": _retag,
    "MERGE_MEMORIES": _merge,
    "DEPRECATE_MEMORY": _deprecate,
    "REDACT": _redact,
    "FLAG_QUALITY": _flag,
}
