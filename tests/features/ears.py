"""Ears on the live stream: over TCP from a real server, or straight from the application."""

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


class Ear:
    """What a stream says, line by line. It ends when the server ends the stream."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()

    def hear(self, line: str | None) -> None:
        self._lines.put_nowait(line)

    async def line(self, seconds: float = 60.0) -> str:
        """The next line; an error when the stream ends instead."""
        async with asyncio.timeout(seconds):
            heard = await self._lines.get()
        assert heard is not _END, "the stream has ended"
        return heard

    async def notice(self, seconds: float = 60.0) -> tuple[Any, ...]:
        """The next notice, as (type, what, project); keep-alive comments are passed over."""
        async with asyncio.timeout(seconds):
            while (heard := await self.line(seconds)) == KEEP_ALIVE:
                pass
        told = json.loads(heard.removeprefix("data: "))
        assert sorted(told) == ["projectId", "type", "what"]
        return told["type"], told["what"], told["projectId"]

    async def until(self, notice: tuple[Any, ...], seconds: float = 60.0) -> None:
        """Pass over all up to this notice: PostgreSQL may tell of a change after it was answered."""
        async with asyncio.timeout(seconds):
            while await self.notice(seconds) != notice:
                pass

    async def end(self, seconds: float) -> list[str]:
        """Wait for the stream's end; what was said before it."""
        said: list[str] = []
        async with asyncio.timeout(seconds):
            while (heard := await self._lines.get()) is not _END:
                said.append(heard)
        return said


@asynccontextmanager
async def over_tcp(http: httpx.AsyncClient, headers: dict[str, str]) -> AsyncIterator[Ear]:
    """Listen to a real server; the stream is open, and ready was heard."""
    ear = Ear()

    async def listen(response: httpx.Response) -> None:
        async for line in response.aiter_lines():
            if line:
                ear.hear(line)
        ear.hear(_END)

    async with http.stream("GET", "/api/live", headers=headers, timeout=60.0) as response:
        ear.status, ear.headers = response.status_code, dict(response.headers)
        listening = asyncio.create_task(listen(response))
        try:
            assert await ear.notice() == ("ready", "", None)
            yield ear
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening


async def _all_told(service: Service) -> None:
    """Until every notice of what was done so far has gone by."""
    with service.house.database.signals.listen("ears") as listener:
        async with asyncio.timeout(60):
            while True:
                async with service.house.database.write() as tx:
                    tx.notify("ears", "")
                if await listener.next(timeout=1.0) is not None:
                    return


@asynccontextmanager
async def in_process(service: Service, headers: dict[str, str]) -> AsyncIterator[Ear]:
    """Listen to the application itself, as a server would run it; at the end the listener goes away."""
    ear = Ear()
    gone = asyncio.Event()

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            ear.status = message["status"]
            ear.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            return
        for line in message["body"].decode().splitlines():
            if line:
                ear.hear(line)
        if not message.get("more_body"):
            ear.hear(_END)

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/live",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }
    await _all_told(service)
    answering = asyncio.create_task(service.app(scope, receive, send))
    try:
        assert await ear.notice() == ("ready", "", None)
        yield ear
    finally:
        gone.set()
        await answering
