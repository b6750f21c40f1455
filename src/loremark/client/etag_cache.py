"""Caches responses by ETag, for conditional requests."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

_MAX_ENTRIES = 200
_MAX_BYTES = 32 * 1024 * 1024
_MAX_ETAG_CHARS = 200


class CachedResponse(NamedTuple):
    etag: str
    content: bytes


class EtagCache:
    """A bounded LRU cache of responses."""

    def __init__(self) -> None:
        self._responses: OrderedDict[str, CachedResponse] = OrderedDict()
        self._bytes = 0

    def find(self, path: str) -> CachedResponse | None:
        found = self._responses.get(path)
        if found is not None:
            self._responses.move_to_end(path)
        return found

    def store(self, path: str, etag: str | None, content: bytes) -> None:
        self._drop(path)
        if etag is None or len(content) > _MAX_BYTES:
            return
        self._responses[path] = CachedResponse(etag, content)
        self._bytes += len(content)
        while len(self._responses) > _MAX_ENTRIES or self._bytes > _MAX_BYTES:
            self._drop(next(iter(self._responses)))

    def _drop(self, path: str) -> None:
        removed = self._responses.pop(path, None)
        if removed is not None:
            self._bytes -= len(removed.content)


def valid_etag(value: str | None) -> str | None:
    """The ETag if it is safe to send back in a header, else None."""
    if value is None or len(value) > _MAX_ETAG_CHARS or not (value.isascii() and value.isprintable()):
        return None
    return value
