"""Caches responses to repeated requests while nothing has been committed to the database.

Only small successful responses are cached, for one second, and only if the database can tell cheaply that nothing has
changed: neither the resource, nor the credential, nor the permission.
"""

from __future__ import annotations

from collections import OrderedDict

from loremark.base import clock
from loremark.web.request import Request
from loremark.web.response import Response, Stream

_KEPT = 512
_KEPT_S = 1.0
_KEY_BYTES = 4_096
_BODY_BYTES = 64 * 1024

Key = tuple[str, bytes, str, bytes | None, bytes | None, bytes | None]


class ResponseCache:
    """The recent responses of this process."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, tuple[int, float, Response]] = OrderedDict()

    def find(self, key: Key, state: int) -> Response | None:
        kept = self._kept.get(key)
        if kept is None or kept[0] != state or clock.monotonic() > kept[1]:
            return None
        return kept[2]

    def store(self, key: Key, state: int, response: Response | Stream) -> None:
        """``state`` is the database's version from before the response was computed."""
        if not isinstance(response, Response) or response.status not in (200, 304):
            return
        if len(response.body) > _BODY_BYTES or sum(map(_size, key)) > _KEY_BYTES:
            return
        self._kept[key] = (state, clock.monotonic() + _KEPT_S, response)
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


def cache_key(request: Request) -> Key:
    headers = request.headers
    return (
        request.path,
        request.query_string,
        request.address,  # a key may be limited to addresses
        headers.get(b"authorization"),
        headers.get(b"cookie"),
        headers.get(b"if-none-match"),
    )


def _size(part: str | bytes | None) -> int:
    return len(part or "")
