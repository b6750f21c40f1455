"""The request context passed to handlers: caller, transaction and application services."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from loremark.base import errors
from loremark.base.caller import Caller
from loremark.base.errors import ErrorKind, Refusal
from loremark.storage.database import Database, Tx
from loremark.web.rate_limits import RateLimits
from loremark.web.request import Request
from loremark.web.response import Headers

T = TypeVar("T")

Recheck = Callable[[Tx], Awaitable[Caller | None]]


class Services:
    """Objects created once at startup, looked up by type."""

    def __init__(self, *services: object) -> None:
        self._by_type: dict[type[Any], object] = {type(service): service for service in services}

    def use(self, kind: type[T]) -> T:
        found = self._by_type[kind]
        assert isinstance(found, kind)
        return found


class Call:
    """The context of one request."""

    __slots__ = ("_caller", "_recheck", "_services", "_tx", "database", "limits", "request", "response_headers")

    def __init__(self, request: Request, database: Database, services: Services, limits: RateLimits) -> None:
        self.request = request
        self.database = database
        self.limits = limits
        self.response_headers: Headers = []
        self._services = services
        self._caller: Caller | None = None
        self._tx: Tx | None = None
        self._recheck: Recheck | None = None

    @property
    def caller(self) -> Caller:
        if self._caller is None:
            raise errors.UNAUTHENTICATED()
        return self._caller

    @property
    def tx(self) -> Tx:
        """The request's transaction. A route declared without one opens its own from ``database``."""
        assert self._tx is not None, "this route was declared without a transaction"
        return self._tx

    def use(self, kind: type[T]) -> T:
        return self._services.use(kind)

    def set_header(self, name: str, value: str) -> None:
        self.response_headers.append((name.lower().encode(), value.encode("latin-1")))

    async def check_rate_limit(
        self, limit: str, subject: str, refusal: ErrorKind = errors.RATE_LIMITED, *, times: int = 1
    ) -> None:
        """Count a hit against a named limit, or a multiple of it, and raise if it is exceeded."""
        decision = await self.limits.hit_route(limit, subject, times=times)
        if decision is not None and not decision.allowed:
            raise refusal({"Retry-After": str(decision.retry_after_s)}, seconds=decision.retry_after_s)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Tx]:
        """Open a write transaction, for a route declared without one, and authenticate the caller again in it."""
        async with self.database.write() as tx:
            await self._look_up(tx)
            yield tx

    async def recheck_caller(self) -> None:
        """Raise if the credential was revoked since the request began; refresh ``caller`` otherwise."""
        async with self.database.read() as tx:
            await self._look_up(tx)

    async def still_allowed(self) -> bool:
        """Like ``recheck_caller``, for streams, which cannot raise an error response any more."""
        try:
            await self.recheck_caller()
        except Refusal:
            self._caller = None
        return self._caller is not None

    async def _look_up(self, tx: Tx) -> None:
        assert self._recheck is not None, "this route was declared with a transaction"
        self._caller = await self._recheck(tx)

    def enter(self, caller: Caller | None, tx: Tx | None, recheck: Recheck | None = None) -> None:
        """Called by ``App`` before the handler runs."""
        self._caller = caller
        self._tx = tx
        self._recheck = recheck
