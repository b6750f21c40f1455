"""Limits on concurrent exports, in total, per team and per user.

Each export holds a database connection and a snapshot while it is being read.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, finalize

from loremark.base import clock, errors, log
from loremark.base.caller import Caller
from loremark.storage.database import Database

MAX_EXPORTS = 8
MAX_PER_TEAM = 3
MAX_PER_USER = 2
_RETRY_S = 10
_STALL_S = 30.0
"""How long a reader may pause."""
_BYTES_PER_S = 128 * 1024
"""How fast a reader has to be on average."""

_log = log.logger("transfer")


class ExportSlot:
    """Permission to run an export; released explicitly or by garbage collection."""

    release: finalize[[Counter[str], tuple[str, ...]], ExportSlot]


class ExportSlots:
    """The slots of one database."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def take(self, caller: Caller) -> ExportSlot:
        """Acquire a slot or raise immediately, since waiting silently would look like a hang."""
        limits = {"": MAX_EXPORTS, caller.team_id: MAX_PER_TEAM, caller.user_id: MAX_PER_USER}
        if any(self._used[name] >= limit for name, limit in limits.items()):
            raise errors.UNAVAILABLE({"Retry-After": str(_RETRY_S)})
        self._used.update(limits.keys())
        slot = ExportSlot()
        slot.release = finalize(slot, _release, self._used, tuple(limits))
        slot.release.atexit = False
        return slot


def _release(used: Counter[str], names: tuple[str, ...]) -> None:
    used.subtract(names)
    for name in names:
        if not used[name]:
            del used[name]


_slots: WeakKeyDictionary[Database, ExportSlots] = WeakKeyDictionary()


def acquire_slot(database: Database, caller: Caller) -> ExportSlot:
    """Raises if too many exports are running."""
    return _slots.setdefault(database, ExportSlots()).take(caller)


class ReaderPace:
    """Cancels an export whose reader stops, or is too slow on average, to free its snapshot and slot.

    The task that iterates over the stream also sends it, so that task is cancelled.
    """

    def __init__(self, project_id: str) -> None:
        self._project_id = project_id
        self._left_s = _STALL_S

    @contextmanager
    def sending(self, size: int) -> Iterator[None]:
        """Send a chunk. Its size earns time, and sending it spends that."""
        self._left_s = min(_STALL_S, self._left_s + size / _BYTES_PER_S)
        sending = asyncio.current_task()
        assert sending is not None
        timer = asyncio.get_running_loop().call_later(self._left_s, self._cancel, sending)
        started = clock.monotonic()
        try:
            yield
        finally:
            timer.cancel()
            self._left_s -= clock.monotonic() - started

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        _log.warning("export cancelled: the client reads too slowly", project_id=self._project_id)
        task.cancel()
