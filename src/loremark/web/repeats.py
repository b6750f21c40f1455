"""A caller who asks for the same again: while nothing was committed since, the answer is what it was.

Only good answers of a moderate size are kept, only for a second, and only where the database can tell that nothing
has changed at all: neither the thing, nor the credential, nor the right to it.
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

Key = tuple[str, bytes, bytes | None, bytes | None, bytes | None]


class Repeats:
    """The last answers of this process, by all that they depend on."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, tuple[int, float, Response]] = OrderedDict()

    def find(self, key: Key, state: int) -> Response | None:
        kept = self._kept.get(key)
        if kept is None or kept[0] != state or clock.monotonic() > kept[1]:
            return None
        return kept[2]

    def keep(self, key: Key, state: int, response: Response | Stream) -> None:
        """``state`` is that from before the answer was made."""
        if not isinstance(response, Response) or response.status not in (200, 304):
            return
        if len(response.body) > _BODY_BYTES or sum(map(_size, key)) > _KEY_BYTES:
            return
        self._kept[key] = (state, clock.monotonic() + _KEPT_S, response)
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


def key_of(request: Request) -> Key:
    headers = request.headers
    return (
        request.path,
        request.query_string,
        headers.get(b"authorization"),
        headers.get(b"cookie"),
        headers.get(b"if-none-match"),
    )


def _size(part: str | bytes | None) -> int:
    return len(part or "")
