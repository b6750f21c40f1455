"""What lies between who makes an answer and who reads it, so that neither waits for the other."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

End = TypeVar("End")


class Buffer(Generic[End]):
    """Pieces of a text, and then its end. What piles up before a slow reader is one piece when they come.

    It never refuses a piece: the answer itself is bounded by whoever makes it.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._end: End | None = None
        self._closed = False
        self._news = asyncio.Event()

    def add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._news.set()

    def finish(self, end: End | None) -> None:
        """Nothing follows; without an end the stream just breaks off."""
        self._end = end
        self._closed = True
        self._news.set()

    async def wait(self, seconds: float) -> bool:
        """Whether there is news within this time."""
        if self._news.is_set():
            return True
        try:
            async with asyncio.timeout(seconds):
                return await self._news.wait()
        except TimeoutError:
            return False

    def take(self) -> str:
        """All the text that has come since the last time."""
        pieces, self._pieces = self._pieces, []
        if not self._closed:
            self._news.clear()
        return "".join(pieces)

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def end(self) -> End | None:
        return self._end
