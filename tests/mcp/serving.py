"""Serve the app on a loopback port in this process, and connect agents with the official SDK's client."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import uvicorn
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from loremark.base.settings import Settings
from loremark.entry.http_protocol import GuardedProtocol
from tests.support.service import Service, run_service

ERAS = ("2026-07-28", "legacy")


@asynccontextmanager
async def listening(app: Any) -> AsyncIterator[str]:
    """Serve the app on a free port. Yields its URL."""
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    async with on_socket(app, bound):
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@asynccontextmanager
async def on_socket(app: Any, bound: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(
        app, http=GuardedProtocol, ws="none", lifespan="off", log_config=None, access_log=False, proxy_headers=False
    )
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    serving = asyncio.create_task(server._serve(sockets=[bound]))
    try:
        while not server.started:
            await asyncio.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        server.force_exit = True
        await serving
        bound.close()


@asynccontextmanager
async def agent(
    url: str, key: str, era: str = "2026-07-28", project: str = "", **options: Any
) -> AsyncIterator[Client]:
    """Connect an agent to the service with one of the two protocol eras."""
    headers = {"Authorization": f"Bearer {key}"} | ({"X-Loremark-Project": project} if project else {})
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30.0, verify=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=era, **options) as client,
    ):
        yield client


@asynccontextmanager
async def run_listening(settings: Settings) -> AsyncIterator[tuple[Service, str]]:
    """Run the service. Yields it and its URL, which may differ from its settings."""
    async with run_service(settings) as service, listening(service.app) as url:
        yield service, url
