"""HTTP by hand: exactly these bytes are sent, and exactly what came back is read."""

from __future__ import annotations

import contextlib
import json
import socket
from dataclasses import dataclass

SECONDS = 15.0
"""No answer and no close within this time is a hang."""


@dataclass(frozen=True)
class Answer:
    """One answer as it came over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> str:
        """The text of a refusal, which must be JSON of the agreed form."""
        assert self.headers["content-type"] == "application/json", (self.status, self.headers, self.body[:200])
        content = json.loads(self.body)
        assert list(content) == ["error"], content
        assert isinstance(content["error"], str)
        assert content["error"]
        return content["error"]


class Connection:
    """A socket to the server. Reading gives the next answer, or None once the server has closed."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self._unread = b""

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def send(self, data: bytes) -> Connection:
        """Send; a server that has refused already may have stopped reading."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)
        return self

    def end_sending(self) -> Connection:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        return self

    def read(self, *, head_only: bool = False) -> Answer | None:
        head = self._until(b"\r\n\r\n")
        if head is None:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        status = int(first.split(" ")[1])
        if head_only or status in (100, 204, 304):
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return Answer(status, headers, self._chunks())
        return Answer(status, headers, self._exactly(int(headers.get("content-length", "0"))))

    def _chunks(self) -> bytes:
        parts = b""
        while True:
            size = self._until(b"\r\n")
            assert size is not None, "the answer was cut off"
            part = self._exactly(int(size, 16) + 2)
            if len(part) == 2:
                return parts
            parts += part[:-2]

    def _until(self, mark: bytes) -> bytes | None:
        while mark not in self._unread:
            if not self._receive():
                return None
        found, _, self._unread = self._unread.partition(mark)
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._unread) < size:
            assert self._receive(), "the answer was cut off"
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
    """A request's bytes; ``lines`` are further header lines, sent as they are."""
    parts = [method + b" " + target + b" HTTP/1.1", b"Host: 127.0.0.1", *lines]
    parts += [f"{name}: {value}".encode() for name, value in (headers or {}).items()]
    if body is not None:
        parts.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(parts) + b"\r\n\r\n" + (body or b"")
