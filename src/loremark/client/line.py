"""A connection that is opened when it is needed, and never waited for without end."""

from __future__ import annotations

import http.client
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from loremark.client import protocol
from loremark.client.call import ApiError, Call

T = TypeVar("T")


class Line:
    """One connection to one server; ``seconds`` bounds each wait, ``most_seconds`` all of one exchange."""

    def __init__(self, url: str, seconds: float, most_seconds: float) -> None:
        self._url = url
        self._seconds = seconds
        self._most_seconds = most_seconds
        self._open: http.client.HTTPConnection | None = None
        self._was_cut = False

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    @contextmanager
    def exchange(self, call: Call[T], sent: dict[str, str]) -> Iterator[http.client.HTTPResponse]:
        """Ask, and read the answer inside the block. What is raised there closes the connection."""
        connection = self._connected()
        self._was_cut = False
        # A server that sends a byte now and then never runs into a socket's own timeout.
        timer = threading.Timer(self._most_seconds, self._cut, [connection.sock])
        timer.daemon = True
        timer.start()
        try:
            connection.request(call.method, protocol.address(self._url).path + call.path, call.body, sent)
            answer = connection.getresponse()
            try:
                yield answer
            finally:
                if not answer.isclosed():  # what is left of it would be taken for the next answer
                    answer.close()
                    self.close()
        except BaseException:
            self.close()
            raise
        finally:
            timer.cancel()
        if self._was_cut:
            self.close()
            raise TimeoutError

    def failure(self, error: BaseException) -> ApiError:
        if self._was_cut:
            return protocol.too_slow(self._url)
        return protocol.unreachable(self._url, error)

    @staticmethod
    def told(answer: http.client.HTTPResponse) -> dict[str, str]:
        return {name.lower(): value for name, value in answer.getheaders()}

    def _connected(self) -> http.client.HTTPConnection:
        if self._open is not None and self._open.sock is not None and _has_been_left(self._open.sock):
            self.close()
        if self._open is None:
            self._open = _connection(self._url, self._seconds)
        if self._open.sock is None:
            self._open.connect()
        return self._open

    def _cut(self, connected: socket.socket) -> None:
        self._was_cut = True
        with suppress(OSError):
            # Not the method of an encrypted socket, which must not be called beside its reader.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)


def _has_been_left(connected: socket.socket) -> bool:
    """Whether the other side has closed meanwhile: then nothing that must not be repeated is sent into the void."""
    try:
        return bool(select.select([connected], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _connection(url: str, seconds: float) -> http.client.HTTPConnection:
    place = protocol.address(url)
    kind = http.client.HTTPSConnection if place.is_safe else http.client.HTTPConnection
    return kind(place.host, place.port, timeout=seconds)
