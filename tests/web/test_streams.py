"""Streams over a real server in this process: sent piece by piece, and no longer made once the reader is gone."""

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
from tests.web.kit import app_of, authenticators, caller, speaking_to

pytestmark = pytest.mark.anyio

STREAM = "text/event-stream"
MOST_PIECES = 3_000


class Kitchen:
    """Where pieces are made, and what became of it."""

    def __init__(self) -> None:
        self.made = 0
        self.more = asyncio.Event()
        self.closed = asyncio.Event()

    async def endless(self) -> AsyncGenerator[bytes, None]:
        """Makes a piece each time it is asked to."""
        try:
            while True:
                self.made += 1
                yield sse.event({"number": self.made})
                await self.more.wait()
                self.more.clear()
        finally:
            self.closed.set()

    async def flowing(self) -> AsyncGenerator[bytes, None]:
        """Never waits for anything but the reader; ends all the same, or a server that waits for nobody would hang."""
        try:
            while self.made < MOST_PIECES:
                self.made += 1
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
    """Goes on."""
    return Stream(call.use(Kitchen).endless())


@routes.add("GET", "/flowing", ANYONE, name="flowing", tx=TxMode.NONE, content_type=STREAM)
async def flowing(call: Call) -> Stream:
    """Goes on without a pause."""
    return Stream(call.use(Kitchen).flowing())


@routes.add("GET", "/short", ANYONE, name="short", tx=TxMode.NONE, content_type=STREAM)
async def short(call: Call) -> Stream:
    """Ends."""
    return Stream(call.use(Kitchen).short())


@routes.add("GET", "/breaking", ANYONE, name="breaking", tx=TxMode.NONE, content_type=STREAM)
async def breaking(call: Call) -> Stream:
    """Breaks off."""
    return Stream(call.use(Kitchen).breaking())


@routes.add("GET", "/watched", needs(KEY), name="watched", tx=TxMode.NONE, content_type=STREAM)
async def watched(call: Call) -> Stream:
    """Ends when the key does."""
    return Stream(call.use(Kitchen).watched(call))


@asynccontextmanager
async def listening(app: App, folder: Path) -> AsyncIterator[int]:
    """The app behind the server that ``loremark serve`` uses; its port."""
    settings = settings_for(folder, f"sqlite:///{folder}/loremark.db", LOREMARK_PORT="0")
    stop = asyncio.Event()
    with server.open_socket(settings) as opened:
        serving = asyncio.create_task(server.listen(app, opened, stop, app.close))
        try:
            async with asyncio.timeout(60):
                while not await _answers(opened.getsockname()[1]):
                    await asyncio.sleep(0.01)
            yield opened.getsockname()[1]
        finally:
            stop.set()
            async with asyncio.timeout(60):
                await serving


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


class Reader:
    """Somebody who reads a stream as it comes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int, path: str, method: str = "GET") -> Reader:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        found = cls(reader, writer)
        found.ask(path, method)
        return found

    def ask(self, path: str, method: str = "GET") -> None:
        self._writer.write(f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())

    async def head(self) -> str:
        async with asyncio.timeout(60):
            return (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()

    async def piece(self) -> bytes | None:
        """The next chunk; empty at the proper end, None when the stream was cut off."""
        async with asyncio.timeout(60):
            try:
                size = int(await self._reader.readuntil(b"\r\n"), 16)
                return (await self._reader.readexactly(size + 2))[:-2]
            except asyncio.IncompleteReadError:
                return None

    def leave(self) -> None:
        self._writer.transport.abort()


@pytest.fixture
async def kitchen() -> Kitchen:
    return Kitchen()


@pytest.fixture
async def port(sqlite: Database, kitchen: Kitchen, tmp_path: Path) -> AsyncIterator[int]:
    async with listening(app_of(routes, sqlite, tools=(kitchen,)), tmp_path) as found:
        yield found


async def test_pieces_arrive_as_they_are_made_with_the_headers_of_every_answer(port: int, kitchen: Kitchen) -> None:
    reader = await Reader.open(port, "/endless")
    head = await reader.head()
    assert "200 ok" in head
    for line in (
        "content-type: text/event-stream",
        "x-ratelimit-limit: 1000",
        "cache-control: no-store",
        "x-request-id: ",
    ):
        assert line in head
    for number in range(1, 4):
        assert await reader.piece() == b'data: {"number":%d}\n\n' % number
        assert kitchen.made == number, "nothing is made ahead"
        kitchen.more.set()
    reader.leave()


async def test_when_the_reader_leaves_no_more_is_made(port: int, kitchen: Kitchen) -> None:
    reader = await Reader.open(port, "/endless")
    await reader.head()
    await reader.piece()
    reader.leave()
    async with asyncio.timeout(60):
        await kitchen.closed.wait()
    assert kitchen.made == 1


async def test_a_reader_who_stops_reading_stops_the_making_too(port: int, kitchen: Kitchen) -> None:
    """What is made waits for the reader: it does not pile up in memory, nor go on once the reader has left."""
    reader = await Reader.open(port, "/flowing")
    await reader.head()
    before = -1
    async with asyncio.timeout(60):
        while kitchen.made != before:
            before = kitchen.made
            await asyncio.sleep(0.3)
    assert 0 < kitchen.made < 1_000, "64 MiB at the very most"
    reader.leave()
    async with asyncio.timeout(60):
        await kitchen.closed.wait()
    assert kitchen.made < MOST_PIECES


async def test_a_stream_that_ends_leaves_the_connection_usable(port: int, kitchen: Kitchen) -> None:
    reader = await Reader.open(port, "/short")
    for _ in range(2):
        await reader.head()
        assert [await reader.piece() for _ in range(4)] == [b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n", b""]
        reader.ask("/short")
    reader.leave()


async def test_a_stream_that_breaks_is_cut_off_and_told_in_the_log(port: int) -> None:
    with capture_logs() as logs:
        reader = await Reader.open(port, "/breaking")
        await reader.head()
        assert await reader.piece() == b"data: 1\n\n"
        assert await reader.piece() is None, "a cut, not a proper end"
        reader.leave()
    (entry,) = [entry for entry in logs if entry["log_level"] == "error"]
    assert "the oven is broken" in str(entry["exc_info"])
    following = await Reader.open(port, "/short")
    assert "200 ok" in await following.head()
    following.leave()


async def test_head_of_a_stream_makes_nothing(port: int, kitchen: Kitchen) -> None:
    reader = await Reader.open(port, "/endless", "HEAD")
    assert "content-type: text/event-stream" in await reader.head()
    reader.ask("/short")
    assert "200 ok" in await reader.head()
    assert await reader.piece() == b"data: 1\n\n"
    assert kitchen.made == 0
    reader.leave()


async def test_many_readers_leave_at_once(port: int, kitchen: Kitchen) -> None:
    readers = [await Reader.open(port, "/endless") for _ in range(30)]
    for reader in readers:
        await reader.head()
    for reader in readers:
        reader.leave()
    following = await Reader.open(port, "/short")
    assert "200 ok" in await following.head()
    following.leave()


async def test_a_stream_ends_when_its_caller_is_no_longer_allowed(sqlite: Database, kitchen: Kitchen) -> None:
    keys = {"key": caller("keeper", AuthMethod.KEY)}
    app = app_of(routes, sqlite, tools=(kitchen,), by=authenticators(keys=keys))
    async with speaking_to(app) as http, asyncio.timeout(60):
        asking = asyncio.create_task(http.get("/watched", headers={"Authorization": "Bearer key"}))
        await asyncio.sleep(0.05)
        assert not asking.done()
        keys.clear()
        answer = await asking
    assert kitchen.closed.is_set()
    assert answer.text.startswith(": keep-alive\n\n")


async def test_a_server_that_stops_ends_its_streams_properly(
    sqlite: Database, kitchen: Kitchen, tmp_path: Path
) -> None:
    async with listening(app_of(routes, sqlite, tools=(kitchen,)), tmp_path) as port:
        reader = await Reader.open(port, "/endless")
        await reader.head()
        await reader.piece()
    assert kitchen.closed.is_set(), "and it did not have to wait for the reader"
    assert await reader.piece() in (b"", None)
    reader.leave()
