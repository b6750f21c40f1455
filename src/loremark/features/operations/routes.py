"""/healthz, /readyz, /metrics, /openapi.json, /docs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from msgspec import Struct

from loremark.features.operations.reference import reference_page
from loremark.web.call import Call
from loremark.web.metrics import CONTENT_TYPE, Metrics
from loremark.web.needs import ANYONE
from loremark.web.response import HTML, Response, encode_json
from loremark.web.routes import Routes, TxMode

routes = Routes("operations")


@dataclass(frozen=True)
class Readiness:
    """Questions whose answers must all be yes before traffic is sent here."""

    checks: Mapping[str, Callable[[], Awaitable[bool]]]


class Description:
    """The OpenAPI document and the page made from it: made for the first who asks, so that no start waits for it."""

    def __init__(self, describe: Callable[[], dict[str, object]]) -> None:
        self._describe = describe
        self._made: tuple[bytes, bytes] | None = None
        self._making = asyncio.Lock()

    async def document(self) -> bytes:
        return (await self._once())[0]

    async def page(self) -> bytes:
        return (await self._once())[1]

    async def _once(self) -> tuple[bytes, bytes]:
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
            return self._made

    def _make(self) -> tuple[bytes, bytes]:
        document = self._describe()
        return encode_json(document), reference_page(document)


class Health(Struct, frozen=True):
    status: str


class Ready(Struct, frozen=True):
    status: str
    checks: dict[str, bool]


@routes.add("GET", "/healthz", ANYONE, name="healthz", tx=TxMode.NONE, counted=False)
async def healthz(call: Call) -> Health:
    """Alive."""
    return Health("ok")


@routes.add("GET", "/readyz", ANYONE, name="readyz", tx=TxMode.NONE, counted=False)
async def readyz(call: Call) -> Ready | Response:
    """Whether the database, its schema and the job runner are in order; 503 if not."""
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
    """Figures for Prometheus."""
    return Response(200, call.use(Metrics).text(), CONTENT_TYPE)


@routes.add("GET", "/openapi.json", ANYONE, name="openapi", tx=TxMode.NONE, counted=False)
async def openapi(call: Call) -> Response:
    """This interface, described for machines."""
    return Response(200, await call.use(Description).document())


@routes.add("GET", "/docs", ANYONE, name="docs", tx=TxMode.NONE, counted=False, described=False)
async def docs(call: Call) -> Response:
    """This interface, described for people."""
    return Response(200, await call.use(Description).page(), HTML)
