"""The MCP server at POST /mcp. Requests need an API key; the tools call the API in this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from loremark.base import errors
from loremark.web.app import PARENT_REQUEST_ID, App
from loremark.web.authentication import ANY_SCOPE, ANYONE, KEY, Origins, needs
from loremark.web.call import Call
from loremark.web.request import Scope
from loremark.web.response import EVENT_STREAM, Response, Stream, encode_json
from loremark.web.routes import Routes, TxMode

if TYPE_CHECKING:
    from loremark.mcp.asgi_transport import AsgiExchange
    from loremark.mcp.http import Endpoint
    from loremark.mcp.memory import Memory

PATH = "/mcp"
METADATA_PATH = f"/.well-known/oauth-protected-resource{PATH}"
GROUP = "mcp"
_PROJECT_CHARS = 200
_STREAM_S = 3_600.0

routes = Routes(GROUP)


def challenge(base_url: str) -> str:
    """The WWW-Authenticate header for callers without a key."""
    return f'Bearer resource_metadata="{base_url}{METADATA_PATH}"'


class McpMount:
    """The MCP server, created on the first request because importing it takes about a second."""

    def __init__(self, base_url: str, origins: Origins) -> None:
        self.base_url = base_url
        self.app: App | None = None
        self.create_endpoint: Callable[[], Endpoint] = _create_endpoint
        self._origins = origins
        self._creation: asyncio.Task[Endpoint] | None = None

    async def handle(self, call: Call) -> Response | Stream:
        """Handle a request; the response is complete, or an event stream."""
        request = call.request
        self._origins.refuse_cross_site(request)
        body = await request.read_body()
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": urlsplit(self.base_url).scheme,
            "path": PATH,
            "raw_path": PATH.encode(),
            "root_path": "",
            "query_string": request.query_string,
            "headers": [(name, value.strip(b" \t")) for name, value in request.headers.items()],
            "client": (request.address, 0),
            "server": None,
        }
        endpoint = await self._endpoint()
        scope["loremark.open_memory"] = lambda: self._open_memory(call)
        exchange = await _unless_disconnected(endpoint.exchange(scope, body), request.wait_for_disconnect())
        if dict(exchange.headers).get(b"content-type", b"").startswith(EVENT_STREAM):
            headers = [pair for pair in exchange.headers if pair[0] in (b"mcp-session-id", b"cache-control")]
            return Stream(_stream_chunks(exchange), status=exchange.status, headers=headers, max_s=_STREAM_S)
        return await _read_response(exchange)

    async def close(self) -> None:
        if self._creation is None:
            return
        await asyncio.wait([self._creation])
        if not _has_failed(self._creation):  # nothing to close if it could not be created
            await self._creation.result().close()

    async def _endpoint(self) -> Endpoint:
        if self._creation is None or _has_failed(self._creation):
            self._creation = asyncio.create_task(self._create())
        return await asyncio.shield(self._creation)

    async def _create(self) -> Endpoint:
        await asyncio.to_thread(import_module, "loremark.mcp.http")  # in a thread, to keep serving other requests
        return self.create_endpoint()

    @asynccontextmanager
    async def _open_memory(self, call: Call) -> AsyncIterator[Memory]:
        """The API with the caller's key, called in this process and rate-limited once."""
        from loremark.client.async_client import AsyncClient
        from loremark.mcp.asgi_transport import AsgiTransport
        from loremark.mcp.memory import Memory

        assert self.app is not None
        request = call.request
        transport = AsgiTransport(self.app, self.base_url, request.address, {PARENT_REQUEST_ID: request.request_id})
        key = (request.header(b"authorization") or "")[len("bearer ") :].strip()
        project = (request.header(b"x-loremark-project") or "")[:_PROJECT_CHARS]

        async with AsyncClient(self.base_url, key, transport=transport) as client:
            yield Memory(client, project)


@routes.add("POST", PATH, needs(KEY, *ANY_SCOPE), name="message", tx=TxMode.NONE, in_openapi=False)
async def handle_message(call: Call) -> Response | Stream:
    """Model Context Protocol over streamable HTTP."""
    return await call.use(McpMount).handle(call)


@routes.add("GET", METADATA_PATH, ANYONE, name="metadata", tx=TxMode.NONE, in_openapi=False)
async def metadata(call: Call) -> Response:
    """RFC 9728 metadata: this resource takes keys in the Authorization header."""
    base_url = call.use(McpMount).base_url
    fields = {
        "resource": f"{base_url}{PATH}",
        "resource_name": "Loremark project memory",
        "bearer_methods_supported": ["header"],
        "resource_documentation": f"{base_url}/docs",
    }
    return Response(200, encode_json(fields))


def _create_endpoint() -> Endpoint:
    from loremark.mcp.http import Endpoint

    return Endpoint()


def _has_failed(task: asyncio.Task[Any]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


async def _unless_disconnected(response: Awaitable[AsgiExchange], disconnected: Awaitable[None]) -> AsgiExchange:
    """Wait for the response, but stop if the caller disconnects first."""
    handling, disconnecting = asyncio.ensure_future(response), asyncio.ensure_future(disconnected)
    try:
        await asyncio.wait((handling, disconnecting), return_when=asyncio.FIRST_COMPLETED)
        if not handling.done():
            raise errors.BODY_INCOMPLETE()  # the caller is gone
        return handling.result()
    finally:
        for task in (handling, disconnecting):
            task.cancel()
        await asyncio.gather(handling, disconnecting, return_exceptions=True)


async def _stream_chunks(exchange: AsgiExchange) -> AsyncGenerator[bytes, None]:
    try:
        async for chunk in exchange.chunks():
            yield chunk
    finally:
        await exchange.close()


async def _read_response(exchange: AsgiExchange) -> Response:
    body = b"".join([chunk async for chunk in exchange.chunks()])
    headers: dict[bytes, bytes] = dict(exchange.headers)
    forwarded = [(name, value) for name, value in headers.items() if name in (b"mcp-session-id", b"allow")]
    return Response(exchange.status, body, headers.get(b"content-type", b"application/json"), forwarded)
