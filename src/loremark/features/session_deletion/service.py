"""Deleting a session with everything that came from it.

The request deletes the session itself, its search entries and the first batch of the rest, which is all of it for most
sessions, in one transaction. A job deletes what is left, and the blobs.
"""

from __future__ import annotations

import dataclasses

import msgspec

from loremark.base import errors
from loremark.base.caller import Caller, Scope
from loremark.features.audit import store as audit
from loremark.features.history import store as history
from loremark.features.items import editing, records
from loremark.features.items import service as items
from loremark.features.items import store as items_store
from loremark.features.metering.counter_slots import SESSIONS
from loremark.features.metering.project_deletion import SESSION_PURGE, count_deleted
from loremark.features.projects.access import Access
from loremark.features.reading import store as readings
from loremark.features.recall import store as recall
from loremark.features.session_deletion import store
from loremark.features.sessions import service as sessions
from loremark.jobs import queue
from loremark.jobs.notices import notify_changed
from loremark.memory.items import Item
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

ITEMS_AT_ONCE = 100
EVENTS_AT_ONCE = 500


class Deletion(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A session that is being deleted. Also the payload of the job that finishes it."""

    session_id: str
    actor_id: str | None
    items: list[str] = []
    """Items that are already deleted."""
    blobs: list[str] = []
    """Blobs that may be unused now."""
    expired_events: list[str] = []
    """Events of the session that were deleted before it."""
    keeps_quotes: bool = False
    """Whether items that were once approved keep the session's quotes."""


async def delete_session(tx: Tx, caller: Caller, session_id: str) -> None:
    """Delete a session on a user's request, unless it is being enriched."""
    seen, _ = await sessions.get_session(tx, caller, session_id, Access.READ)
    scope, project_id = caller.scope, seen["project_id"]
    await lock_for_deletion(tx, scope, project_id)
    session, _ = await sessions.get_session(tx, caller, session_id, Access.WRITE)
    if session["status"] == "enriching":
        raise errors.SESSION_ENRICHING()
    expired = await store.list_expired_event_ids(tx, scope, project_id, session_id)
    deletion = Deletion(session_id=session_id, actor_id=caller.user_id, expired_events=sorted(expired))
    gone, after = await delete_items(tx, scope, project_id, deletion, "")
    await remove_session(tx, scope, session, msgspec.structs.replace(deletion, items=gone), has_items=after is not None)
    details = {"source": session["source"], "events": session["event_count"]}
    await audit.record(tx, caller, "session.deleted", session_id, project_id=project_id, **details)


async def lock_for_deletion(tx: Tx, scope: Scope, project_id: str) -> None:
    """Lock the memory and the project.

    In this order, because an edit locks the memory before the project, and ingest the project before the session.
    """
    await items.lock_memory(tx, scope, project_id)
    await store.lock_project(tx, scope, project_id)


async def remove_session(tx: Tx, scope: Scope, session: Row, deletion: Deletion, *, has_items: bool) -> None:
    """Delete a locked session with its turns, and enqueue the job for the rest.

    ``has_items``: whether items of the session may be left; then its events stay for now, because they identify them.
    """
    session_id, project_id = session["id"], session["project_id"]
    await store.delete_session(tx, scope, session_id)
    await count_deleted(tx, SESSIONS, [session])
    await recall.delete_session_turns(tx, scope, project_id, session_id)
    await readings.delete_of_session(tx, scope, session_id)
    await store.delete_jobs(tx, scope, session_id)
    await store.delete_repository_state(tx, scope, project_id, deletion.expired_events)
    blobs: set[str] = set()
    if not has_items:
        blobs, _ = await delete_events(tx, scope, project_id, session_id)
    payload = msgspec.to_builtins(msgspec.structs.replace(deletion, blobs=sorted(blobs)))
    await queue.enqueue(tx, SESSION_PURGE, payload, team_id=scope, project_id=project_id)
    notify_changed(tx, scope, "sessions", project_id)


async def delete_items(
    tx: Tx, scope: Scope, project_id: str, deletion: Deletion, after: str
) -> tuple[list[str], str | None]:
    """Remove a session from some of the items that came from it, beginning after the item ``after``.

    Return the ids of deleted items, and where to go on, or None at the end. The caller has locked the memory.
    """
    event_ids = await store.list_event_ids(tx, scope, deletion.session_id) | frozenset(deletion.expired_events)
    found = await store.find_items(
        tx, scope, project_id, deletion.session_id, event_ids, after=after, take=ITEMS_AT_ONCE
    )
    gone = []
    affects_brain = False
    for row in await items_store.lock_by_ids(tx, scope, found):
        affects_brain = affects_brain or row["status"] == "approved"
        if await _remove_from_item(tx, scope, row, deletion, event_ids):
            gone.append(row["id"])
    if affects_brain:
        await items.touch_memory(tx, scope, project_id)
    return gone, found[-1] if len(found) == ITEMS_AT_ONCE else None


async def _remove_from_item(tx: Tx, scope: Scope, row: Row, deletion: Deletion, event_ids: frozenset[str]) -> bool:
    """Delete an item based only on this session unless it was once approved; otherwise remove the session's quotes.

    Return whether it was deleted.
    """
    item = records.to_item(row)
    evidence = tuple(quote for quote in item.evidence if quote.event_id not in event_ids)
    was_approved = await _was_approved(tx, scope, item)
    if not evidence and not was_approved:
        await editing.remove_item(tx, scope, row, deletion.actor_id)
        return True
    if row["session_id"] == deletion.session_id:
        row = await items.detach_from_session(tx, scope, row)
    if deletion.keeps_quotes and was_approved:
        return False
    changed = dataclasses.replace(item, evidence=evidence)
    if await items.change_item(tx, scope, row, changed, reason="edited", actor_id=deletion.actor_id):
        await items.emit_item_event(tx, scope, WebhookEvent.ITEM_UPDATED, row["project_id"], row["id"], changed)
    await history.remove_evidence(tx, scope, row["id"], event_ids)
    return False


async def _was_approved(tx: Tx, scope: Scope, item: Item) -> bool:
    """Return whether the item is approved or was, so that the team has made it its own."""
    return item.status == "approved" or await history.was_approved(tx, scope, item.id)


async def delete_events(tx: Tx, scope: Scope, project_id: str, session_id: str) -> tuple[set[str], bool]:
    """Delete some events. Return the hashes of their blobs, and whether there may be more events.

    The caller has locked the project.
    """
    rows = await store.list_events(tx, scope, session_id, EVENTS_AT_ONCE)
    await store.delete_repository_state(tx, scope, project_id, [row["id"] for row in rows])
    return await store.delete_events(tx, scope, project_id, rows), len(rows) == EVENTS_AT_ONCE
