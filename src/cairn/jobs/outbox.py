"""The outbox: events to be told, each a row written in the transaction of the change it tells of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec
from sqlalchemy import insert, select

from cairn.base import clock, ids, log
from cairn.base.caller import Scope
from cairn.storage.database import Database, StorageUnavailable, Tx
from cairn.storage.statements import Sql
from cairn.storage.tables import outbox
from cairn.wire.events import WebhookEvent

TOPIC = "outbox"

FanOut = Callable[[Tx, int], Awaitable[int]]
"""Turns waiting events into promised deliveries and takes them out of the outbox; how many there were."""

_EVENTS_AT_ONCE = 200
_POLL_S = 2.0
_log = log.logger("outbox")

_INSERT = Sql(insert(outbox))
_ANY = Sql(select(outbox.c.id).limit(1))


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


class Pump:
    """Empties the outbox as it fills. Any number of pumps share it; each event is handed on once."""

    def __init__(self, database: Database, fan_out: FanOut) -> None:
        self._database = database
        self._fan_out = fan_out
        self._task: asyncio.Task[None] | None = None

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
                await listener.next(timeout=_POLL_S)

    async def _pump(self) -> bool:
        """Whether there may be more."""
        async with self._database.read() as tx:
            if await tx.one(_ANY) is None:
                return False
        async with self._database.write() as tx:
            return await self._fan_out(tx, _EVENTS_AT_ONCE) == _EVENTS_AT_ONCE
