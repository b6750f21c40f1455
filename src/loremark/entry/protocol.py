"""HTTP on a socket, with bounds that the server itself does not set: on headers, and on how long a request may take."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

_HEADERS_S = 15.0
_BODY_S = 60.0
_HEADER_BYTES = 64 * 1024
_HEADER_LINES = 200

_REFUSALS = {
    400: b"Bad Request",
    408: b"Request Timeout",
    431: b"Request Header Fields Too Large",
}


_ENDS_CONNECTION = (b"connection", b"transfer-encoding")
_WITHOUT_BODY = (204, 304)


class QuickCycle(RequestResponseCycle):
    """A request and its answer. An answer's head is joined in one go, where the server takes a dozen steps a line."""

    async def send(self, message: Any) -> None:
        headers = message.get("headers")
        if self.response_started or not headers or self.flow.write_paused or self.disconnected:
            return await super().send(message)
        status: int = message["status"]
        named = dict(headers)
        length = named.get(b"content-length")
        if (length is None and status not in _WITHOUT_BODY) or any(name in named for name in _ENDS_CONNECTION):
            return await super().send(message)
        lines = [b"%b: %b\r\n" % pair for pair in (*self.default_headers, *headers)]
        if not self.keep_alive:
            lines.append(b"connection: close\r\n")
        head = b"".join((STATUS_LINE[status], *lines, b"\r\n"))
        if head.count(b"\n") != len(lines) + 2 or head.count(b"\r") != len(lines) + 2:
            raise RuntimeError("a header holds a line break")
        self.response_started = True
        self.waiting_for_100_continue = False
        if length is not None:
            self.chunked_encoding = False
            self.expected_content_length = int(length)
        self.transport.write(head)
        return None


class GuardedProtocol(HttpToolsProtocol):
    """A client that sends headers without end, or slowly for ever, is turned away."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._slow: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._body_has_begun = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _expect_headers(self) -> None:
        self._stop_waiting()
        self._slow = self.loop.call_later(_HEADERS_S, self._refuse, 408)

    def _stop_waiting(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = 0
        self._body_has_begun = False
        if self._slow is None:
            self._expect_headers()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._body_has_begun:
            return  # a trailer: a proxy in front has not seen it, so it counts for nothing
        super().on_header(name, value)
        self._count(len(name) + len(value))

    def _count(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > _HEADER_BYTES or len(self.headers) > _HEADER_LINES:
            self._refuse(431)

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        self._body_has_begun = True
        self._slow = self.loop.call_later(_BODY_S, self._refuse, 408)
        if not self.transport.is_closing():
            super().on_headers_complete()
            if self.cycle is not None:  # made by the server, which offers no other way to make it ours
                self.cycle.__class__ = QuickCycle

    def on_message_complete(self) -> None:
        self._stop_waiting()
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        self._refuse(400)

    def _refuse(self, status: int) -> None:
        """Answer what is not HTTP as we answer everything else, and hang up."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            words = _REFUSALS[status]
            body = b'{"error":"%s"}' % words
            head = (
                b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head % (status, words, len(body)) + body)
        self.transport.close()
