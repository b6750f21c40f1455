"""The transactional outbox: webhook events written in the transaction of the change they announce."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec
from sqlalchemy import bindparam, delete, insert, select

from loremark.base import clock, ids, log
from loremark.base.caller import Scope
from loremark.jobs import queue
from loremark.jobs.run import Run
from loremark.storage.database import Database, Row, StorageUnavailable, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import outbox
from loremark.wire.events import WebhookEvent

TOPIC = "outbox"
FAILED_EVENT = "outbox.aside"
"""The kind of the failed job that stores an event that could not be relayed. Retrying it requeues the event."""

FanOut = Callable[[Tx, int], Awaitable[int]]
"""Turns up to that many events, oldest first, into deliveries and removes them from the outbox.

Returns how many there were, or the limit if it stopped early and should be called again.
"""

_EVENTS_AT_ONCE = 200
_POLL_S = 2.0
_PAUSE_S = 1.0
"""Pause after an unexpected error, so it does not flood the log."""
_log = log.logger("outbox")

_INSERT = Sql(insert(outbox))
_ANY = Sql(select(outbox.c.id).limit(1))
_OLDEST = Sql(select(outbox).order_by(outbox.c.id).limit(1).with_for_update(skip_locked=True))
_REMOVE = Sql(delete(outbox).where(outbox.c.id == bindparam("event_id")))


async def emit(tx: Tx, scope: Scope, event: WebhookEvent, project_id: str | None, data: dict[str, Any]) -> str:
    """Queue a webhook event. Its id stays the same across deliveries and retries."""
    event_id = ids.new("evt")
    await tx.run(
        _INSERT,
        id=event_id,
        team_id=scope,
        project_id=project_id,
        type=event.value,
        data=msgspec.json.encode(data).decode(),
        created_at_ms=clock.now_ms(),
    )
    tx.notify(TOPIC, event.value)
    return event_id


async def requeue(run: Run) -> None:
    """Put a failed event back into the outbox under its old id."""
    async with run.finish("put back") as tx:
        await tx.run(_INSERT, **run.payload)
        tx.notify(TOPIC, run.payload["type"])


class OutboxRelay:
    """Relays events from the outbox to webhook deliveries, each exactly once. Any number of relays can run."""

    def __init__(self, database: Database, fan_out: FanOut) -> None:
        self._database = database
        self._fan_out = fan_out
        self._task: asyncio.Task[None] | None = None
        self._suspect = ""

    @property
    def alive(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run_forever())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run_forever(self) -> None:
        with self._database.signals.listen(TOPIC) as listener:
            while True:
                try:
                    while await self._relay():
                        pass
                except StorageUnavailable as error:
                    _log.warning("outbox unavailable, retrying", error=str(error))
                except Exception:
                    _log.exception("outbox relay failed, retrying")
                    await asyncio.sleep(_PAUSE_S)
                    continue
                await listener.next(timeout=_POLL_S)

    async def _relay(self) -> bool:
        """Relay a batch. Return whether there may be more."""
        async with self._database.read() as tx:
            if await tx.one(_ANY) is None:
                return False
        try:
            async with self._database.write() as tx:
                return await self._fan_out(tx, _EVENTS_AT_ONCE) == _EVENTS_AT_ONCE
        except StorageUnavailable:
            raise
        except Exception:
            _log.exception("event batch failed, relaying one by one")
        for _ in range(_EVENTS_AT_ONCE):
            if not await self._relay_one():
                return False
        return True

    async def _relay_one(self) -> bool:
        """Relay the oldest event. One that fails twice is set aside, so it does not block the others."""
        event: Row | None = None
        try:
            async with self._database.write() as tx:
                event = await tx.one(_OLDEST)
                return event is not None and await self._fan_out(tx, 1) == 1
        except StorageUnavailable:
            raise
        except Exception as error:
            if event is None:
                raise
            # Twice, because an older event may have been committed between our read and the fan-out's.
            if self._suspect == event["id"]:
                _log.exception("event failed twice and was set aside", event_id=event["id"])
                await self._set_aside(event, f"{type(error).__name__}: {error}")
            self._suspect = event["id"]
            return True

    async def _set_aside(self, event: Row, error: str) -> None:
        payload = {column.name: event[column.name] for column in outbox.columns}
        async with self._database.write() as tx:
            if await tx.run(_REMOVE, event_id=event["id"]):
                await queue.enqueue_failed(
                    tx, FAILED_EVENT, payload, error, team_id=event["team_id"], project_id=event["project_id"]
                )
