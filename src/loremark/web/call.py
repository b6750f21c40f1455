"""What a handler is given: the caller, the transaction, and the tools the entry floor has laid out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from loremark.base import errors
from loremark.base.caller import Caller
from loremark.base.errors import ErrorKind, Refusal
from loremark.storage.database import Database, Tx
from loremark.web.ratelimit import RateLimits
from loremark.web.request import Request
from loremark.web.response import Headers

T = TypeVar("T")

Recheck = Callable[[Tx], Awaitable[Caller | None]]


class Tools:
    """Things built once at start, found by their type."""

    def __init__(self, *tools: object) -> None:
        self._by_type: dict[type[Any], object] = {type(tool): tool for tool in tools}

    def use(self, kind: type[T]) -> T:
        found = self._by_type[kind]
        assert isinstance(found, kind)
        return found


class Call:
    """One request on its way through a handler."""

    __slots__ = ("_caller", "_recheck", "_tools", "_tx", "database", "limits", "request", "response_headers")

    def __init__(self, request: Request, database: Database, tools: Tools, limits: RateLimits) -> None:
        self.request = request
        self.database = database
        self.limits = limits
        self.response_headers: Headers = []
        self._tools = tools
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
        """The request's transaction; a route declared without one opens its own from ``database``."""
        assert self._tx is not None, "this route was declared without a transaction"
        return self._tx

    def use(self, kind: type[T]) -> T:
        return self._tools.use(kind)

    def set_header(self, name: str, value: str) -> None:
        self.response_headers.append((name.lower().encode(), value.encode("latin-1")))

    async def spend(self, limit: str, subject: str, refusal: ErrorKind = errors.RATE_LIMITED) -> None:
        """Count against a named limit; refuse when it is used up."""
        decision = await self.limits.hit_route(limit, subject)
        if decision is not None and not decision.allowed:
            raise refusal({"Retry-After": str(decision.retry_after_s)}, seconds=decision.retry_after_s)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Tx]:
        """A transaction to write in, for a route declared without one; the caller is looked up again in it."""
        async with self.database.write() as tx:
            await self._look_up(tx)
            yield tx

    async def ask_again(self) -> None:
        """Refuse whoever's credential has died since the call began; ``caller`` then tells their role of now."""
        async with self.database.read() as tx:
            await self._look_up(tx)

    async def still_allowed(self) -> bool:
        """As ``ask_again``, for streams, which outlive their first check and can refuse nothing any more."""
        try:
            await self.ask_again()
        except Refusal:
            self._caller = None
        return self._caller is not None

    async def _look_up(self, tx: Tx) -> None:
        assert self._recheck is not None, "this route was declared with a transaction"
        self._caller = await self._recheck(tx)

    def enter(self, caller: Caller | None, tx: Tx | None, recheck: Recheck | None = None) -> None:
        """Set by the edge before the handler runs."""
        self._caller = caller
        self._tx = tx
        self._recheck = recheck
