"""Publish/subscribe for committed changes, in this process and, on PostgreSQL, between processes.

A signal is only a hint: a listener that misses one finds the state in the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

_WAITING_SIGNALS = 1_000


class Listener:
    """Receives the signals of some topics in order; drops the oldest when its queue is full."""

    def __init__(self, topics: frozenset[str]) -> None:
        self.topics = topics
        self._queue: asyncio.Queue[tuple[str, str]] = asyncio.Queue(_WAITING_SIGNALS)

    def deliver(self, topic: str, payload: str) -> None:
        if self._queue.full():
            self._queue.get_nowait()
        self._queue.put_nowait((topic, payload))

    async def next(self, timeout: float | None = None) -> tuple[str, str] | None:
        """Return the next signal as (topic, payload), or None after the timeout."""
        try:
            async with asyncio.timeout(timeout):
                return await self._queue.get()
        except TimeoutError:
            return None


class Signals:
    """The listeners of this process."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()

    def publish(self, topic: str, payload: str) -> None:
        for listener in self._listeners:
            if topic in listener.topics:
                listener.deliver(topic, payload)

    @contextmanager
    def listen(self, *topics: str) -> Iterator[Listener]:
        listener = Listener(frozenset(topics))
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)
