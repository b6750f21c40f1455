"""Group commit across requests: what arrives while a commit is under way goes into the next one, together."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from loremark.base import clock
from loremark.storage.database import Database, StorageUnavailable, Tx

T = TypeVar("T")
R = TypeVar("R")

_MOST_AT_ONCE = 256
_MOST_OF_EACH = 2
_RECENT_S = 1.0
_MOST_BYTES = 16 * 1024 * 1024
_MOST_WAITING_BYTES = 256 * 1024 * 1024

Work = Callable[[Tx, Sequence[T]], Awaitable[Sequence[R]]]
_Waiting = tuple[T, asyncio.Future[R], int]


class Grouped(Generic[T, R]):
    """Runs one piece of work for many submissions in one transaction; each gets its own result after the commit.

    Submissions come from different sides (teams). Each side waits in a line of its own and the lines take turns; as
    long as several sides come, each has only a few in a group, so that groups stay short and one side's flood slows
    itself rather than the others. Groups and lines are bounded in bytes: while the database is away, what is beyond
    them is told so at once.
    """

    def __init__(self, database: Database, work: Work[T, R], *, most_at_once: int = _MOST_AT_ONCE) -> None:
        self._database = database
        self._work = work
        self._most = most_at_once
        self._lines: OrderedDict[str, deque[_Waiting[T, R]]] = OrderedDict()
        self._heard_at: OrderedDict[str, float] = OrderedDict()
        self._waiting_bytes = 0
        self._writing: asyncio.Task[None] | None = None

    async def submit(self, item: T, side: str = "", size: int = 0) -> R:
        """The item's result, once it is durable."""
        if self._waiting_bytes + size > _MOST_WAITING_BYTES:
            raise StorageUnavailable("too much is waiting to be written")
        self._waiting_bytes += size
        self._heard_at[side] = clock.monotonic()
        self._heard_at.move_to_end(side)
        done: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        line = self._lines.get(side)
        if line is None:
            line = self._lines[side] = deque()
        line.append((item, done, size))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return await done

    async def _write_all(self) -> None:
        try:
            while self._lines:
                await self._write(self._next_group())
        finally:
            self._writing = None

    def _next_group(self) -> list[_Waiting[T, R]]:
        """One of each line in turn, and again, up to what a group may hold."""
        group: list[_Waiting[T, R]] = []
        size = 0
        alone = self._is_alone()
        if alone and self._waiting_bytes <= _MOST_BYTES and len(next(iter(self._lines.values()))) <= self._most:
            self._waiting_bytes = 0
            return list(self._lines.popitem()[1])
        for _ in range(self._most if alone else _MOST_OF_EACH):
            for side in list(self._lines):
                line = self._lines[side]
                group.append(line.popleft())
                size += group[-1][2]
                if line:
                    self._lines.move_to_end(side)
                else:
                    del self._lines[side]
                if len(group) == self._most or size > _MOST_BYTES:
                    self._waiting_bytes -= size
                    return group
        self._waiting_bytes -= size
        return group

    def _is_alone(self) -> bool:
        """Whether only one side has come in the last moment."""
        since = clock.monotonic() - _RECENT_S
        while len(self._heard_at) > 1 and next(iter(self._heard_at.values())) < since:
            self._heard_at.popitem(last=False)
        return len(self._heard_at) == 1 and len(self._lines) == 1

    async def _write(self, group: list[_Waiting[T, R]]) -> None:
        try:
            async with self._database.write() as tx:
                results = await self._work(tx, [item for item, _, _ in group])
                if len(results) != len(group):
                    raise RuntimeError(f"{len(group)} submissions, but {len(results)} results")
        except StorageUnavailable as error:
            for _, done, _ in group:
                _settle_error(done, error)
        except Exception as error:
            if len(group) == 1:
                _settle_error(group[0][1], error)
                return
            for single in group:  # one of them is at fault; the others shall not pay for it
                await self._write([single])
        else:
            for (_, done, _), result in zip(group, results, strict=True):
                if not done.done():
                    done.set_result(result)


def _settle_error(done: asyncio.Future[R], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
