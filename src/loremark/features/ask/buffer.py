"""Buffer between the task that produces an answer and the client that reads it."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

End = TypeVar("End")


class Buffer(Generic[End]):
    """Pieces of text, then an end. Pieces that accumulate for a slow reader are joined.

    The buffer itself is unbounded; the producer limits the length of the answer.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._end: End | None = None
        self._closed = False
        self._changed = asyncio.Event()

    def add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._changed.set()

    def finish(self, end: End | None) -> None:
        """Close the buffer. Without an end, the stream just stops."""
        self._end = end
        self._closed = True
        self._changed.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for new text or the end; return False after the timeout."""
        if self._changed.is_set():
            return True
        try:
            async with asyncio.timeout(seconds):
                return await self._changed.wait()
        except TimeoutError:
            return False

    def take(self) -> str:
        """Return the text added since the last call."""
        pieces, self._pieces = self._pieces, []
        if not self._closed:
            self._changed.clear()
        return "".join(pieces)

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def end(self) -> End | None:
        return self._end
