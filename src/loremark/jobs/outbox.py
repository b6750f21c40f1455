"""The outbox: events to be told, each a row written in the transaction of the change it tells of."""

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
ASIDE = "outbox.aside"
"""The kind of job that an event becomes when it cannot be handed on; tried again, it goes back to the outbox."""

FanOut = Callable[[Tx, int], Awaitable[int]]
"""Turns up to so many waiting events, oldest first, into promised deliveries and takes them out.

How many there were; as many as were allowed also when it stopped before, so that it is asked again at once.
"""

_EVENTS_AT_ONCE = 200
_POLL_S = 2.0
_PAUSE_S = 1.0
"""After a fault of our own, so that it does not fill the log."""
_log = log.logger("outbox")

_INSERT = Sql(insert(outbox))
_ANY = Sql(select(outbox.c.id).limit(1))
_OLDEST = Sql(select(outbox).order_by(outbox.c.id).limit(1).with_for_update(skip_locked=True))
_REMOVE = Sql(delete(outbox).where(outbox.c.id == bindparam("event_id")))


async def emit(tx: Tx, scope: Scope, event: WebhookEvent, project_id: str | None, data: dict[str, Any]) -> str:
    """Promise to tell webhooks; the id of the event stays the same over all deliveries and retries."""
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


async def put_back(run: Run) -> None:
    """An event that was put aside waits in the outbox again, under its old id."""
    async with run.finish("put back") as tx:
        await tx.run(_INSERT, **run.payload)
        tx.notify(TOPIC, run.payload["type"])


class Pump:
    """Empties the outbox as it fills. Any number of pumps share it; each event is handed on once."""

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
                    while await self._pump():
                        pass
                except StorageUnavailable as error:
                    _log.warning("the outbox cannot be reached, trying again", error=str(error))
                except Exception:
                    _log.exception("the outbox could not be emptied, trying again")
                    await asyncio.sleep(_PAUSE_S)
                    continue
                await listener.next(timeout=_POLL_S)

    async def _pump(self) -> bool:
        """Whether there may be more."""
        async with self._database.read() as tx:
            if await tx.one(_ANY) is None:
                return False
        try:
            async with self._database.write() as tx:
                return await self._fan_out(tx, _EVENTS_AT_ONCE) == _EVENTS_AT_ONCE
        except StorageUnavailable:
            raise
        except Exception:
            _log.exception("some events could not be handed on together, trying each by itself")
        for _ in range(_EVENTS_AT_ONCE):
            if not await self._pump_one():
                return False
        return True

    async def _pump_one(self) -> bool:
        """Hand the oldest event on. One that fails twice is put aside, and those behind it go on."""
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
            # Twice also because, for once, an older one may have come between our look and the fan-out's own.
            if self._suspect == event["id"]:
                _log.exception("an event cannot be handed on and is put aside", event_id=event["id"])
                await self._put_aside(event, f"{type(error).__name__}: {error}")
            self._suspect = event["id"]
            return True

    async def _put_aside(self, event: Row, error: str) -> None:
        payload = {column.name: event[column.name] for column in outbox.columns}
        async with self._database.write() as tx:
            if await tx.run(_REMOVE, event_id=event["id"]):
                await queue.put_aside(
                    tx, ASIDE, payload, error, team_id=event["team_id"], project_id=event["project_id"]
                )
