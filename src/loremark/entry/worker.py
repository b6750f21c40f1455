"""The answer worker as an ASGI application of its own.

With the API it shares the database and the secret of the tickets, and nothing else: neither the data folder nor the key
that seals stored secrets, for it opens none.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import urlsplit

from loremark.base import errors
from loremark.base.caller import Caller
from loremark.base.plans import load_plans
from loremark.base.settings import Settings
from loremark.entry.application import MEGABYTE, open_limits, open_tickets, readiness
from loremark.entry.engines import open_engines
from loremark.entry.house import database_address
from loremark.entry.keys import require_worker_secret
from loremark.features.ask.making import Kit
from loremark.features.ask.routes import Pace, worker_routes
from loremark.features.ask.streams import Streams
from loremark.features.operations.routes import routes as operations_routes
from loremark.features.search.service import Finder
from loremark.features.sessions.service import Models
from loremark.storage import schema
from loremark.storage.database import Database, Tx
from loremark.storage.opening import open_database
from loremark.web.addresses import Addresses
from loremark.web.app import App
from loremark.web.call import Tools
from loremark.web.metrics import Metrics
from loremark.web.needs import Authenticators, Origins
from loremark.web.request import Message, Receive, Request, Scope, Send
from loremark.web.routes import Route

_MOUNTED = "/worker"
_OPERATIONS = ("operations.healthz", "operations.readyz", "operations.metrics")

WORKER_ROUTES: list[Route] = [
    *worker_routes,
    *(replace(route, path=route.path.removeprefix(_MOUNTED)) for route in worker_routes),
    *(route for route in operations_routes if route.name in _OPERATIONS),
]
"""Reached at its own root, and also as where the API has it."""


class Worker:
    """The application, open to pages of the API's origin: a dashboard may ask a worker that lives elsewhere."""

    def __init__(self, app: App, base_url: str) -> None:
        self._app = app
        address = urlsplit(base_url)
        self._origin = f"{address.scheme}://{address.netloc}".encode()
        self._paths = {route.path for route in WORKER_ROUTES if route.group == "worker"}

    def close(self) -> None:
        self._app.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope["type"] == "http" and scope["path"] in self._paths
        if not asked or dict(scope["headers"]).get(b"origin") != self._origin:
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await self._allow(send)
        else:
            await self._app(scope, receive, self._opened(send))

    def _opened(self, send: Send) -> Send:
        async def send_opened(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers()]
            await send(message)

        return send_opened

    async def _allow(self, send: Send) -> None:
        """The question a browser asks before it sends JSON to another origin. Cookies are not wanted."""
        allowed = [
            *self._headers(),
            (b"access-control-allow-methods", b"POST"),
            (b"access-control-allow-headers", b"content-type"),
            (b"access-control-max-age", b"600"),
        ]
        await send({"type": "http.response.start", "status": 204, "headers": allowed})
        await send({"type": "http.response.body", "body": b""})

    def _headers(self) -> list[tuple[bytes, bytes]]:
        return [(b"access-control-allow-origin", self._origin), (b"vary", b"Origin")]


@asynccontextmanager
async def open_worker(settings: Settings) -> AsyncIterator[Worker]:
    """The worker on a database that is at the schema of this version."""
    secret = require_worker_secret(settings)
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=settings.database_pool)
    limits, metrics = open_limits(settings), Metrics()
    try:
        async with open_engines(settings) as engines:
            finder = Finder(database, engines.embedders, settings.index_cache_mb * MEGABYTE)
            plans = load_plans(settings.default_plan, settings.plans_file)
            names = Models(settings.llm_small, settings.llm_medium)
            streams = Streams(Kit(database, finder, plans, names, engines.models, settings.meter_builtin))
            app = App(
                WORKER_ROUTES,
                database=database,
                authenticators=_NOBODY,
                limits=limits,
                addresses=Addresses(settings.trusted_proxies),
                tools=Tools(
                    streams, Pace(settings.keepalive_s), open_tickets(settings, secret), readiness(database), metrics
                ),
                metrics=metrics,
                https=settings.worker_url.startswith("https://"),
            )
            try:
                yield Worker(app, settings.base_url)
            finally:
                await streams.close()
    finally:
        await limits.close()
        await database.close()


async def _unknown(tx: Tx, credential: str) -> Caller | None:
    return None


async def _unsigned(database: Database, request: Request, quick: bool) -> Caller:
    raise errors.UNAUTHORIZED()


_NOBODY = Authenticators(_unknown, _unknown, _unsigned, "", Origins(frozenset()))
"""Nothing here takes another credential than a ticket."""
