"""Streams from a real in-process server: sent chunk by chunk, and stopped once the reader disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from loremark.base.caller import AuthMethod
from loremark.entry import server
from loremark.storage.database import Database
from loremark.web import sse
from loremark.web.app import App
from loremark.web.authentication import ANYONE, KEY, needs
from loremark.web.call import Call
from loremark.web.response import Stream
from loremark.web.routes import Routes, TxMode
from tests.support.service import settings_for
from tests.web.kit import authenticators, caller, client_for, make_app

pytestmark = pytest.mark.anyio

STREAM = "text/event-stream"
MAX_CHUNKS = 3_000


class ChunkSource:
    """Produces chunks and records what happened to them."""

    def __init__(self) -> None:
        self.produced = 0
        self.more = asyncio.Event()
        self.closed = asyncio.Event()

    async def endless(self) -> AsyncGenerator[bytes, None]:
        """Produces a chunk each time ``more`` is set."""
        try:
            while True:
                self.produced += 1
                yield sse.event({"number": self.produced})
                await self.more.wait()
                self.more.clear()
        finally:
            self.closed.set()

    async def flowing(self) -> AsyncGenerator[bytes, None]:
        """Waits only for the reader; finite, so that a server without backpressure does not hang."""
        try:
            while self.produced < MAX_CHUNKS:
                self.produced += 1
                yield b"x" * 65_536
        finally:
            self.closed.set()

    async def short(self) -> AsyncGenerator[bytes, None]:
        for number in (1, 2, 3):
            yield sse.event(number)
        self.closed.set()

    async def breaking(self) -> AsyncGenerator[bytes, None]:
        yield sse.event(1)
        raise RuntimeError("the oven is broken")

    async def watched(self, call: Call) -> AsyncGenerator[bytes, None]:
        while await call.still_allowed():
            yield sse.KEEP_ALIVE
            await asyncio.sleep(0.01)
        self.closed.set()


routes = Routes("streams")


@routes.add("GET", "/endless", ANYONE, name="endless", tx=TxMode.NONE, content_type=STREAM)
async def endless(call: Call) -> Stream:
    """Never ends."""
    return Stream(call.use(ChunkSource).endless())


@routes.add("GET", "/flowing", ANYONE, name="flowing", tx=TxMode.NONE, content_type=STREAM)
async def flowing(call: Call) -> Stream:
    """Produces without a pause."""
    return Stream(call.use(ChunkSource).flowing())


@routes.add("GET", "/short", ANYONE, name="short", tx=TxMode.NONE, content_type=STREAM)
async def short(call: Call) -> Stream:
    """Ends after three events."""
    return Stream(call.use(ChunkSource).short())


@routes.add("GET", "/breaking", ANYONE, name="breaking", tx=TxMode.NONE, content_type=STREAM)
async def breaking(call: Call) -> Stream:
    """Fails after one event."""
    return Stream(call.use(ChunkSource).breaking())


@routes.add("GET", "/watched", needs(KEY, "read"), name="watched", tx=TxMode.NONE, content_type=STREAM)
async def watched(call: Call) -> Stream:
    """Ends when the key is revoked."""
    return Stream(call.use(ChunkSource).watched(call))


@asynccontextmanager
async def run_server(app: App, folder: Path) -> AsyncIterator[int]:
    """Run the app on the server that ``loremark serve`` uses; yields its port."""
    settings = settings_for(folder, f"sqlite:///{folder}/loremark.db", LOREMARK_PORT="0")
    stop = asyncio.Event()
    with server.open_socket(settings) as opened:
        serving = asyncio.create_task(server.listen(app, opened, stop, app.close))
        try:
            async with asyncio.timeout(60):
                while not await _accepts_connections(opened.getsockname()[1]):
                    await asyncio.sleep(0.01)
            yield opened.getsockname()[1]
        finally:
            stop.set()
            async with asyncio.timeout(60):
                await serving


async def _accepts_connections(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


class Reader:
    """A client that reads a stream as it arrives."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int, path: str, method: str = "GET") -> Reader:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        found = cls(reader, writer)
        found.request(path, method)
        return found

    def request(self, path: str, method: str = "GET") -> None:
        self._writer.write(f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())

    async def read_head(self) -> str:
        async with asyncio.timeout(60):
            return (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()

    async def read_chunk(self) -> bytes | None:
        """The next chunk; empty at a proper end, None if the stream was cut off."""
        async with asyncio.timeout(60):
            try:
                size = int(await self._reader.readuntil(b"\r\n"), 16)
                return (await self._reader.readexactly(size + 2))[:-2]
            except asyncio.IncompleteReadError:
                return None

    def disconnect(self) -> None:
        self._writer.transport.abort()


@pytest.fixture
async def source() -> ChunkSource:
    return ChunkSource()


@pytest.fixture
async def port(sqlite: Database, source: ChunkSource, tmp_path: Path) -> AsyncIterator[int]:
    async with run_server(make_app(routes, sqlite, services=(source,)), tmp_path) as found:
        yield found


async def test_chunks_arrive_as_produced_with_the_usual_headers(port: int, source: ChunkSource) -> None:
    reader = await Reader.open(port, "/endless")
    head = await reader.read_head()
    assert "200 ok" in head
    for line in (
        "content-type: text/event-stream",
        "x-ratelimit-limit: 1000",
        "cache-control: no-store",
        "x-request-id: ",
    ):
        assert line in head
    for number in range(1, 4):
        assert await reader.read_chunk() == b'data: {"number":%d}\n\n' % number
        assert source.produced == number, "nothing is produced ahead"
        source.more.set()
    reader.disconnect()


async def test_disconnect_stops_production(port: int, source: ChunkSource) -> None:
    reader = await Reader.open(port, "/endless")
    await reader.read_head()
    await reader.read_chunk()
    reader.disconnect()
    async with asyncio.timeout(60):
        await source.closed.wait()
    assert source.produced == 1


async def test_slow_reader_pauses_production(port: int, source: ChunkSource) -> None:
    """Chunks do not pile up in memory, and production stops once the reader disconnects."""
    reader = await Reader.open(port, "/flowing")
    await reader.read_head()
    before = -1
    async with asyncio.timeout(60):
        while source.produced != before:
            before = source.produced
            await asyncio.sleep(0.3)
    assert 0 < source.produced < 1_000, "at most 64 MiB"
    reader.disconnect()
    async with asyncio.timeout(60):
        await source.closed.wait()
    assert source.produced < MAX_CHUNKS


async def test_connection_is_reusable_after_a_stream_ends(port: int, source: ChunkSource) -> None:
    reader = await Reader.open(port, "/short")
    for _ in range(2):
        await reader.read_head()
        assert [await reader.read_chunk() for _ in range(4)] == [b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n", b""]
        reader.request("/short")
    reader.disconnect()


async def test_failed_stream_is_cut_off_and_logged(port: int) -> None:
    with capture_logs() as logs:
        reader = await Reader.open(port, "/breaking")
        await reader.read_head()
        assert await reader.read_chunk() == b"data: 1\n\n"
        assert await reader.read_chunk() is None, "cut off, not ended properly"
        reader.disconnect()
    (entry,) = [entry for entry in logs if entry["log_level"] == "error"]
    assert "the oven is broken" in str(entry["exc_info"])
    following = await Reader.open(port, "/short")
    assert "200 ok" in await following.read_head()
    following.disconnect()


async def test_head_request_does_not_start_the_stream(port: int, source: ChunkSource) -> None:
    reader = await Reader.open(port, "/endless", "HEAD")
    assert "content-type: text/event-stream" in await reader.read_head()
    reader.request("/short")
    assert "200 ok" in await reader.read_head()
    assert await reader.read_chunk() == b"data: 1\n\n"
    assert source.produced == 0
    reader.disconnect()


async def test_many_readers_disconnect_at_once(port: int, source: ChunkSource) -> None:
    readers = [await Reader.open(port, "/endless") for _ in range(30)]
    for reader in readers:
        await reader.read_head()
    for reader in readers:
        reader.disconnect()
    following = await Reader.open(port, "/short")
    assert "200 ok" in await following.read_head()
    following.disconnect()


async def test_stream_ends_when_its_caller_loses_access(sqlite: Database, source: ChunkSource) -> None:
    keys = {"key": caller("keeper", AuthMethod.KEY)}
    app = make_app(routes, sqlite, services=(source,), auth=authenticators(keys=keys))
    async with client_for(app) as http, asyncio.timeout(60):
        pending = asyncio.create_task(http.get("/watched", headers={"Authorization": "Bearer key"}))
        await asyncio.sleep(0.05)
        assert not pending.done()
        keys.clear()
        response = await pending
    assert source.closed.is_set()
    assert response.text.startswith(": keep-alive\n\n")


async def test_server_shutdown_ends_its_streams(sqlite: Database, source: ChunkSource, tmp_path: Path) -> None:
    async with run_server(make_app(routes, sqlite, services=(source,)), tmp_path) as port:
        reader = await Reader.open(port, "/endless")
        await reader.read_head()
        await reader.read_chunk()
    assert source.closed.is_set(), "shutdown did not wait for the reader"
    assert await reader.read_chunk() in (b"", None)
    reader.disconnect()
