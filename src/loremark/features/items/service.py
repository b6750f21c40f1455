"""Creating and changing items. Every change creates a new version with a revision that can be restored.

Nothing here checks access rights; user requests go through ``editing``. Callers emit the webhook event
(``emit_item_event``) and, if the change can affect the brain, call ``touch_memory`` last.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

from msgspec import UNSET, UnsetType

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.features.history import store as history
from loremark.features.history.memory_version import lock_memory as lock_memory
from loremark.features.history.memory_version import touch_memory as touch_memory
from loremark.features.index import store as index
from loremark.features.items import records, store
from loremark.features.items.store import find_item as find_item
from loremark.features.items.store import list_by_ids as list_by_ids
from loremark.features.items.store import list_few_by_ids as list_few_by_ids
from loremark.features.items.store import lock_item as lock_item
from loremark.jobs import outbox
from loremark.jobs.notices import notify_changed
from loremark.memory.branches import is_default_branch
from loremark.memory.briefing.relevance import is_served
from loremark.memory.items import Item
from loremark.memory.reverted_items import find_marks
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

CONFLICT, STALE = "conflict", "stale"
PROPOSED_EDIT = "An event proposes this text for the approved item."
"""The reason recorded with the pair of an approved item and a draft of its new text."""


async def create_item(
    tx: Tx,
    scope: Scope,
    project_id: str,
    item: Item,
    *,
    session_id: str | None,
    source_ref: str | None,
    reason: str,
    actor_id: str | None = None,
    fingerprints: Mapping[str, str | None] | None = None,
    merged_at_ms: int | None = None,
) -> str:
    """Create an item and return its id."""
    item_id = ids.new("itm")
    columns = {
        **records.to_columns(item),
        "id": item_id,
        "project_id": project_id,
        "session_id": session_id,
        "source_ref": source_ref,
        "merged_at_ms": merged_at_ms,
        "superseded_by": None,
    }
    await store.insert_item(tx, scope, columns)
    await store.set_files(tx, scope, project_id, item_id, item.files, fingerprints)
    entry = records.to_entry(
        dataclasses.replace(item, id=item_id), session_id, clock.now_ms(), merged=merged_at_ms is not None
    )
    await index.upsert_entry(tx, scope, project_id, entry)
    await history.record(
        tx,
        scope,
        record_kind="item",
        record_id=item_id,
        project_id=project_id,
        version=1,
        snapshot=records.to_snapshot(item, None),
        reason=reason,
        actor_id=actor_id,
    )
    notify_changed(tx, scope, "items", project_id)
    return item_id


async def change_item(
    tx: Tx,
    scope: Scope,
    row: Row,
    item: Item,
    *,
    reason: str,
    actor_id: str | None = None,
    superseded_by: str | UnsetType | None = UNSET,
    merged_at_ms: int | UnsetType | None = UNSET,
    fingerprints: Mapping[str, str | None] | None = None,
) -> bool:
    """Write a new version of an item and return whether anything changed. The caller has locked ``row``.

    If the item is no longer served, what it replaced is current again. Fingerprints describe files, not the item's
    state, and are always written.
    """
    successor = row["superseded_by"] if superseded_by is UNSET else superseded_by
    merged_ms = row["merged_at_ms"] if merged_at_ms is UNSET else merged_at_ms
    snapshot = records.to_snapshot(item, successor)
    known = records.to_item(row)
    before = records.to_snapshot(known, row["superseded_by"])
    if snapshot["files"] != before["files"] or fingerprints:
        await store.set_files(tx, scope, row["project_id"], row["id"], item.files, fingerprints)
    if snapshot == before and merged_ms == row["merged_at_ms"]:
        return False
    version = row["version"] + 1
    columns = {
        **records.to_columns(item),
        "superseded_by": successor,
        "merged_at_ms": merged_ms,
        "version": version,
    }
    await store.update_item(tx, scope, row["id"], columns)
    entry = records.to_entry(
        dataclasses.replace(item, id=row["id"]),
        row["session_id"],
        row["created_at_ms"],
        merged=merged_ms is not None,
        superseded_by=successor,
    )
    await index.upsert_entry(tx, scope, row["project_id"], entry)
    if records.item_text(item) != records.item_text(known):
        await store.queue_embedding(tx, scope, row["project_id"], row["id"])
    await history.record(
        tx,
        scope,
        record_kind="item",
        record_id=row["id"],
        project_id=row["project_id"],
        version=version,
        snapshot=snapshot,
        reason=reason,
        actor_id=actor_id,
    )
    notify_changed(tx, scope, "items", row["project_id"])
    holds_there = merged_ms is not None or is_default_branch(item.branch, None) or item.branch == known.branch
    if not holds_there:
        await release_replaced(tx, scope, row["project_id"], row["id"], actor_id=actor_id)
    else:
        await _release_unless_served(tx, scope, row, dataclasses.replace(item, id=row["id"]), successor, actor_id)
    return True


async def _release_unless_served(
    tx: Tx, scope: Scope, row: Row, item: Item, successor: str | None, actor_id: str | None
) -> None:
    """Make current again what the item replaced, unless it is served, or another one in its place."""
    if successor is None and not await list_served(tx, scope, row["project_id"], [item]):
        await release_replaced(tx, scope, row["project_id"], row["id"], actor_id=actor_id)


async def list_served(tx: Tx, scope: Scope, project_id: str, found: Collection[Item]) -> set[str]:
    """Return the ids of those that briefings serve unless another one replaced them.

    A draft that contradicts others is not served, but one that contradicts only what it replaced is.
    """
    served = {item.id for item in found if is_served(item)}
    disputed = [item for item in found if CONFLICT in item.flags and item.id not in served]
    calm = {item.id for item in disputed if is_served(dataclasses.replace(item, flags=()))}
    return served | (await store.list_in_conflict_with_replaced(tx, scope, project_id, calm) if calm else set())


async def release_replaced(tx: Tx, scope: Scope, project_id: str, item_id: str, *, actor_id: str | None = None) -> None:
    """Make the approved items current again that this one replaced, directly or through items that it replaced.

    Otherwise neither would be served. The caller has locked the memory.
    """
    waiting, seen = [item_id], {item_id}
    is_touched = False
    while waiting:
        for other in await store.lock_superseded_by(tx, scope, project_id, waiting.pop()):
            item = records.to_item(other)
            if item.status == "approved":
                if find_marks(item):  # its commit was reverted
                    item = dataclasses.replace(item, flags=tuple(sorted({*item.flags, STALE})))
                await change_item(tx, scope, other, item, reason="current again", actor_id=actor_id, superseded_by=None)
                await emit_item_event(tx, scope, WebhookEvent.ITEM_UPDATED, project_id, other["id"], item)
                is_touched = True
            elif other["id"] not in seen:
                seen.add(other["id"])
                waiting.append(other["id"])
    if is_touched:
        await touch_memory(tx, scope, project_id)


async def detach_from_session(tx: Tx, scope: Scope, row: Row) -> Row:
    """Remove the reference to the session an item was created from. Return the new row, locked."""
    await store.clear_session(tx, scope, row["id"])
    is_merged = row["merged_at_ms"] is not None
    entry = records.to_entry(
        records.to_item(row), None, row["created_at_ms"], merged=is_merged, superseded_by=row["superseded_by"]
    )
    await index.upsert_entry(tx, scope, row["project_id"], entry)
    detached = await store.lock_item(tx, scope, row["id"])
    assert detached is not None
    return detached


async def emit_item_event(tx: Tx, scope: Scope, event: WebhookEvent, project_id: str, item_id: str, item: Item) -> None:
    data = {
        "itemId": item_id,
        "type": item.type,
        "title": item.title,
        "schemaKey": item.schema_key,
        "status": item.status,
    }
    await outbox.emit(tx, scope, event, project_id, data)


async def add_conflict(tx: Tx, scope: Scope, project_id: str, item_id: str, other_id: str, reason: str) -> None:
    """Record that two items contradict each other. The caller sets the ``conflict`` flag."""
    await store.create_conflict(tx, scope, project_id, item_id, other_id, reason)
    for row in await store.list_by_ids(tx, scope, [item_id, other_id]):
        await _release_unless_served(tx, scope, row, records.to_item(row), row["superseded_by"], None)


async def list_proposals(tx: Tx, scope: Scope, project_id: str, item_id: str) -> list[Row]:
    """List the drafts that propose a new text for an approved item."""
    return await store.lock_paired(tx, scope, project_id, item_id, PROPOSED_EDIT, "draft")


async def accept_proposal(tx: Tx, scope: Scope, row: Row, *, actor_id: str) -> None:
    """Deprecate the item whose text a newly approved draft replaces, if it was a proposal."""
    for other in await store.lock_paired(tx, scope, row["project_id"], row["id"], PROPOSED_EDIT, "approved"):
        retired = dataclasses.replace(records.to_item(other), status="deprecated")
        await change_item(tx, scope, other, retired, reason="superseded", actor_id=actor_id, superseded_by=row["id"])
        await emit_item_event(tx, scope, WebhookEvent.ITEM_DEPRECATED, row["project_id"], other["id"], retired)


async def clear_conflicts(
    tx: Tx, scope: Scope, project_id: str, item_id: str, *, actor_id: str | None = None
) -> list[str]:
    """Resolve an item's conflicts and return the ids of the items that lost their ``conflict`` flag."""
    involved = [item_id, *await store.list_conflicting(tx, scope, project_id, item_id)]
    await store.resolve_conflicts(tx, scope, project_id, item_id)
    remaining = await store.list_still_in_conflict(tx, scope, project_id, involved)
    settled = [one for one in involved if one not in remaining]
    return await _set_conflict_flags(tx, scope, project_id, settled, actor_id, flagged=False)


async def restore_conflicts(
    tx: Tx, scope: Scope, project_id: str, item_id: str, since_ms: int, *, actor_id: str | None = None
) -> None:
    """Restore the conflicts that an item lost since then. Both sides are flagged again, unless they are deprecated."""
    await store.restore_conflicts(tx, scope, project_id, item_id, since_ms)
    others = await store.list_conflicting(tx, scope, project_id, item_id)
    await _set_conflict_flags(tx, scope, project_id, others, actor_id, flagged=True)


async def _set_conflict_flags(
    tx: Tx, scope: Scope, project_id: str, item_ids: Collection[str], actor_id: str | None, *, flagged: bool
) -> list[str]:
    """Add or remove the ``conflict`` flag and return the ids of the items that changed."""
    changed: list[str] = []
    for locked in await store.lock_by_ids(tx, scope, item_ids):
        row = await store.lock_item(tx, scope, locked["id"])  # changing another one may have changed it
        assert row is not None
        item = records.to_item(row)
        flags = tuple(flag for flag in item.flags if flag != CONFLICT)
        if flagged and item.status != "deprecated":
            flags = (*flags, CONFLICT)
        after = dataclasses.replace(item, flags=flags)
        if await change_item(tx, scope, row, after, reason="flagged", actor_id=actor_id):
            await emit_item_event(tx, scope, WebhookEvent.ITEM_UPDATED, project_id, row["id"], after)
            changed.append(row["id"])
    return changed
