"""A reusable HTTP connection with a total timeout per request."""

from __future__ import annotations

import http.client
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from loremark.base.server_lock import refuse_stopped
from loremark.client import protocol
from loremark.client.call import ApiError, Call

T = TypeVar("T")


class HttpConnection:
    """A connection to one server. ``timeout_s`` limits each socket operation, ``total_timeout_s`` a whole exchange."""

    def __init__(self, url: str, timeout_s: float, total_timeout_s: float) -> None:
        self._url = url
        self._timeout_s = timeout_s
        self._total_timeout_s = total_timeout_s
        self._connection: http.client.HTTPConnection | None = None
        self._timed_out = False

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def exchange(self, call: Call[T], headers: dict[str, str]) -> Iterator[http.client.HTTPResponse]:
        """Send the request; read the response inside the block. Any exception closes the connection."""
        connection = self._connect()
        self._timed_out = False
        # A server that keeps sending single bytes never triggers the socket timeout.
        timer = threading.Timer(self._total_timeout_s, self._abort, [connection.sock])
        timer.daemon = True
        timer.start()
        try:
            connection.request(call.method, protocol.parse_address(self._url).path + call.path, call.body, headers)
            response = connection.getresponse()
            try:
                yield response
            finally:
                if not response.isclosed():  # unread bytes would be taken for the next response
                    response.close()
                    self.close()
        except BaseException:
            self.close()
            raise
        finally:
            timer.cancel()
        if self._timed_out:
            self.close()
            raise TimeoutError

    def failure(self, error: BaseException) -> ApiError:
        if self._timed_out:
            return protocol.timeout_error(self._url)
        return protocol.unreachable_error(self._url, error)

    @staticmethod
    def response_headers(response: http.client.HTTPResponse) -> dict[str, str]:
        return {name.lower(): value for name, value in response.getheaders()}

    def _connect(self) -> http.client.HTTPConnection:
        if (
            self._connection is not None
            and self._connection.sock is not None
            and _is_closed_by_server(self._connection.sock)
        ):
            self.close()
        if self._connection is None:
            self._connection = _open_connection(self._url, self._timeout_s)
        if self._connection.sock is None:
            refuse_stopped(self._connection.host, self._connection.port)
            self._connection.connect()
        return self._connection

    def _abort(self, sock: socket.socket) -> None:
        self._timed_out = True
        with suppress(OSError):
            # SSLSocket.shutdown must not run while another thread reads from it.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _is_closed_by_server(sock: socket.socket) -> bool:
    """Whether the server has closed the idle connection, so a non-idempotent request is not lost on it."""
    try:
        return bool(select.select([sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _open_connection(url: str, timeout_s: float) -> http.client.HTTPConnection:
    address = protocol.parse_address(url)
    connection_type = http.client.HTTPSConnection if address.is_https else http.client.HTTPConnection
    return connection_type(address.host, address.port, timeout=timeout_s)
