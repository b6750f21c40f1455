"""Item operations available to users: edit, approve, deprecate, delete and revert."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from loremark.base import clock, errors
from loremark.base.caller import Caller, Scope
from loremark.base.redaction.written import redact_structs
from loremark.features.audit import store as audit
from loremark.features.history import store as history
from loremark.features.items import records, store
from loremark.features.items.service import (
    CONFLICT,
    STALE,
    accept_proposal,
    change_item,
    clear_conflicts,
    emit_item_event,
    lock_memory,
    restore_conflicts,
    touch_memory,
)
from loremark.features.projects.access import Access, get_project
from loremark.jobs.notices import notify_changed
from loremark.memory.items import TIER_OF_TYPE, Item
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent
from loremark.wire.items import Evidence, ItemUpdate, MemoryItem

_REVIEW_FLAGS = frozenset((STALE, "low_confidence", "quality"))
"""Flags cleared when a user edits or approves an item."""
_SIMPLE_FIELDS = ("title", "content", "type", "status", "schema_key", "tier", "branch")


def shape(row: Row) -> MemoryItem:
    item = records.to_item(row)
    return MemoryItem(
        id=item.id,
        title=item.title,
        content=item.content,
        type=item.type,
        schema_key=item.schema_key,
        status=row["status"],
        confidence=item.confidence,
        source_ref=row["source_ref"],
        files=list(item.files),
        created_at=clock.iso(row["created_at_ms"]),
        updated_at=clock.iso(row["updated_at_ms"]),
        project_id=row["project_id"],
        tier=item.tier,
        tags=list(item.tags),
        evidence=[
            Evidence(event_id=quote.event_id, quote=quote.quote, commit_sha=quote.commit_sha or None)
            for quote in item.evidence
        ],
        flags=msgspec.json.decode(row["flags"]),
        superseded_by=row["superseded_by"],
        merged_from=list(item.merged_from),
        branch=item.branch,
        version=row["version"],
        reviewed=item.reviewed,
    )


async def get_item(tx: Tx, caller: Caller, item_id: str, access: Access) -> Row:
    """Return the item if the caller has the requested right, locked for update unless it is only read."""
    item = await store.find_item(tx, caller.scope, item_id)
    if item is None:
        raise errors.ITEM_NOT_FOUND()
    try:
        await get_project(tx, caller, item["project_id"], access)
    except errors.Refusal as refusal:
        raise errors.ITEM_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    if access is Access.READ:
        return item
    await lock_memory(tx, caller.scope, item["project_id"])
    locked = await store.lock_item(tx, caller.scope, item_id)
    if locked is None:
        raise errors.ITEM_NOT_FOUND()
    return locked


async def require_seen_text(tx: Tx, caller: Caller, row: Row, change: ItemUpdate) -> None:
    """Raise if the text is not that of the given version: an event may have changed it since a reviewer read it."""
    if change.version is UNSET or int(change.version) == row["version"]:
        return
    revision = await history.find_revision(tx, caller.scope, row["id"], int(change.version))
    seen = msgspec.json.decode(revision["snapshot"]) if revision is not None else {}
    if any(seen.get(name) != row[name] for name in ("title", "content")):
        raise errors.PRECONDITION_FAILED()


async def without_secrets(change: ItemUpdate) -> ItemUpdate:
    """Remove secrets from the texts, which can take a second, so not in a transaction."""
    return (await redact_structs([change], "title", "content"))[0]


async def update_item(tx: Tx, caller: Caller, row: Row, change: ItemUpdate) -> None:
    """Apply the given fields, without secrets, and clear the flags that a user's edit or approval resolves."""
    before = records.to_item(row)
    given = {name: getattr(change, name) for name in _SIMPLE_FIELDS if getattr(change, name) is not UNSET}
    given |= {name: tuple(getattr(change, name)) for name in ("tags", "files") if getattr(change, name) is not UNSET}
    if not given:
        return
    if "tier" in given:
        given["tier"] = int(given["tier"])
    if "type" in given and "tier" not in given and before.tier == TIER_OF_TYPE[before.type]:
        given["tier"] = TIER_OF_TYPE[given["type"]]
    resolves_conflict = bool(given.keys() & {"title", "content", "status"})
    if resolves_conflict:
        given["reviewed"] = given.get("status", before.status) == "approved"
    cleared = {CONFLICT} if resolves_conflict else set()
    if given.keys() - {"status", "reviewed"} or given.get("status") == "approved":
        cleared |= _REVIEW_FLAGS
    after = dataclasses.replace(before, **given, flags=tuple(flag for flag in before.flags if flag not in cleared))
    superseded_by = row["superseded_by"] if after.status == "deprecated" else None
    moved = after.status != before.status and after.status in ("approved", "deprecated")
    changed = await change_item(
        tx,
        caller.scope,
        row,
        after,
        reason=after.status if moved else "edited",
        actor_id=caller.user_id,
        superseded_by=superseded_by,
    )
    others: list[str] = []
    if before.status != "approved" and after.status == "approved":
        await accept_proposal(tx, caller.scope, row, actor_id=caller.user_id)
    if resolves_conflict:
        others = await clear_conflicts(tx, caller.scope, row["project_id"], row["id"], actor_id=caller.user_id)
    if changed:
        await _emit_change(tx, caller, row, before, after)
    if others or (changed and "approved" in (before.status, after.status)):
        await touch_memory(tx, caller.scope, row["project_id"])


async def report_outdated(tx: Tx, caller: Caller, row: Row) -> None:
    """Deprecate the item on an agent's word. What a person has approved is only flagged as stale, for a review."""
    before = records.to_item(row)
    if before.status != "approved" or not before.reviewed:
        await update_item(tx, caller, row, ItemUpdate(status="deprecated"))
        return
    after = dataclasses.replace(before, flags=tuple(sorted({*before.flags, STALE})))
    if await change_item(tx, caller.scope, row, after, reason="flagged", actor_id=caller.user_id):
        await _emit_change(tx, caller, row, before, after)
        await touch_memory(tx, caller.scope, row["project_id"])


async def _emit_change(tx: Tx, caller: Caller, row: Row, before: Item, after: Item) -> None:
    retired = after.status == "deprecated" and before.status != "deprecated"
    event = WebhookEvent.ITEM_DEPRECATED if retired else WebhookEvent.ITEM_UPDATED
    await emit_item_event(tx, caller.scope, event, row["project_id"], row["id"], after)


async def delete_item(tx: Tx, caller: Caller, row: Row) -> None:
    """Delete the item on a user's request."""
    affects_brain = await remove_item(tx, caller.scope, row, caller.user_id)
    await audit.record(tx, caller, "item.deleted", row["id"], project_id=row["project_id"], title=row["title"])
    if affects_brain:
        await touch_memory(tx, caller.scope, row["project_id"])


async def remove_item(tx: Tx, scope: Scope, row: Row, actor_id: str | None) -> bool:
    """Delete the item with its history. Items it superseded stay deprecated, without a successor.

    Return whether this can affect the brain.
    """
    project_id, item_id = row["project_id"], row["id"]
    await store.delete_item(tx, scope, project_id, item_id)
    await history.delete_revisions(tx, scope, item_id)
    others = await clear_conflicts(tx, scope, project_id, item_id, actor_id=actor_id)
    await store.delete_conflicts(tx, scope, project_id, item_id)
    for other in await store.lock_superseded_by(tx, scope, project_id, item_id):
        await change_item(
            tx,
            scope,
            other,
            records.to_item(other),
            reason="edited",
            actor_id=actor_id,
            superseded_by=None,
        )
    notify_changed(tx, scope, "items", project_id)
    return bool(others) or row["status"] == "approved"


async def revert_item(tx: Tx, caller: Caller, row: Row, version: int) -> None:
    """Restore an earlier version as a new one, reviewed if it was. Merges made since then are undone."""
    revision = await history.find_revision(tx, caller.scope, row["id"], version)
    if revision is None:
        raise errors.REVISION_NOT_FOUND()
    snapshot = msgspec.json.decode(revision["snapshot"])
    before, after = records.to_item(row), records.from_snapshot(row["id"], snapshot)
    successor = snapshot["supersededBy"]
    if successor is not None and await store.find_item(tx, caller.scope, successor) is None:
        successor = None
    changed = await change_item(
        tx, caller.scope, row, after, reason="reverted", actor_id=caller.user_id, superseded_by=successor
    )
    if changed:
        if CONFLICT in after.flags:
            await restore_conflicts(
                tx, caller.scope, row["project_id"], row["id"], revision["created_at_ms"], actor_id=caller.user_id
            )
        else:
            await clear_conflicts(tx, caller.scope, row["project_id"], row["id"], actor_id=caller.user_id)
        await _restore_merged_since(tx, caller, row, after)
        await _supersede_again(tx, caller, row, after)
        await _emit_change(tx, caller, row, before, after)
        await touch_memory(tx, caller.scope, row["project_id"])


async def _restore_merged_since(tx: Tx, caller: Caller, row: Row, after: Item) -> None:
    """Restore items merged into this one after the version being reverted to."""
    for other in await store.lock_superseded_by(tx, caller.scope, row["project_id"], row["id"]):
        if other["status"] != "deprecated" or other["id"] in after.merged_from:
            continue
        earlier = await _before_merge(tx, caller, other["id"], row["id"])
        restored = dataclasses.replace(records.to_item(other), status=earlier.get("status", "draft"))
        await change_item(
            tx,
            caller.scope,
            other,
            restored,
            reason="reverted",
            actor_id=caller.user_id,
            superseded_by=earlier.get("supersededBy"),
        )
        await _emit_change(tx, caller, other, records.to_item(other), restored)


async def _before_merge(tx: Tx, caller: Caller, other_id: str, item_id: str) -> Mapping[str, Any]:
    """Return the item's last snapshot from before it was superseded by ``item_id``."""
    before: int | None = None
    while True:
        revisions = await history.list_revisions(tx, caller.scope, other_id, before, 20)
        for revision in revisions:
            snapshot: dict[str, Any] = msgspec.json.decode(revision["snapshot"])
            if snapshot["supersededBy"] != item_id:
                return snapshot
        if not revisions:
            return {}
        before = revisions[-1]["version"]


async def _supersede_again(tx: Tx, caller: Caller, row: Row, after: Item) -> None:
    """Deprecate the merged items again when the restored version is the result of a merge."""
    for other in await store.lock_by_ids(tx, caller.scope, after.merged_from):
        if other["project_id"] != row["project_id"] or other["superseded_by"] is not None:
            continue
        retired = dataclasses.replace(records.to_item(other), status="deprecated")
        await change_item(
            tx,
            caller.scope,
            other,
            retired,
            reason="merged",
            actor_id=caller.user_id,
            superseded_by=row["id"],
        )
        await _emit_change(tx, caller, other, records.to_item(other), retired)
