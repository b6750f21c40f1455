"""Group commit: submissions that arrive during a commit are written together in the next one."""

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


class GroupCommit(Generic[T, R]):
    """Runs many submissions in one transaction and returns each result after the commit.

    Each tenant (team) has its own queue, and queues take turns. While several tenants are active each gets only a few
    places in a group, so a burst from one tenant slows only itself. Groups and queues are bounded in bytes; beyond
    that, ``submit`` fails immediately.
    """

    def __init__(self, database: Database, work: Work[T, R], *, max_group: int = _MOST_AT_ONCE) -> None:
        self._database = database
        self._work = work
        self._most = max_group
        self._lines: OrderedDict[str, deque[_Waiting[T, R]]] = OrderedDict()
        self._last_seen: OrderedDict[str, float] = OrderedDict()
        self._waiting_bytes = 0
        self._writing: asyncio.Task[None] | None = None

    async def submit(self, item: T, tenant: str = "", size: int = 0) -> R:
        """Return the item's result once it is durable."""
        if self._waiting_bytes + size > _MOST_WAITING_BYTES:
            raise StorageUnavailable("the write queue is full")
        self._waiting_bytes += size
        self._last_seen[tenant] = clock.monotonic()
        self._last_seen.move_to_end(tenant)
        done: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        line = self._lines.get(tenant)
        if line is None:
            line = self._lines[tenant] = deque()
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
        """Take items from the queues in turn until the group is full."""
        group: list[_Waiting[T, R]] = []
        size = 0
        alone = self._is_alone()
        if alone and self._waiting_bytes <= _MOST_BYTES and len(next(iter(self._lines.values()))) <= self._most:
            self._waiting_bytes = 0
            return list(self._lines.popitem()[1])
        for _ in range(self._most if alone else _MOST_OF_EACH):
            for tenant in list(self._lines):
                line = self._lines[tenant]
                group.append(line.popleft())
                size += group[-1][2]
                if line:
                    self._lines.move_to_end(tenant)
                else:
                    del self._lines[tenant]
                if len(group) == self._most or size > _MOST_BYTES:
                    self._waiting_bytes -= size
                    return group
        self._waiting_bytes -= size
        return group

    def _is_alone(self) -> bool:
        """Return whether only one tenant was active recently."""
        since = clock.monotonic() - _RECENT_S
        while len(self._last_seen) > 1 and next(iter(self._last_seen.values())) < since:
            self._last_seen.popitem(last=False)
        return len(self._last_seen) == 1 and len(self._lines) == 1

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
            for single in group:  # retry one by one, so a failing item does not fail the others
                await self._write([single])
        else:
            for (_, done, _), result in zip(group, results, strict=True):
                if not done.done():
                    done.set_result(result)


def _settle_error(done: asyncio.Future[R], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
