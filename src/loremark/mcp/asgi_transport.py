"""An httpx transport that calls our own ASGI app in process."""

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

_MAX_QUEUED = 64


class AsgiTransport(httpx.AsyncBaseTransport):
    """Routes requests for this server to the app, and others (such as a remote worker) over the network.

    Responses are streamed, and closing one early disconnects it from the app.
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
        exchange = AsgiExchange(await request.aread())
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
        await exchange.start(self._app, scope)
        return httpx.Response(exchange.status, headers=exchange.headers, stream=_ChunkStream(exchange))

    async def aclose(self) -> None:
        if self._outside is not None:
            await self._outside.aclose()


class AsgiExchange:
    """One request to an ASGI app and its streamed response."""

    def __init__(self, body: bytes) -> None:
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self._body: bytes | None = body
        self._started = asyncio.Event()
        self._disconnected = asyncio.Event()
        self._chunks: asyncio.Queue[bytes | None] = asyncio.Queue(_MAX_QUEUED)
        self._task: asyncio.Task[None] | None = None

    async def start(self, app: AsgiApp, scope: MutableMapping[str, Any]) -> None:
        """Start the request and wait for the response headers."""
        self._task = asyncio.ensure_future(self._run(app, scope))
        head = asyncio.ensure_future(self._started.wait())
        try:
            await asyncio.wait((self._task, head), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.close()
            raise
        finally:
            head.cancel()
        if not self._started.is_set():
            await self._task  # re-raise the app's error
            raise RuntimeError("the application finished without a response")

    async def chunks(self) -> AsyncIterator[bytes]:
        while (chunk := await self._chunks.get()) is not None:
            yield chunk

    async def close(self) -> None:
        """Disconnect and cancel the request."""
        self._disconnected.set()
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _run(self, app: AsgiApp, scope: MutableMapping[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._send)
        finally:
            if self._started.is_set() and not self._disconnected.is_set():
                await self._chunks.put(None)

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._disconnected.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = list(message.get("headers", []))
            self._started.set()
        elif message["type"] == "http.response.body" and message.get("body"):
            await self._chunks.put(message["body"])


class _ChunkStream(httpx.AsyncByteStream):
    def __init__(self, exchange: AsgiExchange) -> None:
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._exchange.chunks():
            yield chunk

    async def aclose(self) -> None:
        await self._exchange.close()
