"""Group commit across requests: what arrives while a commit is under way goes into the next one, together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from cairn.storage.database import Database, StorageUnavailable, Tx

T = TypeVar("T")
R = TypeVar("R")

_MOST_AT_ONCE = 256

Work = Callable[[Tx, Sequence[T]], Awaitable[Sequence[R]]]


class Grouped(Generic[T, R]):
    """Runs one piece of work for many submissions in one transaction; each gets its own result after the commit."""

    def __init__(self, database: Database, work: Work[T, R], *, most_at_once: int = _MOST_AT_ONCE) -> None:
        self._database = database
        self._work = work
        self._most = most_at_once
        self._waiting: deque[tuple[T, asyncio.Future[R]]] = deque()
        self._writing: asyncio.Task[None] | None = None

    async def submit(self, item: T) -> R:
        """The item's result, once it is durable."""
        done: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return await done

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                group = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
                await self._write(group)
        finally:
            self._writing = None

    async def _write(self, group: list[tuple[T, asyncio.Future[R]]]) -> None:
        try:
            async with self._database.write() as tx:
                results = await self._work(tx, [item for item, _ in group])
        except StorageUnavailable as error:
            for _, done in group:
                _settle_error(done, error)
        except Exception as error:
            if len(group) == 1:
                _settle_error(group[0][1], error)
                return
            for single in group:  # one of them is at fault; the others shall not pay for it
                await self._write([single])
        else:
            for (_, done), result in zip(group, results, strict=True):
                if not done.done():
                    done.set_result(result)


def _settle_error(done: asyncio.Future[R], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
