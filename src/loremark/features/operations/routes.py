"""/healthz, /readyz, /metrics, /openapi.json, /docs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from msgspec import Struct

from loremark.base import errors
from loremark.features.operations.reference import reference_page
from loremark.web.authentication import ANYONE
from loremark.web.call import Call
from loremark.web.metrics import CONTENT_TYPE, Metrics
from loremark.web.response import HTML, Response, encode_json
from loremark.web.routes import Routes, TxMode

routes = Routes("operations")


@dataclass(frozen=True)
class Readiness:
    """Checks that must all pass before the process receives traffic."""

    checks: Mapping[str, Callable[[], Awaitable[bool]]]


class ApiDocs:
    """The OpenAPI document and the reference page, built on first use so that startup does not wait for them."""

    def __init__(self, describe: Callable[[], dict[str, object]]) -> None:
        self._describe = describe
        self._built: tuple[bytes, bytes] | None = None
        self._building = asyncio.Lock()

    async def document(self) -> bytes:
        return (await self._get())[0]

    async def page(self) -> bytes:
        return (await self._get())[1]

    async def _get(self) -> tuple[bytes, bytes]:
        async with self._building:
            if self._built is None:
                self._built = await asyncio.to_thread(self._build)
            return self._built

    def _build(self) -> tuple[bytes, bytes]:
        document = self._describe()
        return encode_json(document), reference_page(document)


class Health(Struct, frozen=True):
    status: str


class Ready(Struct, frozen=True):
    status: str
    checks: dict[str, bool]


@routes.add("GET", "/healthz", ANYONE, name="healthz", tx=TxMode.NONE, counted=False)
async def healthz(call: Call) -> Health:
    """Liveness check."""
    return Health("ok")


@routes.add("GET", "/readyz", ANYONE, name="readyz", tx=TxMode.NONE, counted=False)
async def readyz(call: Call) -> Ready | Response:
    """Readiness check: database, migrations and job runner. 503 if one fails."""
    checks = {name: await check() for name, check in call.use(Readiness).checks.items()}
    if all(checks.values()):
        return Ready("ready", checks)
    failing = ", ".join(name for name, passed in checks.items() if not passed)
    return Response(503, encode_json({"error": f"Not ready: {failing}"}))


@routes.add(
    "GET",
    "/metrics",
    ANYONE,
    name="metrics",
    tx=TxMode.NONE,
    counted=False,
    content_type="text/plain",
)
async def metrics(call: Call) -> Response:
    """Metrics in the Prometheus format. Not for requests that a proxy forwards, because anybody can send those."""
    if call.request.is_forwarded:
        raise errors.NOT_FOUND()
    return Response(200, call.use(Metrics).text(), CONTENT_TYPE)


@routes.add("GET", "/openapi.json", ANYONE, name="openapi", tx=TxMode.NONE, counted=False)
async def openapi(call: Call) -> Response:
    """The OpenAPI document."""
    return Response(200, await call.use(ApiDocs).document())


@routes.add("GET", "/docs", ANYONE, name="docs", tx=TxMode.NONE, counted=False, in_openapi=False)
async def docs(call: Call) -> Response:
    """The API reference page."""
    return Response(200, await call.use(ApiDocs).page(), HTML)
