"""Raw HTTP over a socket: sends exactly the given bytes and parses exactly what comes back."""

from __future__ import annotations

import contextlib
import json
import socket
from dataclasses import dataclass

TIMEOUT_S = 15.0
"""No response and no close within this time counts as a hang."""


@dataclass(frozen=True)
class RawResponse:
    """One response as received."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> str:
        """The text of an error response, which must be JSON in the documented form."""
        assert self.headers["content-type"] == "application/json", (self.status, self.headers, self.body[:200])
        content = json.loads(self.body)
        assert list(content) == ["error"], content
        assert isinstance(content["error"], str)
        assert content["error"]
        return content["error"]


class Connection:
    """A socket to the server. ``read`` returns the next response, or None once the server has closed."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
        self._unread = b""

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def send(self, data: bytes) -> Connection:
        """Send, ignoring errors: a server that has already refused may have stopped reading."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)
        return self

    def end_sending(self) -> Connection:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        return self

    def read(self, *, head_only: bool = False) -> RawResponse | None:
        head = self._read_until(b"\r\n\r\n")
        if head is None:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        status = int(first.split(" ")[1])
        if head_only or status in (100, 204, 304):
            return RawResponse(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return RawResponse(status, headers, self._read_chunks())
        return RawResponse(status, headers, self._read_exactly(int(headers.get("content-length", "0"))))

    def _read_chunks(self) -> bytes:
        parts = b""
        while True:
            size = self._read_until(b"\r\n")
            assert size is not None, "the response was cut off"
            part = self._read_exactly(int(size, 16) + 2)
            if len(part) == 2:
                return parts
            parts += part[:-2]

    def _read_until(self, delimiter: bytes) -> bytes | None:
        while delimiter not in self._unread:
            if not self._receive():
                return None
        found, _, self._unread = self._unread.partition(delimiter)
        return found

    def _read_exactly(self, size: int) -> bytes:
        while len(self._unread) < size:
            assert self._receive(), "the response was cut off"
        found, self._unread = self._unread[:size], self._unread[size:]
        return found

    def _receive(self) -> bool:
        try:
            data = self._socket.recv(65_536)
        except ConnectionResetError:
            return False
        self._unread += data
        return bool(data)


def request(
    method: bytes = b"GET",
    target: bytes = b"/healthz",
    headers: dict[str, str] | None = None,
    *lines: bytes,
    body: bytes | None = None,
) -> bytes:
    """The bytes of a request; ``lines`` are extra header lines, sent verbatim."""
    parts = [method + b" " + target + b" HTTP/1.1", b"Host: 127.0.0.1", *lines]
    parts += [f"{name}: {value}".encode() for name, value in (headers or {}).items()]
    if body is not None:
        parts.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(parts) + b"\r\n\r\n" + (body or b"")
