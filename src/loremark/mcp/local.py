"""The MCP server in this process over stdio, for when the bridge cannot reach the server: its tools say why."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.stdio import stdio_server

from loremark.client.asynchronous import AsyncClient
from loremark.mcp.bridge import find_place
from loremark.mcp.memory import Memory
from loremark.mcp.problem import Problem
from loremark.mcp.server import build_server

_SIGN_IN = (
    "Not signed in to a Loremark server: run `loremark login` (with the server's address and a key), then "
    "`loremark init` in this folder."
)


def serve(first: bytes) -> int:
    """Until stdin ends; ``first`` is the line that was read already."""
    asyncio.run(_serve(first))
    return 0


@asynccontextmanager
async def open_memory(_: Any) -> AsyncIterator[Memory]:
    """Looked up for every call anew: what is mended meanwhile works from then on."""
    place = await asyncio.to_thread(find_place)
    if not place.is_known:
        raise Problem(_SIGN_IN)
    secrets = {place.project: place.secret} if place.secret else {}
    async with AsyncClient(place.url, place.key, secrets) as client:
        yield Memory(client, place.project)


async def _serve(first: bytes) -> None:
    server = build_server(open_memory)
    async with stdio_server(stdin=_Lines(first)) as (read, write):  # type: ignore[arg-type]
        await server.run(read, write, server.create_initialization_options())


class _Lines:
    """Standard input as lines of text, beginning with one that was read before."""

    def __init__(self, first: bytes) -> None:
        self._first = first

    async def __aiter__(self) -> AsyncIterator[str]:
        line = self._first
        while line:
            yield line.decode("utf-8", "replace")
            line = await asyncio.to_thread(sys.stdin.buffer.readline)
