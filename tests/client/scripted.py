"""A local server that sends scripted responses, including invalid ones."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Reply = Callable[[socket.socket], bool]
"""Writes to the connection; returns whether to keep it open."""


def says(status: int, body: bytes = b"", *headers: str, close: bool = False) -> Reply:
    """A complete response; with ``close``, the connection is closed afterwards without notice."""

    def write(connection: socket.socket) -> bool:
        lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}", *headers]
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return not close

    return write


def writes(*pieces: bytes, pause_s: float = 0.0, times: int = 1) -> Reply:
    """Raw bytes, optionally repeated, then close the connection."""

    def write(connection: socket.socket) -> bool:
        for _ in range(times):
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(pause_s)
        return False

    return write


def hangs_up() -> Reply:
    return lambda connection: False


class Scripted:
    """Sends the next reply for each request; the last one repeats."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self.replies: list[Reply] = []
        self.requests: list[Request] = []
        self._open: list[socket.socket] = []

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self._open.append(connection)
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def close(self) -> None:
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError, ValueError), connection, connection.makefile("rb") as file:
            while (line := file.readline()).strip():
                method, path, _ = line.decode().split(" ", 2)
                headers: dict[str, str] = {}
                while (head := file.readline().decode().strip()) != "":
                    name, _, value = head.partition(":")
                    headers[name.lower()] = value.strip()
                body = file.read(int(headers.get("content-length", 0)))
                self.requests.append(Request(method, path, headers, body))
                reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
                if not reply(connection):
                    with suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)
                    return


@contextmanager
def scripted() -> Iterator[Scripted]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = Scripted(listening)
    thread = threading.Thread(target=server.accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join(5)
