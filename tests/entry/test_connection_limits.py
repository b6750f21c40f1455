"""Connections without a request cannot shut others out: not many at once, and none for long."""

from __future__ import annotations

import asyncio
import resource
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from loremark.entry import connection_limits, http_protocol, server

pytestmark = pytest.mark.anyio

_TIMEOUT_S = 20.0
_HALF = b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "
_WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
_MOST = 8


async def _app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def _serving(*trusted_proxies: str, app: Any = None) -> AsyncIterator[int]:
    listening = socket.create_server(("127.0.0.1", 0))
    stop = asyncio.Event()
    running = asyncio.create_task(server.listen(app or _app, listening, stop, trusted_proxies=trusted_proxies))
    try:
        yield listening.getsockname()[1]
    finally:
        stop.set()
        await running
        listening.close()


@pytest.fixture(autouse=True)
def _few_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "_MOST", _MOST)
    monkeypatch.setattr(server, "_tune_garbage_collection", lambda: None)
    monkeypatch.setattr(server, "raise_file_limit", lambda: None)


class _Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def ask(self) -> bytes:
        """Send the rest of a request, and return the response, or what there is of it."""
        self._writer.write(b"\r\n\r\n")
        return await self.read()

    async def request(self) -> bytes:
        self._writer.write(_WHOLE)
        return await self.read()

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def read(self) -> bytes:
        async with asyncio.timeout(_TIMEOUT_S):
            try:
                head = await self._reader.readuntil(b"\r\n\r\n")
                if b"200 OK" in head:
                    await self._reader.readexactly(2)
            except (asyncio.IncompleteReadError, ConnectionResetError):
                return b""
            return head

    async def is_closed(self) -> bool:
        async with asyncio.timeout(_TIMEOUT_S):
            try:
                return await self._reader.read(10_000) == b""
            except ConnectionResetError:
                return True

    def close(self) -> None:
        self._writer.close()


async def _connect(port: int, data: bytes, source: str = "127.0.0.1") -> _Client:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    writer.write(data)
    await writer.drain()
    return _Client(reader, writer)


async def _settle(port: int) -> None:
    """Wait until the server has accepted the connections so far."""
    other = await _connect(port, b"", "127.0.0.3")
    assert b"200 OK" in await other.request()
    other.close()


def _statuses(responses: list[bytes]) -> list[bytes]:
    return [response[9:12] for response in responses]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux answers on all of 127.0.0.0/8")
async def test_half_open_connections_of_one_address_are_limited() -> None:
    async with _serving() as port:
        elsewhere = await _connect(port, _HALF, "127.0.0.2")
        half_open = [await _connect(port, _HALF) for _ in range(3 * _MOST)]
        await _settle(port)
        newest = await _connect(port, b"")
        assert b"200 OK" in await newest.request(), "the attacker's neighbours are served"
        responses = [await client.ask() for client in half_open]
        statuses = _statuses(responses)
        assert statuses == [b"408"] * (2 * _MOST + 1) + [b"200"] * (_MOST - 1), "the oldest were closed"
        assert b"200 OK" in await elsewhere.ask()
        for client in (elsewhere, newest, *half_open):
            client.close()


async def test_proxy_may_keep_any_number_of_connections() -> None:
    async with _serving("127.0.0.0/8") as port:
        half_open = [await _connect(port, _HALF) for _ in range(3 * _MOST)]
        assert _statuses([await client.ask() for client in half_open]) == [b"200"] * (3 * _MOST)
        for client in half_open:
            client.close()


async def test_running_requests_are_not_limited() -> None:
    """Streams stay open for hours."""
    release = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await release.wait()
        await _app(scope, receive, send)

    listening = socket.create_server(("127.0.0.1", 0))
    stop = asyncio.Event()
    running = asyncio.create_task(server.listen(slow, listening, stop))
    port = listening.getsockname()[1]
    streams = [await _connect(port, _WHOLE) for _ in range(3 * _MOST)]
    await asyncio.sleep(0.1)
    release.set()
    assert _statuses([await client.read() for client in streams]) == [b"200"] * (3 * _MOST)
    for client in streams:
        client.close()
    stop.set()
    await running
    listening.close()


_BIG = 64 * 1024 * 1024


async def _big_app(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % _BIG)]})
    await send({"type": "http.response.body", "body": bytes(_BIG)})


@pytest.mark.parametrize("requests", [1, 20], ids=["one", "pipelined"])
async def test_client_that_reads_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, requests: int) -> None:
    """With pipelined requests no response is ever complete, so that nothing else would end the connection."""
    monkeypatch.setattr(http_protocol, "_READ_S", 0.5)
    async with _serving(app=_big_app) as port:
        stuck = [_raw(port, _WHOLE * requests) for _ in range(2)]
        await asyncio.sleep(2.0)
        for client in stuck:
            assert await asyncio.to_thread(_read_all, client) < _BIG, "the server has given up"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux answers on all of 127.0.0.0/8")
async def test_connections_that_read_nothing_are_limited() -> None:
    async with _serving(app=_big_app) as port:
        stuck = [_raw(port, _WHOLE * 20) for _ in range(3 * _MOST)]
        await asyncio.sleep(1.0)
        ended = [await asyncio.to_thread(_has_ended, client) for client in stuck]
        assert sum(ended) == 2 * _MOST
        for client in stuck:
            client.close()


async def test_slow_reader_gets_the_whole_response(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "_READ_S", 0.2)
    async with _serving(app=_big_app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=64 * 1024)
        writer.write(_WHOLE)
        await reader.readuntil(b"\r\n\r\n")
        left = _BIG
        while left:
            left -= len(await reader.read(4 * 1024 * 1024))
            if left % 5 == 0:
                await asyncio.sleep(0.05)
        writer.close()


def _raw(port: int, data: bytes) -> socket.socket:
    """A connection that leaves everything unread."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    client.connect(("127.0.0.1", port))
    client.sendall(data)
    client.settimeout(_TIMEOUT_S)
    return client


def _has_ended(client: socket.socket) -> bool:
    """Whether the server has ended the connection: it then answers with a reset."""
    try:
        client.sendall(b"x")
    except (ConnectionResetError, BrokenPipeError):
        return True
    return client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0


def _read_all(client: socket.socket) -> int:
    """Read until the server ends the connection, and return how much there was."""
    size = 0
    with client:
        try:
            while data := client.recv(1024 * 1024):
                size += len(data)
        except ConnectionResetError:
            pass
    return size


async def test_idle_connections_count_and_are_closed_without_a_response() -> None:
    async with _serving() as port:
        idle = [await _connect(port, b"") for _ in range(_MOST)]
        assert _statuses([await client.request() for client in idle]) == [b"200"] * _MOST
        one_more = await _connect(port, b"")
        assert b"200 OK" in await one_more.request()
        assert await idle[0].is_closed()
        assert _statuses([await client.request() for client in idle[1:]]) == [b"200"] * (_MOST - 1)
        for client in (one_more, *idle):
            client.close()


@pytest.mark.parametrize("first", [b"", _HALF, b"\r\n"], ids=["nothing", "half a head", "an empty line"])
@pytest.mark.parametrize("is_idle", [False, True], ids=["new", "after a request"])
async def test_head_that_does_not_arrive_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch, first: bytes, is_idle: bool
) -> None:
    monkeypatch.setattr(http_protocol, "_HEADERS_S", 1.0)
    if not first:
        monkeypatch.setattr(server, "_KEEP_ALIVE_S", 1)
    async with _serving() as port:
        client = await _connect(port, _WHOLE if is_idle else first)
        if is_idle:
            assert b"200 OK" in await client.read()
            client.send(first)
        response = await client.read()
        assert response[9:12] == (b"" if is_idle and not first else b"408")
        assert await client.is_closed() or response
        client.close()


def test_file_limit_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    low = 1_024
    if hard != resource.RLIM_INFINITY and hard <= low:
        pytest.skip("the system grants no more files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (low, hard))
    try:
        connection_limits.raise_file_limit()
        raised, unchanged = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert raised > low
        assert unchanged == hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
