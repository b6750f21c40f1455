"""Completes sessions that have been idle for the whole session window."""

from __future__ import annotations

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.sessions import service, store
from loremark.jobs.run import Run
from loremark.storage.database import Database
from loremark.wire.events import WebhookEvent

SWEEP = "sessions.sweep"
_BATCH = 200


class SessionSweep:
    """Completes idle sessions in bounded batches, each in a short transaction."""

    def __init__(self, database: Database, window_ms: int) -> None:
        self._database = database
        self._window_ms = window_ms

    async def __call__(self, run: Run) -> None:
        while await self._sweep_batch() == _BATCH:
            pass

    async def _sweep_batch(self) -> int:
        async with self._database.write() as tx:
            since_ms = clock.now_ms() - self._window_ms
            expired = await store.list_expired(tx, idle_since_ms=since_ms, take=_BATCH)
            for session in expired:
                await store.update_status(tx, Scope(session["team_id"]), session["id"], "completed")
                await service.emit_session_event(
                    tx,
                    WebhookEvent.SESSION_COMPLETED,
                    session,
                    status="completed",
                    event_count=session["event_count"],
                )
            return len(expired)
