"""Serve MCP over HTTP with the SDK's transport."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from loremark.base import limits
from loremark.mcp.asgi_transport import AsgiApp, AsgiExchange
from loremark.mcp.memory import Memory
from loremark.mcp.server import build_server

OPENER = "loremark.open_memory"
"""The ASGI scope key of the function that opens the caller's memory."""


def memory_of(request: Any) -> AbstractAsyncContextManager[Memory]:
    """Open the memory of the request's caller."""
    opened: AbstractAsyncContextManager[Memory] = request.scope[OPENER]()
    return opened


class Endpoint:
    """Handles MCP requests; starts on the first request and runs until closed.

    Stateless, so any process behind a load balancer can handle any request.
    """

    def __init__(self, server: Server[Any] | None = None, *, stateless: bool = True) -> None:
        self._manager = StreamableHTTPSessionManager(
            server or build_server(memory_of), stateless=stateless, max_request_body_size=limits.BODY_BYTES
        )
        self._running: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()

    async def exchange(self, scope: MutableMapping[str, Any], body: bytes) -> AsgiExchange:
        """Start handling a request and return it with its response headers."""
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        await self._ready.wait()
        exchange = AsgiExchange(body)
        app: AsgiApp = self._manager.handle_request
        await exchange.start(app, scope)
        return exchange

    async def close(self) -> None:
        self._stop.set()
        if self._running is not None:
            await asyncio.wait((self._running,))

    async def _run(self) -> None:
        async with self._manager.run():  # must be entered and exited by the same task
            self._ready.set()
            await self._stop.wait()
