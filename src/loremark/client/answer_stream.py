"""Parse the event stream of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from loremark.client.call import ApiError
from loremark.wire.answers import AnswerDone, AnswerToken

TIMEOUT_S = 7 * 60.0
"""Answers can take minutes, but not forever."""
IDLE_TIMEOUT_S = 60.0
_MAX_LINE_BYTES = 8 * 1024 * 1024
_MAX_BYTES = 32 * 1024 * 1024
_PREFIX = b"data:"


class _TypedEvent(msgspec.Struct):
    type: str


class AnswerStreamReader:
    """Turns chunks of bytes into events, until the ``done`` event."""

    def __init__(self) -> None:
        self._rest = b""
        self._bytes = 0
        self.is_done = False

    def feed(self, chunk: bytes) -> Iterator[AnswerToken | AnswerDone]:
        self._bytes += len(chunk)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _MAX_LINE_BYTES or self._bytes > _MAX_BYTES:
            raise _invalid_stream()
        for event in parse(lines):
            self.is_done = isinstance(event, AnswerDone)
            yield event
            if self.is_done:
                return

    def end(self) -> None:
        """Call at the end of the stream; raises if the ``done`` event is missing."""
        if not self.is_done:
            raise ApiError(0, "the answer was cut off; try again")


def parse(lines: Iterable[bytes]) -> Iterator[AnswerToken | AnswerDone]:
    """The events in these lines, skipping comments and unknown event types."""
    for line in lines:
        if not line.startswith(_PREFIX):
            continue
        data = line[len(_PREFIX) :].strip()
        try:
            kind = msgspec.json.decode(data, type=_TypedEvent).type
            if kind == "token":
                yield msgspec.json.decode(data, type=AnswerToken)
            elif kind == "done":
                yield msgspec.json.decode(data, type=AnswerDone)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise _invalid_stream() from None


def _invalid_stream() -> ApiError:
    return ApiError(0, "the response is not an event stream")
