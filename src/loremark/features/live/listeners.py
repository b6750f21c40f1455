"""Who listens at this process, how many streams each has, and how often a stream shows that it is alive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_MOST_OF_ONE = 60
"""Each tab of a browser has one; a program that opens them without end gets no more than that."""


class Listeners:
    """Every ``pause_s`` a stream shows that it is alive, and asks whether its caller still may listen."""

    def __init__(self, pause_s: float) -> None:
        self.pause_s = pause_s
        self._streams: Counter[str] = Counter()

    def has_room(self, user_id: str) -> bool:
        return self._streams[user_id] < _MOST_OF_ONE

    @contextmanager
    def one_more(self, user_id: str) -> Iterator[None]:
        self._streams[user_id] += 1
        try:
            yield
        finally:
            self._streams[user_id] -= 1
            if not self._streams[user_id]:
                del self._streams[user_id]
