"""Concurrency slots for assembling brains, at most one per team, so that no team blocks the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from loremark.base import errors
from loremark.base.caller import Scope

WaitForDisconnect = Callable[[], Awaitable[None]]
"""Returns when the client has disconnected."""
_CONCURRENT = 2
# About as many average brains as can be assembled before a rejected client retries.
MAX_WAITING = 16
_RETRY_AFTER = {"Retry-After": "2"}


@dataclass(slots=True)
class _Team:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    active: int = 0


class TeamSlots:
    """The slots of a process. Each team waits for one slot at a time."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_CONCURRENT)
        self._teams: dict[Scope, _Team] = {}

    @asynccontextmanager
    async def acquire(self, scope: Scope) -> AsyncIterator[None]:
        """Wait for a slot, or fail if too many requests of the team are waiting."""
        team = self._teams.setdefault(scope, _Team())
        if team.active > MAX_WAITING:
            raise errors.UNAVAILABLE(_RETRY_AFTER)
        team.active += 1
        try:
            async with team.lock, self._free:
                yield
        finally:
            team.active -= 1
            if not team.active:
                del self._teams[scope]

    @asynccontextmanager
    async def acquire_while_connected(
        self, scope: Scope, wait_for_disconnect: WaitForDisconnect
    ) -> AsyncIterator[Callable[[], None]]:
        """Like ``acquire`` for one client. Yields a function that raises if the client has disconnected."""
        disconnected = asyncio.ensure_future(wait_for_disconnect())

        def check_connected() -> None:
            if disconnected.done():
                raise errors.UNAVAILABLE()  # no client to respond to

        try:
            async with self.acquire(scope):
                check_connected()
                yield check_connected
        finally:
            disconnected.cancel()
