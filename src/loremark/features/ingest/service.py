"""Keeping events: many requests, one commit."""

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
from loremark.features.ingest.admission import Admission, AtEdge, full_bytes, lacking_for, new_blobs
from loremark.features.ingest.linking import Links
from loremark.features.ingest.payload import Captured, SentEvent, capture, capture_of, inflate
from loremark.features.metering.counting import count_own
from loremark.features.metering.slots import EVENTS, SESSIONS, STORAGE
from loremark.features.projects.secrets import accepted_secrets
from loremark.features.sessions import store as sessions
from loremark.jobs import outbox
from loremark.jobs.notices import tell_changed
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database, Row, Tx
from loremark.storage.grouping import Grouped
from loremark.wire.events import WebhookEvent
from loremark.wire.sessions import Ingested

_LARGE_BYTES = 64 * 1024
_BLOBS_AT_ONCE = 8


class Capture:
    """Takes events in. Blobs are stored first, then everything else in one transaction shared with other requests."""

    def __init__(self, database: Database, blobs: Blobs, plans: Plans, *, window_ms: int) -> None:
        self._database = database
        self._blobs = blobs
        self._plans = plans
        self._window_ms = window_ms
        self._admission = Admission()
        self._grouped: Grouped[Captured, Ingested | Refusal] = Grouped(database, self._keep)
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-events")

    async def take(self, sent: bytes, encoding: str | None, caller: Caller, source: str | None) -> Ingested:
        """Where the event is kept, once it is durable."""
        if encoding is None and len(sent) <= _LARGE_BYTES:
            captured = capture(sent, caller, source)
        else:  # large ones are read in a line of their own, and nobody else waits for them
            loop = asyncio.get_running_loop()
            captured = await loop.run_in_executor(
                self._reader, lambda: capture(inflate(sent, encoding), caller, source)
            )
        return await self._keep_durably(captured)

    async def take_from(self, sent: SentEvent, project: Row) -> Ingested:
        """What somebody who may write to the project tells; it goes the way of what the project's tools sign."""
        loop = asyncio.get_running_loop()
        captured = await loop.run_in_executor(self._reader, capture_of, sent, project)
        return await self._keep_durably(captured)

    async def _keep_durably(self, captured: Captured) -> Ingested:
        if captured.blobs:
            await self._put_blobs(captured)
        kept = await self._submit(captured)
        if isinstance(kept, Refusal):
            if captured.blobs and kept.kind is errors.PROJECT_NOT_FOUND:  # deleted in this very moment
                await self._blobs.delete_project(captured.project_id)
            raise kept
        return kept

    async def _submit(self, captured: Captured) -> Ingested | Refusal:
        while True:
            try:
                return await self._grouped.submit(captured, captured.team_id, full_bytes(captured))
            except AtEdge:  # the next try looks first
                continue

    def close(self) -> None:
        self._reader.shutdown(wait=False, cancel_futures=True)

    async def _put_blobs(self, captured: Captured) -> None:
        """Store the large texts, unless it is known already that the event will be refused."""
        async with self._database.read() as tx:
            project = (await store.find_projects(tx, [captured.project_id])).get(captured.project_id)
            refusal = _refusal(project, captured.proof)
            if project is None or refusal is not None:
                raise (refusal or errors.PROJECT_NOT_FOUND)()
            now_ms = clock.now_ms()
            plan = self._plans.get(project["plan"])
            lacking = await lacking_for(tx, captured, plan, now_ms - self._window_ms, now_ms)
        if lacking is not None:
            raise errors.PLAN_LIMIT(counter=lacking)
        waiting = iter(captured.blobs.items())
        while some := list(islice(waiting, _BLOBS_AT_ONCE)):
            await asyncio.gather(*(self._blobs.put(captured.project_id, *named) for named in some))

    async def _keep(self, tx: Tx, captured: Sequence[Captured]) -> list[Ingested | Refusal]:
        """All events of a group: refuse what may not be written, insert the rest, link them to sessions."""
        projects = await store.hold_projects(tx, sorted({item.project_id for item in captured}))
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
        self, tx: Tx, accepted: Sequence[Captured], plans: Mapping[str, Plan], now_ms: int
    ) -> list[Ingested | Refusal]:
        links = Links(accepted)
        await links.join(tx, since_ms=now_ms - self._window_ms, now_ms=now_ms)
        session_ids = links.session_ids
        group = await self._admission.admit(tx, accepted, links, plans, now_ms)
        places = [at for at in range(len(accepted)) if at not in group.refused]
        admitted = [accepted[at] for at in places] if group.refused else accepted
        fresh = await new_blobs(tx, admitted)
        if fresh:
            await store.insert_blobs(tx, admitted, fresh, now_ms)
        event_ids = [ids.new("evt") for _ in accepted]
        inserted = await store.insert_events(
            tx, admitted, [event_ids[at] for at in places], [session_ids[at] for at in places], now_ms
        )
        new = {places[at] for at in inserted} if group.refused else inserted
        begun = []
        for session_id, count, repeated in links.counts(new):
            if session_id in links.begun:
                if count:
                    await _begin_session(tx, session_id, links.begun[session_id], count, now_ms)
                    begun.append(session_id)
            elif repeated:
                await store.take_off(tx, session_id, repeated)
        group.count(new, fresh, begun)
        await group.settle(tx)
        for team_id, project_id in {(accepted[at].team_id, accepted[at].project_id) for at in new}:
            tell_changed(tx, team_id, "sessions", project_id)
        return [
            Ingested(event_id=event_ids[at], session_id=session_ids[at])
            if at in new
            else errors.PLAN_LIMIT(counter=group.refused[at])
            if at in group.refused
            else await _kept_before(tx, item)
            for at, item in enumerate(accepted)
        ]


def _refusal(project: Row | None, proof: str) -> ErrorKind | None:
    """Confirm in this very transaction what the quick check of the signature took for granted."""
    if project is None:
        return errors.PROJECT_NOT_FOUND
    if proof not in accepted_secrets(project):
        return errors.INVALID_SIGNATURE
    if project["status"] == "archived":
        return errors.PROJECT_ARCHIVED
    return None


async def _kept_before(tx: Tx, item: Captured) -> Ingested:
    first = await store.find_first(tx, item.content_hash)
    assert first is not None
    return Ingested(event_id=first["id"], session_id=first["session_id"], duplicate=True)


async def keep_own(tx: Tx, own: Captured) -> str:
    """An event of our own making (without large texts), in a session of its own; the session's id."""
    assert not own.blobs
    now_ms, session_id = clock.now_ms(), ids.new("ses")
    await count_own(tx, Scope(own.team_id), {EVENTS: 1, SESSIONS: 1, STORAGE: own.size_bytes}, now_ms)
    await _begin_session(tx, session_id, own, 1, now_ms)
    await store.insert_events(tx, [own], [ids.new("evt")], [session_id], now_ms)
    return session_id


async def _begin_session(tx: Tx, session_id: str, first: Captured, count: int, now_ms: int) -> None:
    scope = Scope(first.team_id)
    await sessions.insert_session(
        tx, scope, session_id, first.project_id, source=first.source, now_ms=now_ms, event_count=count
    )
    data = {"sessionId": session_id, "status": "active", "eventCount": count}
    await outbox.emit(tx, scope, WebhookEvent.SESSION_CREATED, first.project_id, data)
