"""Run the MCP server in this process over stdio when the bridge can't reach the server. Its tools say why."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.stdio import stdio_server

from loremark.client.async_client import AsyncClient
from loremark.mcp.bridge import load_connection
from loremark.mcp.errors import ToolError
from loremark.mcp.memory import Memory
from loremark.mcp.server import build_server

_SIGN_IN = "Not signed in to a Loremark server: run `loremark login`, then `loremark init` in this folder."


def serve(first: bytes) -> int:
    """Serve until stdin is closed. ``first`` is the line that was already read."""
    asyncio.run(_serve(first))
    return 0


@asynccontextmanager
async def open_memory(_: Any) -> AsyncIterator[Memory]:
    """Open the memory. Reloads the connection on every call, so signing in takes effect right away."""
    connection = await asyncio.to_thread(load_connection)
    if not connection.is_configured:
        raise ToolError(_SIGN_IN)
    async with AsyncClient(connection.url, connection.key) as client:
        yield Memory(client, connection.project)


async def _serve(first: bytes) -> None:
    server = build_server(open_memory)
    async with stdio_server(stdin=_Lines(first)) as (read, write):  # type: ignore[arg-type]
        await server.run(read, write, server.create_initialization_options())


class _Lines:
    """Lines of stdin, starting with one that was already read."""

    def __init__(self, first: bytes) -> None:
        self._first = first

    async def __aiter__(self) -> AsyncIterator[str]:
        line = self._first
        while line:
            yield line.decode("utf-8", "replace")
            line = await asyncio.to_thread(sys.stdin.buffer.readline)
