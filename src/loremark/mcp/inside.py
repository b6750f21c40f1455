"""Calls of our own API inside its process: as over the network, without the network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import httpx

Message = MutableMapping[str, Any]
AsgiApp = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]

_PIECES = 64


class Inside(httpx.AsyncBaseTransport):
    """Sends what is for this server to the application itself, and everything else (a worker elsewhere) out.

    Answers arrive piece by piece, and closing one early tells the application that the reader has gone.
    """

    def __init__(self, app: AsgiApp, base_url: str, address: str, extra: dict[str, Any] | None = None) -> None:
        self._app = app
        self._origin = urlsplit(base_url)[:2]
        self._address = address
        self._extra = extra or {}
        self._outside: httpx.AsyncHTTPTransport | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if urlsplit(str(request.url))[:2] != self._origin:
            if self._outside is None:
                self._outside = httpx.AsyncHTTPTransport()
            return await self._outside.handle_async_request(request)
        exchange = Exchange(await request.aread())
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.split(b"?", 1)[0],
            "root_path": "",
            "query_string": request.url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": (self._address, 0),
            "server": (request.url.host, request.url.port),
            **self._extra,
        }
        await exchange.begin(self._app, scope)
        return httpx.Response(exchange.status, headers=exchange.headers, stream=_Pieces(exchange))

    async def aclose(self) -> None:
        if self._outside is not None:
            await self._outside.aclose()


class Exchange:
    """One request to an ASGI application and its answer, read as it comes."""

    def __init__(self, body: bytes) -> None:
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self._body: bytes | None = body
        self._head = asyncio.Event()
        self._gone = asyncio.Event()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(_PIECES)
        self._task: asyncio.Task[None] | None = None

    async def begin(self, app: AsgiApp, scope: MutableMapping[str, Any]) -> None:
        """Until the answer's head is there."""
        self._task = asyncio.ensure_future(self._run(app, scope))
        head = asyncio.ensure_future(self._head.wait())
        try:
            await asyncio.wait((self._task, head), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.end()
            raise
        finally:
            head.cancel()
        if not self._head.is_set():
            await self._task  # its own fault, told here
            raise RuntimeError("the application ended without an answer")

    async def pieces(self) -> AsyncIterator[bytes]:
        while (piece := await self._pieces.get()) is not None:
            yield piece

    async def end(self) -> None:
        """The reader has gone: so does the work."""
        self._gone.set()
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _run(self, app: AsgiApp, scope: MutableMapping[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._send)
        finally:
            if self._head.is_set() and not self._gone.is_set():
                await self._pieces.put(None)

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = list(message.get("headers", []))
            self._head.set()
        elif message["type"] == "http.response.body" and message.get("body"):
            await self._pieces.put(message["body"])


class _Pieces(httpx.AsyncByteStream):
    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._exchange.pieces():
            yield piece

    async def aclose(self) -> None:
        await self._exchange.end()
