"""The server over HTTP: the SDK's transport, kept running while the API runs."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from loremark.base import limits
from loremark.mcp.inside import AsgiApp, Exchange
from loremark.mcp.memory import Memory
from loremark.mcp.server import build_server

OPENER = "loremark.open_memory"
"""Where in the request's scope the mount has put how to reach the memory of whoever asks."""


def memory_of(request: Any) -> AbstractAsyncContextManager[Memory]:
    """The memory of whoever sent this request."""
    opened: AbstractAsyncContextManager[Memory] = request.scope[OPENER]()
    return opened


class Endpoint:
    """Answers requests from the first one on until it is closed.

    Stateless: every request stands for itself, so any process behind a balancer can answer it.
    """

    def __init__(self, server: Server[Any] | None = None, *, stateless: bool = True) -> None:
        self._manager = StreamableHTTPSessionManager(
            server or build_server(memory_of), stateless=stateless, max_request_body_size=limits.BODY_BYTES
        )
        self._running: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()

    async def exchange(self, scope: MutableMapping[str, Any], body: bytes) -> Exchange:
        """The answer to one request, begun."""
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        await self._ready.wait()
        exchange = Exchange(body)
        app: AsgiApp = self._manager.handle_request
        await exchange.begin(app, scope)
        return exchange

    async def close(self) -> None:
        self._stop.set()
        if self._running is not None:
            await asyncio.wait((self._running,))

    async def _run(self) -> None:
        async with self._manager.run():  # begun and ended by one task, as it must be
            self._ready.set()
            await self._stop.wait()
