"""Runs recurring jobs early when something relevant changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from loremark.base import log
from loremark.jobs import recurring
from loremark.jobs.notices import LIVE
from loremark.storage.database import Database, StorageUnavailable
from loremark.storage.signals import Listener

_SOON_S = 0.5
"""Debounce time: changes close together trigger one run."""

_log = log.logger("jobs")


class Waker:
    """Listens for changes and makes the affected recurring jobs due. A missed notice only delays one run."""

    def __init__(
        self, database: Database, kinds: Mapping[str, Sequence[str]], look_again: Callable[[str], None]
    ) -> None:
        """``kinds``: by change notification, the kinds that it makes due."""
        self._database = database
        self._kinds = kinds
        self._look_again = look_again
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._kinds:
            self._task = asyncio.create_task(self._listen())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _listen(self) -> None:
        with self._database.signals.listen(LIVE) as listener:
            while True:
                called = set(self._called_by(await listener.next()))
                if not called:
                    continue
                await asyncio.sleep(_SOON_S)
                called |= await self._all_that_came(listener)
                kinds = sorted(called)
                try:
                    async with self._database.write() as tx:
                        for kind in kinds:
                            await recurring.make_due(tx, kind)
                except StorageUnavailable as error:
                    _log.warning("could not wake recurring jobs; they will run on schedule", error=str(error))
                for kind in kinds:
                    self._look_again(kind)

    async def _all_that_came(self, listener: Listener) -> set[str]:
        called: set[str] = set()
        while notice := await listener.next(timeout=0):
            called.update(self._called_by(notice))
        return called

    def _called_by(self, notice: tuple[str, str] | None) -> Sequence[str]:
        what = notice[1].split(" ")[1:2] if notice else []
        return self._kinds.get(what[0], ()) if what else ()
