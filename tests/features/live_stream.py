"""Readers of the live stream: over TCP from a real server, or directly from the application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx

from loremark.web.request import Message
from tests.support.service import Service

KEEP_ALIVE = ": keep-alive"
_END = None


class StreamReader:
    """Reads a stream line by line until the server ends it."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()

    def feed(self, line: str | None) -> None:
        self._lines.put_nowait(line)

    async def line(self, seconds: float = 60.0) -> str:
        """The next line; fails if the stream ends."""
        async with asyncio.timeout(seconds):
            line = await self._lines.get()
        assert line is not _END, "the stream has ended"
        return line

    async def event(self, seconds: float = 60.0) -> tuple[Any, ...]:
        """The next event as (type, resource, project), skipping keep-alive comments."""
        async with asyncio.timeout(seconds):
            while (line := await self.line(seconds)) == KEEP_ALIVE:
                pass
        event = json.loads(line.removeprefix("data: "))
        assert sorted(event) == ["projectId", "resource", "type"]
        return event["type"], event["resource"], event["projectId"]

    async def until(self, event: tuple[Any, ...], seconds: float = 60.0) -> None:
        """Skip events up to this one: with PostgreSQL, an event may arrive after the response."""
        async with asyncio.timeout(seconds):
            while await self.event(seconds) != event:
                pass

    async def end(self, seconds: float) -> list[str]:
        """Wait for the end of the stream; returns the remaining lines."""
        lines: list[str] = []
        async with asyncio.timeout(seconds):
            while (line := await self._lines.get()) is not _END:
                lines.append(line)
        return lines


@asynccontextmanager
async def over_tcp(http: httpx.AsyncClient, headers: dict[str, str]) -> AsyncIterator[StreamReader]:
    """Read from a real server; yields after the ready event."""
    reader = StreamReader()

    async def listen(response: httpx.Response) -> None:
        async for line in response.aiter_lines():
            if line:
                reader.feed(line)
        reader.feed(_END)

    async with http.stream("GET", "/api/live", headers=headers, timeout=60.0) as response:
        reader.status, reader.headers = response.status_code, dict(response.headers)
        listening = asyncio.create_task(listen(response))
        try:
            assert await reader.event() == ("ready", "", None)
            yield reader
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening


async def _wait_for_signals(service: Service) -> None:
    """Wait until all signals sent so far were delivered."""
    with service.runtime.database.signals.listen("test") as listener:
        async with asyncio.timeout(60):
            while True:
                async with service.runtime.database.write() as tx:
                    tx.notify("test", "")
                if await listener.next(timeout=1.0) is not None:
                    return


@asynccontextmanager
async def in_process(service: Service, headers: dict[str, str]) -> AsyncIterator[StreamReader]:
    """Read from the application in process; disconnects at the end."""
    reader = StreamReader()
    disconnected = asyncio.Event()

    async def receive() -> Message:
        await disconnected.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            reader.status = message["status"]
            reader.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            return
        for line in message["body"].decode().splitlines():
            if line:
                reader.feed(line)
        if not message.get("more_body"):
            reader.feed(_END)

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/live",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }
    await _wait_for_signals(service)
    request = asyncio.create_task(service.app(scope, receive, send))
    try:
        assert await reader.event() == ("ready", "", None)
        yield reader
    finally:
        disconnected.set()
        await request
