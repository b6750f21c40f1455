"""Copies of repositories on this machine: kept while a living project names them, and let go after that.

What is to go is never written down: the projects say what is needed, so a process that was away, or killed, finds it
at its next look. A signal only makes that sooner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress

from sqlalchemy import bindparam, select

from loremark.base import clock, log
from loremark.base.crypto import Sealer, SealError
from loremark.features.projects.repository import token_context
from loremark.ports.git.copies import Copies
from loremark.ports.git.failures import RepositoryFailed
from loremark.ports.git.remote import place_of
from loremark.storage.database import Database, Row, StorageUnavailable, Tx
from loremark.storage.signals import Listener
from loremark.storage.statements import Sql
from loremark.storage.tables import projects

TOPIC = "copies"
_EVERY_S = 600.0
_AGAIN_S = 60.0
"""After something was in use, or went wrong."""
_ROWS_AT_ONCE = 200
_log = log.logger("copies")

_NAMED = Sql(
    select(projects.c.id, projects.c.repo_url, projects.c.repo_token_sealed)
    .where(
        projects.c.deleted_at_ms.is_(None),
        projects.c.repo_url.is_not(None),
        projects.c.id > bindparam("after"),
    )
    .order_by(projects.c.id)
    .limit(bindparam("take"))
)


def tell_left(tx: Tx, url: str) -> None:
    """A project does not read this repository any more, or not with the same token."""
    place = _place_of(url)
    if place is not None:
        tx.notify(TOPIC, place)


class CopyKeeper:
    """Looks after the copies of this process's machine, by itself and when it is told to."""

    def __init__(self, database: Database, copies: Copies, sealer: Sealer) -> None:
        self._database = database
        self._copies = copies
        self._sealer = sealer
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run_forever())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def leave(self, url: str) -> None:
        """Remove the copies of a repository that no living project needs; one in use goes at a later look."""
        place = _place_of(url)
        if place is not None:
            try:
                await self._let_go({place})
            except OSError as error:
                _log.warning("a copy of a repository could not be removed, trying again later", error=str(error))

    async def tend(self) -> bool:
        """Remove what no living project needs, what is old, and what is too much. False if some is still in use."""
        done = [await self._let_go(await self._copies.list_places()), await self._copies.prune()]
        return all(done)

    async def _let_go(self, places: Collection[str]) -> bool:
        """The disk is looked at before the projects: a copy made after that is not judged by what they said before."""
        here = (await self._copies.list_places()).intersection(places)
        needed = await self._needed(here) if here else {}
        done = [await self._copies.keep(place, readers) for place, readers in needed.items()]
        return all(done)

    async def _needed(self, places: Collection[str]) -> dict[str, set[str]]:
        """By repository, who reads it. Unscoped: a copy may be needed by any team."""
        needed: dict[str, set[str]] = {place: set() for place in places}
        after = ""
        while True:
            async with self._database.read() as tx:
                rows = await tx.many(_NAMED, after=after, take=_ROWS_AT_ONCE)
            for row in rows:
                place = _place_of(row["repo_url"])
                if place in needed:
                    needed[place].update(self._readers(row))
            if len(rows) < _ROWS_AT_ONCE:
                return needed
            after = rows[-1]["id"]

    def _readers(self, project: Row) -> list[str]:
        sealed = project["repo_token_sealed"]
        try:
            token = self._sealer.open(sealed, token_context(project["id"])) if sealed else None
        except SealError:  # then nobody can read with it
            return []
        return [self._copies.reader_of(project["repo_url"], token)]

    async def _run_forever(self) -> None:
        with self._database.signals.listen(TOPIC) as listener:
            due_at = 0.0
            while True:
                now = clock.monotonic()
                if now >= due_at:
                    due_at = now + _EVERY_S
                    looking = self.tend()
                else:
                    looking = self._let_go(await _heard(listener, due_at - now))
                (outcome,) = await asyncio.gather(looking, return_exceptions=True)
                if isinstance(outcome, StorageUnavailable | OSError):
                    _log.warning("copies of repositories cannot be looked after, trying again", error=str(outcome))
                elif isinstance(outcome, BaseException):
                    _log.error("copies of repositories cannot be looked after, trying again", exc_info=outcome)
                if outcome is not True:
                    due_at = min(due_at, clock.monotonic() + _AGAIN_S)


async def _heard(listener: Listener, wait_s: float) -> set[str]:
    """The repositories that were named, once there are some or the time is over."""
    places = set()
    signal = await listener.next(timeout=wait_s)
    while signal is not None:
        places.add(signal[1])
        signal = await listener.next(timeout=0)
    return places


def _place_of(url: str) -> str | None:
    """None for an address that cannot be read, and of which there is no copy."""
    try:
        return place_of(url)
    except RepositoryFailed:
        return None
