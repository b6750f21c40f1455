"""The HTTP layer on its own: an App built from a test's own small routes, without any features."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from loremark.base.caller import OWNER, AuthMethod, Caller, Role
from loremark.storage.database import Database, Tx
from loremark.web.allowed_hosts import AllowedHosts
from loremark.web.app import App
from loremark.web.authentication import Authenticators, Origins, VerifySignature
from loremark.web.call import Services
from loremark.web.client_address import TrustedProxies
from loremark.web.metrics import Metrics
from loremark.web.rate_limits import Counter, Limit, MemoryCounter, RateLimits
from loremark.web.request import Request
from loremark.web.routes import Routes

BASE_URL = "http://127.0.0.1:8000"
ADDRESS = "198.51.100.7"
COOKIE = "loremark_login"
NOON_MS = 1_800_000_000_000  # the first millisecond of a minute


def caller(name: str, via: AuthMethod, role: Role = OWNER) -> Caller:
    return Caller(user_id=name, team_id="team_1", role=role, auth_method=via, credential_id="c", name=name)


async def _no_signature(_database: Database, _request: Request, _quick: bool) -> Caller:
    raise AssertionError("this app has no signed route")


def authenticators(
    *,
    keys: Mapping[str, Caller] | None = None,
    logins: Mapping[str, Caller] | None = None,
    verify_signature: VerifySignature = _no_signature,
    origins: frozenset[str] = frozenset((BASE_URL,)),
) -> Authenticators:
    """Authenticators that accept only these keys and logins."""

    async def by_key(_tx: Tx, text: str, _address: str) -> Caller | None:
        return (keys or {}).get(text)

    async def by_login(_tx: Tx, text: str, _address: str) -> Caller | None:
        return (logins or {}).get(text)

    return Authenticators(by_key, by_login, verify_signature, COOKIE, Origins(origins))


def make_app(
    routes: Routes,
    database: Database,
    *,
    auth: Authenticators | None = None,
    per_minute: int = 1_000,
    counter: Counter | None = None,
    limits: dict[str, Limit] | None = None,
    trusted: tuple[str, ...] = (),
    services: tuple[object, ...] = (),
    metrics: Metrics | None = None,
    https: bool = False,
    hosts: AllowedHosts | None = None,
) -> App:
    return App(
        list(routes),
        database=database,
        authenticators=auth or authenticators(),
        limits=RateLimits(counter or MemoryCounter(), per_minute=per_minute, routes=limits or {}),
        proxies=TrustedProxies(trusted),
        services=Services(*services),
        metrics=metrics or Metrics(),
        https=https,
        hosts=hosts,
    )


@asynccontextmanager
async def client_for(app: App, address: str = ADDRESS, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client whose requests come from this address."""
    transport = httpx.ASGITransport(app=app, client=(address, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL, **options) as http:
        yield http
