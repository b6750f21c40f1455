"""Uvicorn's HTTP protocol with limits on header size and on how long a request may take."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from loremark.entry.connection_limits import ConnectionLimits

_HEADERS_S = 5.0
_BODY_S = 60.0
_READ_S = 30.0
_READ_BYTES = 8 * 1024
"""A client that leaves a response unread must take at least as much of it in this time."""
_HEADER_BYTES = 64 * 1024
_HEADER_LINES = 200

_REASONS = {
    400: b"Bad Request",
    408: b"Request Timeout",
    431: b"Request Header Fields Too Large",
}


_ENDS_CONNECTION = (b"connection", b"transfer-encoding")
_WITHOUT_BODY = (204, 304)


class FastResponseCycle(RequestResponseCycle):
    """A request-response cycle that writes the response head in one step, which is faster than uvicorn's."""

    async def send(self, message: Any) -> None:
        headers = message.get("headers")
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.transport.is_closing():  # uvicorn tells only the last one of pipelined requests
            self.disconnected = True
        if self.response_started or not headers or self.disconnected:
            return await super().send(message)
        status: int = message["status"]
        by_name = dict(headers)
        length = by_name.get(b"content-length")
        if (length is None and status not in _WITHOUT_BODY) or any(name in by_name for name in _ENDS_CONNECTION):
            return await super().send(message)
        lines = [b"%b: %b\r\n" % pair for pair in (*self.default_headers, *headers)]
        if not self.keep_alive:
            lines.append(b"connection: close\r\n")
        head = b"".join((STATUS_LINE[status], *lines, b"\r\n"))
        if head.count(b"\n") != len(lines) + 2 or head.count(b"\r") != len(lines) + 2:
            raise RuntimeError("a header contains a line break")
        self.response_started = True
        self.waiting_for_100_continue = False
        if length is not None:
            self.chunked_encoding = False
            self.expected_content_length = int(length)
        self.transport.write(head)
        return None


class GuardedProtocol(HttpToolsProtocol):
    """Ends connections whose clients send oversized heads, send or read too slowly, or open many without a request."""

    def __init__(self, *arguments: Any, limits: ConnectionLimits | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._limits = limits or ConnectionLimits()
        self._address = ""
        self._timeout: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._in_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = str(self.client[0]) if self.client else ""
        self._limits.add(self._address, self)
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._limits.discard(self._address, self)
        self._cancel_timeout()
        self._cancel_unread()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read. Unread responses count as waiting, and pipelined ones keep it from ending."""
        super().pause_writing()
        self._limits.add(self._address, self)
        self._expect_reading()

    def resume_writing(self) -> None:
        self._cancel_unread()
        if self.cycle is not None and not self.cycle.response_complete:
            self._limits.discard(self._address, self)
        super().resume_writing()

    def _expect_reading(self) -> None:
        self._cancel_unread()
        most = self.transport.get_write_buffer_size() - _READ_BYTES
        self._unread = self.loop.call_later(_READ_S, self._check_reading, most)

    def _check_reading(self, most: int) -> None:
        if self.transport.get_write_buffer_size() > most:
            self.transport.abort()  # closing would wait for the client to read the rest
        else:
            self._expect_reading()

    def _cancel_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _close(self) -> None:
        """Close the connection once the client has read the rest, and in any case soon."""
        self.transport.close()
        if self._unread is None and self.transport.get_write_buffer_size():
            self._unread = self.loop.call_later(_READ_S, self.transport.abort)

    def timeout_keep_alive_handler(self) -> None:
        if not self.transport.is_closing():
            self._close()

    def _expect_headers(self) -> None:
        self._cancel_timeout()
        self._timeout = self.loop.call_later(_HEADERS_S, self._reject, 408)

    def _cancel_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = 0
        self._in_body = False
        if self._timeout is None:
            self._expect_headers()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_body:
            return  # ignore trailers: a proxy in front may not have checked them
        super().on_header(name, value)
        self._count(len(name) + len(value))

    def _count(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > _HEADER_BYTES or len(self.headers) > _HEADER_LINES:
            self._reject(431)

    def on_headers_complete(self) -> None:
        self._limits.discard(self._address, self)
        self._cancel_timeout()
        self._in_body = True
        self._timeout = self.loop.call_later(_BODY_S, self._reject, 408)
        if not self.transport.is_closing():
            super().on_headers_complete()
            if self.cycle is not None:  # uvicorn has no hook for a custom cycle class
                self.cycle.__class__ = FastResponseCycle

    def on_message_complete(self) -> None:
        self._cancel_timeout()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.pipeline and not self.transport.is_closing():
            self._limits.add(self._address, self)

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            if self._timeout is None and self.timeout_keep_alive_task is not None:
                self._expect_headers()  # empty lines do not begin a request, but end uvicorn's keep-alive timeout
            super().data_received(data)

    def give_up(self) -> None:
        if self._unread is not None:
            self.transport.abort()
        elif self._timeout is None:
            self._close()  # an idle connection, which the client may expect to be closed at any time
        else:
            self._reject(408)

    def send_400_response(self, msg: str) -> None:
        self._reject(400)

    def _reject(self, status: int) -> None:
        """Send an error response and close the connection."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            reason = _REASONS[status]
            body = b'{"error":"%s"}' % reason
            head = (
                b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head % (status, reason, len(body)) + body)
        self._close()
