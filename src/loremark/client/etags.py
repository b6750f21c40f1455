"""Answers with their ETags: what has not changed is not sent again."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

_MOST = 200
_MOST_BYTES = 32 * 1024 * 1024
_MOST_TAG_CHARS = 200


class Kept(NamedTuple):
    etag: str
    content: bytes


class Etags:
    """The last answers, the longest unused going first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._bytes = 0

    def find(self, path: str) -> Kept | None:
        found = self._kept.get(path)
        if found is not None:
            self._kept.move_to_end(path)
        return found

    def keep(self, path: str, etag: str | None, content: bytes) -> None:
        self._drop(path)
        if etag is None or len(content) > _MOST_BYTES:
            return
        self._kept[path] = Kept(etag, content)
        self._bytes += len(content)
        while len(self._kept) > _MOST or self._bytes > _MOST_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, path: str) -> None:
        gone = self._kept.pop(path, None)
        if gone is not None:
            self._bytes -= len(gone.content)


def plain_tag(told: str | None) -> str | None:
    """A tag that can be sent back; a server may write anything into its headers."""
    if told is None or len(told) > _MOST_TAG_CHARS or not (told.isascii() and told.isprintable()):
        return None
    return told
