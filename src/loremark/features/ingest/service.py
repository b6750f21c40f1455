"""Storing events, with one commit for many requests."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from loremark.base import clock, errors, ids
from loremark.base.caller import Caller, Scope
from loremark.base.errors import ErrorKind, Refusal
from loremark.base.plans import Plan, Plans
from loremark.features.ingest import store
from loremark.features.ingest.admission import Admission, SlotLimitReached, find_exceeded_limit, new_blobs, total_bytes
from loremark.features.ingest.payload import (
    CapturedEvent,
    SentEvent,
    build_authorized_event,
    inflate,
    parse_signed_event,
)
from loremark.features.ingest.session_linking import SessionLinks
from loremark.features.metering.counter_slots import EVENTS, SESSIONS, STORAGE
from loremark.features.metering.plan_limits import count_unchecked
from loremark.features.projects.secrets import accepted_secrets
from loremark.features.sessions import store as sessions
from loremark.jobs import outbox
from loremark.jobs.notices import notify_changed
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database, Row, Tx
from loremark.storage.group_commit import GroupCommit
from loremark.wire.events import WebhookEvent
from loremark.wire.sessions import EventAccepted

_LARGE_BYTES = 64 * 1024
_BLOB_BATCH = 8


class EventIntake:
    """Stores events: blobs first, then everything else in one transaction shared with other requests."""

    def __init__(self, database: Database, blobs: Blobs, plans: Plans, *, window_ms: int) -> None:
        self._database = database
        self._blobs = blobs
        self._plans = plans
        self._window_ms = window_ms
        self._admission = Admission()
        self._grouped: GroupCommit[CapturedEvent, EventAccepted | Refusal] = GroupCommit(database, self._store_group)
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-events")

    async def accept_signed(
        self, sent: bytes, encoding: str | None, caller: Caller, source: str | None
    ) -> EventAccepted:
        """Store an event signed with the project's secret; return when it is durable."""
        if encoding is None and len(sent) <= _LARGE_BYTES:
            captured = parse_signed_event(sent, caller, source)
        else:  # large events are decoded in a separate thread to keep the event loop free
            loop = asyncio.get_running_loop()
            captured = await loop.run_in_executor(
                self._reader, lambda: parse_signed_event(inflate(sent, encoding), caller, source)
            )
        return await self._store(captured)

    async def accept_authorized(self, sent: SentEvent, project: Row, caller: Caller) -> EventAccepted:
        """Store an event from a caller with write access to the project."""
        loop = asyncio.get_running_loop()
        # A key that may not write is an agent's: what it sends is not its user's word.
        person = caller.user_id if caller.has_scope("write") else None
        captured = await loop.run_in_executor(self._reader, build_authorized_event, sent, project, person)
        return await self._store(captured)

    async def _store(self, captured: CapturedEvent) -> EventAccepted:
        if captured.blobs:
            await self._put_blobs(captured)
        result = await self._submit(captured)
        if isinstance(result, Refusal):
            if captured.blobs and result.kind is errors.PROJECT_NOT_FOUND:  # deleted since the blobs were stored
                await self._blobs.delete_project(captured.project_id)
            raise result
        return result

    async def _submit(self, captured: CapturedEvent) -> EventAccepted | Refusal:
        while True:
            try:
                return await self._grouped.submit(captured, captured.team_id, total_bytes(captured))
            except SlotLimitReached:  # the retry checks the exact usage
                continue

    def close(self) -> None:
        self._reader.shutdown(wait=False, cancel_futures=True)

    async def _put_blobs(self, captured: CapturedEvent) -> None:
        """Store the large texts, unless the event is certain to be rejected."""
        async with self._database.read() as tx:
            project = (await store.find_projects(tx, [captured.project_id])).get(captured.project_id)
            refusal = _refusal(project, captured.proof)
            if project is None or refusal is not None:
                raise (refusal or errors.PROJECT_NOT_FOUND)()
            now_ms = clock.now_ms()
            plan = self._plans.get(project["plan"])
            exceeded = await find_exceeded_limit(tx, captured, plan, now_ms - self._window_ms, now_ms)
        if exceeded is not None:
            raise errors.PLAN_LIMIT(counter=exceeded)
        waiting = iter(captured.blobs.items())
        while batch := list(islice(waiting, _BLOB_BATCH)):
            await asyncio.gather(*(self._blobs.put(captured.project_id, *named) for named in batch))

    async def _store_group(self, tx: Tx, captured: Sequence[CapturedEvent]) -> list[EventAccepted | Refusal]:
        """Store a group of events: reject invalid ones, insert the rest and link them to sessions."""
        projects = await store.lock_projects(tx, sorted({item.project_id for item in captured}))
        refused = {
            proven: _refusal(projects.get(proven[0]), proven[1])
            for proven in {(item.project_id, item.proof) for item in captured}
        }
        refusals = [refused[item.project_id, item.proof] for item in captured]
        accepted = [item for item, refusal in zip(captured, refusals, strict=True) if refusal is None]
        plans = {item.team_id: self._plans.get(projects[item.project_id]["plan"]) for item in accepted}
        results = iter(await self._insert(tx, accepted, plans, clock.now_ms()) if accepted else ())
        return [next(results) if refusal is None else refusal() for refusal in refusals]

    async def _insert(
        self, tx: Tx, accepted: Sequence[CapturedEvent], plans: Mapping[str, Plan], now_ms: int
    ) -> list[EventAccepted | Refusal]:
        links = SessionLinks(accepted)
        await links.join(tx, since_ms=now_ms - self._window_ms, now_ms=now_ms)
        session_ids = links.session_ids
        group = await self._admission.admit(tx, accepted, links, plans, now_ms)
        positions = [at for at in range(len(accepted)) if at not in group.rejected]
        admitted = [accepted[at] for at in positions] if group.rejected else accepted
        fresh = await new_blobs(tx, admitted)
        if fresh:
            await store.insert_blobs(tx, admitted, fresh, now_ms)
        event_ids = [ids.new("evt") for _ in accepted]
        inserted = await store.insert_events(
            tx, admitted, [event_ids[at] for at in positions], [session_ids[at] for at in positions], now_ms
        )
        new = {positions[at] for at in inserted} if group.rejected else inserted
        with_blobs = [(event_ids[at], accepted[at]) for at in sorted(new) if accepted[at].blobs]
        if with_blobs:
            await store.insert_blob_references(tx, with_blobs)
        created = []
        for session_id, count, repeated in links.counts(new):
            if session_id in links.new_sessions:
                if count:
                    await _create_session(tx, session_id, links.new_sessions[session_id], count, now_ms)
                    created.append(session_id)
            elif repeated:
                await store.subtract_events(tx, session_id, repeated)
        group.count(new, fresh, created)
        await group.settle(tx)
        for team_id, project_id in {(accepted[at].team_id, accepted[at].project_id) for at in new}:
            notify_changed(tx, team_id, "sessions", project_id)
        return [
            EventAccepted(event_id=event_ids[at], session_id=session_ids[at])
            if at in new
            else errors.PLAN_LIMIT(counter=group.rejected[at])
            if at in group.rejected
            else await _find_duplicate(tx, item)
            for at, item in enumerate(accepted)
        ]


def _refusal(project: Row | None, proof: str) -> ErrorKind | None:
    """Check in the transaction what the fast signature check assumed."""
    if project is None:
        return errors.PROJECT_NOT_FOUND
    if proof not in accepted_secrets(project):
        return errors.INVALID_SIGNATURE
    if project["status"] == "archived":
        return errors.PROJECT_ARCHIVED
    return None


async def _find_duplicate(tx: Tx, item: CapturedEvent) -> EventAccepted:
    first = await store.find_by_hash(tx, item.content_hash)
    assert first is not None
    return EventAccepted(event_id=first["id"], session_id=first["session_id"], duplicate=True)


async def store_internal_event(tx: Tx, own: CapturedEvent) -> str:
    """Store an event created by the server, without blobs, in a new session; return the session's id."""
    assert not own.blobs
    now_ms, session_id = clock.now_ms(), ids.new("ses")
    await count_unchecked(tx, Scope(own.team_id), {EVENTS: 1, SESSIONS: 1, STORAGE: own.size_bytes}, now_ms)
    await _create_session(tx, session_id, own, 1, now_ms)
    await store.insert_events(tx, [own], [ids.new("evt")], [session_id], now_ms)
    return session_id


async def _create_session(tx: Tx, session_id: str, first: CapturedEvent, count: int, now_ms: int) -> None:
    scope = Scope(first.team_id)
    await sessions.insert_session(
        tx, scope, session_id, first.project_id, source=first.source, now_ms=now_ms, event_count=count
    )
    data = {"sessionId": session_id, "status": "active", "eventCount": count}
    await outbox.emit(tx, scope, WebhookEvent.SESSION_CREATED, first.project_id, data)
