"""The sweeper: completes sessions in which nothing has happened for the whole window."""

from __future__ import annotations

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.sessions import service, store
from loremark.jobs.run import Run
from loremark.storage.database import Database
from loremark.wire.events import WebhookEvent

SWEEP = "sessions.sweep"
_SESSIONS_AT_ONCE = 200


class SessionSweep:
    """A bounded number at a time, each group in a short transaction of its own."""

    def __init__(self, database: Database, window_ms: int) -> None:
        self._database = database
        self._window_ms = window_ms

    async def __call__(self, run: Run) -> None:
        while await self._sweep_some() == _SESSIONS_AT_ONCE:
            pass

    async def _sweep_some(self) -> int:
        async with self._database.write() as tx:
            since_ms = clock.now_ms() - self._window_ms
            expired = await store.list_expired(tx, silent_since_ms=since_ms, take=_SESSIONS_AT_ONCE)
            for session in expired:
                await store.update_status(tx, Scope(session["team_id"]), session["id"], "completed")
                await service.tell(
                    tx,
                    WebhookEvent.SESSION_COMPLETED,
                    session,
                    status="completed",
                    event_count=session["event_count"],
                )
            return len(expired)
