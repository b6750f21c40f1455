"""The answer worker as a separate ASGI application.

It shares only the database and the ticket secret with the API. It needs neither the data folder nor the encryption key.
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
from loremark.entry.engines import list_models, open_engines
from loremark.entry.installation_secrets import require_worker_secret
from loremark.entry.runtime import database_address
from loremark.features.ask.answering import Dependencies
from loremark.features.ask.routes import KeepAlive, worker_routes
from loremark.features.ask.streams import AnswerStreams
from loremark.features.models.service import ModelDirectory
from loremark.features.operations.routes import routes as operations_routes
from loremark.features.recall.service import Recall
from loremark.features.search.service import Finder
from loremark.features.sessions.service import Models
from loremark.storage import schema
from loremark.storage.connect import open_database
from loremark.storage.database import Database, Tx
from loremark.web.app import App
from loremark.web.authentication import Authenticators, Origins
from loremark.web.call import Services
from loremark.web.client_address import TrustedProxies
from loremark.web.metrics import Metrics
from loremark.web.request import Message, Receive, Request, Scope, Send
from loremark.web.routes import Route

_MOUNTED = "/worker"
_OPERATIONS = ("operations.healthz", "operations.readyz", "operations.metrics")

WORKER_ROUTES: list[Route] = [
    *worker_routes,
    *(replace(route, path=route.path.removeprefix(_MOUNTED)) for route in worker_routes),
    *(route for route in operations_routes if route.name in _OPERATIONS),
]
"""Available at the root, and under the same path as in the API."""


class Worker:
    """The application with CORS for the API's origin, so the dashboard can call a worker on another host."""

    def __init__(self, app: App, base_url: str, models: ModelDirectory) -> None:
        self.models = models
        self._app = app
        address = urlsplit(base_url)
        self._origin = f"{address.scheme}://{address.netloc}".encode()
        self._paths = {route.path for route in WORKER_ROUTES if route.group == "worker"}

    def close(self) -> None:
        self._app.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_worker_path = scope["type"] == "http" and scope["path"] in self._paths
        if not is_worker_path or dict(scope["headers"]).get(b"origin") != self._origin:
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await self._send_preflight(send)
        else:
            await self._app(scope, receive, self._with_cors(send))

    def _with_cors(self, send: Send) -> Send:
        async def send_with_cors(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._cors_headers()]
            await send(message)

        return send_with_cors

    async def _send_preflight(self, send: Send) -> None:
        """Answer a CORS preflight request. Credentials are not allowed."""
        allowed = [
            *self._cors_headers(),
            (b"access-control-allow-methods", b"POST"),
            (b"access-control-allow-headers", b"content-type"),
            (b"access-control-max-age", b"600"),
        ]
        await send({"type": "http.response.start", "status": 204, "headers": allowed})
        await send({"type": "http.response.body", "body": b""})

    def _cors_headers(self) -> list[tuple[bytes, bytes]]:
        return [(b"access-control-allow-origin", self._origin), (b"vary", b"Origin")]


@asynccontextmanager
async def open_worker(settings: Settings) -> AsyncIterator[Worker]:
    """Open the worker; the database schema must be current."""
    secret = require_worker_secret(settings)
    await schema.require_current(database_address(settings))
    database = await open_database(database_address(settings), pool=settings.database_pool)
    limits, metrics = open_limits(settings), Metrics()
    try:
        async with open_engines(settings) as engines:
            finder = Finder(database, engines.embedders, settings.index_cache_mb * MEGABYTE)
            recall = Recall(database, engines.embedders, settings.index_cache_mb * MEGABYTE)
            plans = load_plans(settings.default_plan, settings.plans_file)
            names = Models(settings.llm_small, settings.llm_medium)
            streams = AnswerStreams(
                Dependencies(
                    database, finder, recall, engines.reader, plans, names, engines.models, settings.meter_builtin
                )
            )
            app = App(
                WORKER_ROUTES,
                database=database,
                authenticators=_NO_AUTHENTICATION,
                limits=limits,
                proxies=TrustedProxies(settings.trusted_proxies),
                services=Services(
                    streams,
                    KeepAlive(settings.keepalive_s),
                    open_tickets(settings, secret),
                    readiness(database),
                    metrics,
                ),
                metrics=metrics,
                https=settings.worker_url.startswith("https://"),
            )
            try:
                yield Worker(app, settings.base_url, list_models(settings, engines))
            finally:
                await streams.close()
    finally:
        await limits.close()
        await database.close()


async def _no_caller(tx: Tx, credential: str, address: str) -> Caller | None:
    return None


async def _reject_signature(database: Database, request: Request, quick: bool) -> Caller:
    raise errors.UNAUTHORIZED()


_NO_AUTHENTICATION = Authenticators(_no_caller, _no_caller, _reject_signature, "", Origins(frozenset()))
"""The worker accepts no credentials but tickets."""
