"""Open live streams of this process: a limit per user, and the keep-alive interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_MAX_PER_USER = 60
"""Every browser tab has one stream."""


class LiveStreams:
    """Every ``interval_s``, a stream sends a keep-alive and checks its caller's access again."""

    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s
        self._streams: Counter[str] = Counter()

    def has_room(self, user_id: str) -> bool:
        return self._streams[user_id] < _MAX_PER_USER

    @contextmanager
    def open_stream(self, user_id: str) -> Iterator[None]:
        self._streams[user_id] += 1
        try:
            yield
        finally:
            self._streams[user_id] -= 1
            if not self._streams[user_id]:
                del self._streams[user_id]
