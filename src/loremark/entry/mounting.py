"""The MCP server inside the API: POST /mcp, each request with a key, its tools calling the API in this process."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from loremark.base import errors
from loremark.base.caller import Caller
from loremark.base.crypto import Sealer
from loremark.features.projects.access import Right, get_project
from loremark.features.projects.secrets import secret_context
from loremark.storage.database import Database
from loremark.web.app import WITHIN, App
from loremark.web.call import Call
from loremark.web.needs import ANYONE, KEY, Origins, needs
from loremark.web.request import Scope
from loremark.web.response import EVENT_STREAM, Response, Stream, encode_json
from loremark.web.routes import Routes, TxMode

if TYPE_CHECKING:
    from loremark.mcp.http import Endpoint
    from loremark.mcp.inside import Exchange
    from loremark.mcp.memory import Memory

PATH = "/mcp"
METADATA_PATH = f"/.well-known/oauth-protected-resource{PATH}"
GROUP = "mcp"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PROJECT_CHARS = 200
_STREAM_S = 3_600.0

routes = Routes(GROUP)


def challenge(base_url: str) -> str:
    """What a caller without a key is told: where it says how to get in."""
    return f'Bearer resource_metadata="{base_url}{METADATA_PATH}"'


class Mount:
    """The MCP server, made at the first request: loading it takes a second that a start should not."""

    def __init__(self, base_url: str, database: Database, sealer: Sealer, origins: Origins) -> None:
        self.base_url = base_url
        self.app: App | None = None
        self.make: Callable[[], Endpoint] = _make
        self._database = database
        self._sealer = sealer
        self._origins = origins
        self._host = urlsplit(base_url).hostname or ""
        self._making: asyncio.Task[Endpoint] | None = None

    async def answer(self, call: Call) -> Response | Stream:
        """Hand a request to the server; its answer is whole, or a stream of events."""
        request = call.request
        self._refuse_rebound(call)
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
        exchange = await _unless_gone(endpoint.exchange(scope, body), request.wait_for_disconnect())
        if dict(exchange.headers).get(b"content-type", b"").startswith(EVENT_STREAM):
            kept = [pair for pair in exchange.headers if pair[0] in (b"mcp-session-id", b"cache-control")]
            return Stream(_pieces(exchange), status=exchange.status, headers=kept, most_s=_STREAM_S)
        return await _whole(exchange)

    async def close(self) -> None:
        if self._making is None:
            return
        await asyncio.wait([self._making])
        if not _has_failed(self._making):  # what could not be made need not be closed
            await self._making.result().close()

    async def _endpoint(self) -> Endpoint:
        if self._making is None or _has_failed(self._making):
            self._making = asyncio.create_task(self._make())
        return await asyncio.shield(self._making)

    async def _make(self) -> Endpoint:
        await asyncio.to_thread(import_module, "loremark.mcp.http")  # in a thread: others are answered meanwhile
        return self.make()

    def _refuse_rebound(self, call: Call) -> None:
        """Refuse a browser's page of somebody else, and a foreign name that was bound to our address."""
        self._origins.refuse_cross_site(call.request)
        try:
            name = (urlsplit(f"//{call.request.header(b'host') or ''}").hostname or "").rstrip(".")
        except ValueError:  # what is no name at all
            raise errors.CROSS_SITE() from None
        if name not in (self._host, *_LOOPBACK) and not _is_address(name):
            raise errors.CROSS_SITE()

    @asynccontextmanager
    async def _open_memory(self, call: Call) -> AsyncIterator[Memory]:
        """The API as the caller would reach it with their key, but in this process, and counted once."""
        from loremark.client.asynchronous import AsyncClient
        from loremark.mcp.inside import Inside
        from loremark.mcp.memory import Memory

        assert self.app is not None
        request, caller = call.request, call.caller
        transport = Inside(self.app, self.base_url, request.address, {WITHIN: request.request_id})
        key = (request.header(b"authorization") or "")[len("bearer ") :].strip()
        project = (request.header(b"x-loremark-project") or "")[:_PROJECT_CHARS]

        async def find_signer(project_id: str) -> AsyncClient:
            secret = await self._secret_for(caller, project_id)
            return await stack.enter_async_context(AsyncClient(self.base_url, key, {project_id: secret}, transport))

        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(AsyncClient(self.base_url, key, transport=transport))
            yield Memory(client, project, find_signer)

    async def _secret_for(self, caller: Caller, project_id: str) -> str:
        """What signs for a project, for somebody who may write to it. It never leaves this process."""
        from loremark.client.call import ApiError

        try:
            async with self._database.read() as tx:
                project = await get_project(tx, caller, project_id, Right.WRITE)
        except errors.Refusal as refusal:
            raise ApiError(refusal.status, refusal.text) from refusal
        return self._sealer.open(project["hmac_secret_sealed"], secret_context(project_id))


@routes.add("POST", PATH, needs(KEY), name="speak", tx=TxMode.NONE, described=False)
async def speak(call: Call) -> Response | Stream:
    """The Model Context Protocol, streamable HTTP."""
    return await call.use(Mount).answer(call)


@routes.add("GET", METADATA_PATH, ANYONE, name="metadata", tx=TxMode.NONE, described=False)
async def metadata(call: Call) -> Response:
    """RFC 9728: that this resource takes keys in the Authorization header."""
    base_url = call.use(Mount).base_url
    told = {
        "resource": f"{base_url}{PATH}",
        "resource_name": "Loremark project memory",
        "bearer_methods_supported": ["header"],
        "resource_documentation": f"{base_url}/docs",
    }
    return Response(200, encode_json(told))


def _make() -> Endpoint:
    from loremark.mcp.http import Endpoint

    return Endpoint()


def _has_failed(task: asyncio.Task[Any]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _is_address(name: str) -> bool:
    """An address cannot be rebound: only names can."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _unless_gone(answer: Awaitable[Exchange], gone: Awaitable[None]) -> Exchange:
    """The answer, unless the caller goes away first: then the work ends too."""
    answering, leaving = asyncio.ensure_future(answer), asyncio.ensure_future(gone)
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise errors.BODY_INCOMPLETE()  # nobody is there to read it
        return answering.result()
    finally:
        for task in (answering, leaving):
            task.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


async def _pieces(exchange: Exchange) -> AsyncGenerator[bytes, None]:
    try:
        async for piece in exchange.pieces():
            yield piece
    finally:
        await exchange.end()


async def _whole(exchange: Exchange) -> Response:
    body = b"".join([piece async for piece in exchange.pieces()])
    headers: dict[bytes, bytes] = dict(exchange.headers)
    kept = [(name, value) for name, value in headers.items() if name in (b"mcp-session-id", b"allow")]
    return Response(exchange.status, body, headers.get(b"content-type", b"application/json"), kept)
