"""Places for putting brains together: one for each team at a time, so that no team keeps the others waiting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from loremark.base import errors
from loremark.base.caller import Scope

Gone = Callable[[], Awaitable[None]]
"""Returns when the caller waits no more."""
_AT_ONCE = 2
# So many of a usual size are made in about the time after which a refused caller comes back.
MOST_WAITING = 16
_COME_BACK = {"Retry-After": "2"}


@dataclass(slots=True)
class _Team:
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    present: int = 0


class Places:
    """The places of a process. Of the teams that wait, each stands in line for one place only."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._teams: dict[Scope, _Team] = {}

    @asynccontextmanager
    async def place(self, scope: Scope) -> AsyncIterator[None]:
        """Wait for a place and have it; refused where too many of the team wait already."""
        team = self._teams.setdefault(scope, _Team())
        if team.present > MOST_WAITING:
            raise errors.UNAVAILABLE(_COME_BACK)
        team.present += 1
        try:
            async with team.turn, self._free:
                yield
        finally:
            team.present -= 1
            if not team.present:
                del self._teams[scope]

    @asynccontextmanager
    async def place_while(self, scope: Scope, gone: Gone) -> AsyncIterator[Callable[[], None]]:
        """The same for one caller. What is given refuses to go on for who has left, as is done when the turn comes."""
        leaving = asyncio.ensure_future(gone())

        def go_on() -> None:
            if leaving.done():
                raise errors.UNAVAILABLE()  # nobody is there to read it

        try:
            async with self.place(scope):
                go_on()
                yield go_on
        finally:
            leaving.cancel()
