"""The events of an answer's stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from loremark.client.call import ApiError
from loremark.wire.answers import AnswerDone, AnswerToken

SECONDS = 7 * 60.0
"""An answer may take minutes; nobody waits for ever."""
SILENT_SECONDS = 60.0
_MOST_LINE = 8 * 1024 * 1024
_MOST_BYTES = 32 * 1024 * 1024
_PREFIX = b"data:"


class _Kind(msgspec.Struct):
    type: str


class Reader:
    """Bytes in as they come, events out, until the one that ends the answer."""

    def __init__(self) -> None:
        self._rest = b""
        self._bytes = 0
        self.is_done = False

    def feed(self, piece: bytes) -> Iterator[AnswerToken | AnswerDone]:
        self._bytes += len(piece)
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _MOST_LINE or self._bytes > _MOST_BYTES:
            raise _not_events()
        for event in parse(lines):
            self.is_done = isinstance(event, AnswerDone)
            yield event
            if self.is_done:
                return

    def end(self) -> None:
        """Nothing more will come; that is right only after the last event."""
        if not self.is_done:
            raise ApiError(0, "the answer broke off")


def parse(lines: Iterable[bytes]) -> Iterator[AnswerToken | AnswerDone]:
    """The events in these lines; comments and unknown kinds are passed over."""
    for line in lines:
        if not line.startswith(_PREFIX):
            continue
        told = line[len(_PREFIX) :].strip()
        try:
            kind = msgspec.json.decode(told, type=_Kind).type
            if kind == "token":
                yield msgspec.json.decode(told, type=AnswerToken)
            elif kind == "done":
                yield msgspec.json.decode(told, type=AnswerDone)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise _not_events() from None


def _not_events() -> ApiError:
    return ApiError(0, "the answer is not a stream of events")
