"""A process that serves Loremark for the conformance suite: our app and MCP endpoint with a real key.

The suite sends no credentials, so requests without any get the owner's key; everything else is the product.
``--fixtures`` adds the suite's own tools, and keeps sessions, because some of them send requests to the client.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import warnings
from pathlib import Path
from typing import Any

from mcp.shared.exceptions import MCPDeprecationWarning

from loremark.entry.mcp_endpoint import McpMount
from loremark.mcp.http import Endpoint, memory_of
from loremark.mcp.server import build_server
from tests.mcp.fixtures import Fixtures
from tests.mcp.serving import on_socket
from tests.support import databases
from tests.support.service import run_service, settings_for

warnings.simplefilter("ignore", MCPDeprecationWarning)


def _make() -> Endpoint:
    server = build_server(memory_of)
    Fixtures(server)
    return Endpoint(server, stateless=False)


async def main(folder: Path, *, fixtures: bool) -> None:
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    settings = settings_for(folder, databases.fresh("sqlite", folder), LOREMARK_BASE_URL=url)
    async with run_service(settings) as service:
        owner = await service.owner()
        project_id = await owner.create_project("Conformance")
        if fixtures:
            service.app._services.use(McpMount).create_endpoint = _make
        key = f"Bearer {owner.key}".encode()

        async def with_key(scope: Any, receive: Any, send: Any) -> None:
            if not any(name == b"authorization" for name, _ in scope["headers"]):
                scope["headers"] = [*scope["headers"], (b"authorization", key)]
            await service.app(scope, receive, send)

        async with on_socket(with_key, bound):
            print(url, owner.key, project_id, flush=True)
            await asyncio.to_thread(sys.stdin.read)
            service.app.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), fixtures="--fixtures" in sys.argv))
