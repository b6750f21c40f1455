"""Keeping events: many requests, one commit."""

from __future__ import annotations

from collections.abc import Sequence

from cairn.base import clock, errors, ids
from cairn.base.caller import Scope
from cairn.base.errors import Refusal
from cairn.features.ingest import store
from cairn.features.ingest.payload import Captured
from cairn.features.projects.secrets import accepted_secrets
from cairn.features.sessions import store as sessions
from cairn.jobs import outbox
from cairn.ports.blobs.store import Blobs
from cairn.storage.database import Database, Row, Tx
from cairn.storage.grouping import Grouped
from cairn.wire.events import WebhookEvent
from cairn.wire.sessions import Ingested

_Lane = tuple[str, str]
"""A project and a source: events of one lane share a session."""


class Capture:
    """Takes events in. Blobs are stored first, then everything else in one transaction shared with other requests."""

    def __init__(self, database: Database, blobs: Blobs, *, window_ms: int) -> None:
        self._database = database
        self._blobs = blobs
        self._window_ms = window_ms
        self._grouped: Grouped[Captured, Ingested | Refusal] = Grouped(database, self._keep)

    async def take(self, captured: Captured) -> Ingested:
        """Where the event is kept, once it is durable."""
        if captured.blobs:
            await self._put_blobs(captured)
        kept = await self._grouped.submit(captured)
        if isinstance(kept, Refusal):
            raise kept
        return kept

    async def _put_blobs(self, captured: Captured) -> None:
        """Store the large texts, unless it is known already that the event will be refused."""
        async with self._database.read() as tx:
            projects = await store.find_projects(tx, [captured.project_id])
        refusal = _refusal(projects.get(captured.project_id), captured)
        if refusal is not None:
            raise refusal
        for sha256, content in captured.blobs.items():
            await self._blobs.put(captured.project_id, sha256, content)

    async def _keep(self, tx: Tx, captured: Sequence[Captured]) -> list[Ingested | Refusal]:
        """All events of a group: refuse what may not be written, insert the rest, link them to sessions."""
        now_ms = clock.now_ms()
        lanes: dict[_Lane, str | None] = {(item.project_id, item.source): None for item in captured}
        for project_id, source in sorted(lanes):
            await tx.lock(f"capture:{project_id}:{source}")
        projects = await store.find_projects(tx, sorted({item.project_id for item in captured}))
        refusals = [_refusal(projects.get(item.project_id), item) for item in captured]
        accepted = [item for item, refusal in zip(captured, refusals, strict=True) if refusal is None]
        for lane in lanes:
            lanes[lane] = await store.find_open_session(tx, *lane, now_ms - self._window_ms)
        results = iter(await self._insert(tx, accepted, lanes, now_ms))
        return [refusal or next(results) for refusal in refusals]

    async def _insert(
        self, tx: Tx, accepted: Sequence[Captured], lanes: dict[_Lane, str | None], now_ms: int
    ) -> list[Ingested]:
        open_ids = {lane: found or ids.new("ses") for lane, found in lanes.items()}
        event_ids = [ids.new("evt") for _ in accepted]
        session_ids = [open_ids[(item.project_id, item.source)] for item in accepted]
        await store.insert_blobs(tx, accepted, now_ms)
        new = await store.insert_events(tx, accepted, event_ids, session_ids, now_ms)
        counts: dict[_Lane, int] = {}
        for at in new:
            lane = (accepted[at].project_id, accepted[at].source)
            counts[lane] = counts.get(lane, 0) + 1
        teams = {item.project_id: item.team_id for item in accepted}
        for lane, count in counts.items():
            if lanes[lane] is None:
                await _begin_session(tx, teams[lane[0]], open_ids[lane], lane, count, now_ms)
            else:
                await store.count_events(tx, open_ids[lane], count, now_ms)
        kept: list[Ingested] = []
        for at, item in enumerate(accepted):
            if at in new:
                kept.append(Ingested(event_id=event_ids[at], session_id=session_ids[at]))
            else:
                first = await store.get_first(tx, item.content_hash)
                kept.append(Ingested(event_id=first["id"], session_id=first["session_id"], duplicate=True))
        return kept


def _refusal(project: Row | None, item: Captured) -> Refusal | None:
    """Confirm in this very transaction what the quick check of the signature took for granted."""
    if project is None:
        return errors.PROJECT_NOT_FOUND()
    if item.proof not in accepted_secrets(project):
        return errors.INVALID_SIGNATURE()
    if project["status"] == "archived":
        return errors.PROJECT_ARCHIVED()
    return None


async def _begin_session(tx: Tx, team_id: str, session_id: str, lane: _Lane, count: int, now_ms: int) -> None:
    project_id, source = lane
    scope = Scope(team_id)
    await sessions.insert_session(tx, scope, session_id, project_id, source=source, now_ms=now_ms, event_count=count)
    data = {"sessionId": session_id, "status": "active", "eventCount": count}
    await outbox.emit(tx, scope, WebhookEvent.SESSION_CREATED, project_id, data)
