"""Removal of repository copies that no project needs any more.

Nothing is recorded about what to remove: each pass compares the copies on disk with the projects, so a process that was
down catches up on its next pass. A signal only triggers a pass sooner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress

from sqlalchemy import bindparam, select

from loremark.base import clock, log
from loremark.base.crypto import Sealer, SealError
from loremark.features.projects.repository import token_context
from loremark.ports.git.failures import RepositoryFailed
from loremark.ports.git.mirror_cache import MirrorCache
from loremark.ports.git.remote import mirror_name
from loremark.storage.database import Database, Row, StorageUnavailable, Tx
from loremark.storage.signals import Listener
from loremark.storage.statements import Sql
from loremark.storage.tables import projects

TOPIC = "copies"
_INTERVAL_S = 600.0
_RETRY_S = 60.0
"""Used after an error, or if a copy was in use."""
_BATCH_ROWS = 200
_log = log.logger("copies")

_WITH_REPOSITORY = Sql(
    select(projects.c.id, projects.c.repo_url, projects.c.repo_token_sealed)
    .where(
        projects.c.deleted_at_ms.is_(None),
        projects.c.repo_url.is_not(None),
        projects.c.id > bindparam("after"),
    )
    .order_by(projects.c.id)
    .limit(bindparam("take"))
)


def notify_unused(tx: Tx, url: str) -> None:
    """Signal that a project stopped using this repository, or uses another token for it."""
    place = _place_of(url)
    if place is not None:
        tx.notify(TOPIC, place)


class CopyCleaner:
    """Removes unneeded copies on this machine, periodically and when signaled."""

    def __init__(self, database: Database, copies: MirrorCache, sealer: Sealer) -> None:
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

    async def remove_unused(self, url: str) -> None:
        """Remove copies of a repository that no project needs. Copies in use are removed by a later pass."""
        place = _place_of(url)
        if place is not None:
            try:
                await self._remove_unneeded({place})
            except OSError as error:
                _log.warning("cannot remove a repository copy, will retry", error=str(error))

    async def clean_up(self) -> bool:
        """Remove unneeded, old and excess copies. Returns False if some are still in use."""
        done = [await self._remove_unneeded(await self._copies.list_mirrors()), await self._copies.prune()]
        return all(done)

    async def _remove_unneeded(self, places: Collection[str]) -> bool:
        """Lists the disk before the projects, so that a copy created in between is not removed."""
        on_disk = (await self._copies.list_mirrors()).intersection(places)
        needed = await self._needed(on_disk) if on_disk else {}
        done = [await self._copies.keep(place, readers) for place, readers in needed.items()]
        return all(done)

    async def _needed(self, places: Collection[str]) -> dict[str, set[str]]:
        """The readers of each repository. Unscoped: any team may need a copy."""
        needed: dict[str, set[str]] = {place: set() for place in places}
        after = ""
        while True:
            async with self._database.read() as tx:
                rows = await tx.many(_WITH_REPOSITORY, after=after, take=_BATCH_ROWS)
            for row in rows:
                place = _place_of(row["repo_url"])
                if place in needed:
                    needed[place].update(self._readers(row))
            if len(rows) < _BATCH_ROWS:
                return needed
            after = rows[-1]["id"]

    def _readers(self, project: Row) -> list[str]:
        sealed = project["repo_token_sealed"]
        try:
            token = self._sealer.open(sealed, token_context(project["id"])) if sealed else None
        except SealError:  # an unreadable token has no reader
            return []
        return [self._copies.reader_name(project["repo_url"], token)]

    async def _run_forever(self) -> None:
        with self._database.signals.listen(TOPIC) as listener:
            due_at = 0.0
            while True:
                now = clock.monotonic()
                if now >= due_at:
                    due_at = now + _INTERVAL_S
                    cleaning = self.clean_up()
                else:
                    cleaning = self._remove_unneeded(await _wait_for_signals(listener, due_at - now))
                (outcome,) = await asyncio.gather(cleaning, return_exceptions=True)
                if isinstance(outcome, StorageUnavailable | OSError):
                    _log.warning("repository cleanup failed, will retry", error=str(outcome))
                elif isinstance(outcome, BaseException):
                    _log.error("repository cleanup failed, will retry", exc_info=outcome)
                if outcome is not True:
                    due_at = min(due_at, clock.monotonic() + _RETRY_S)


async def _wait_for_signals(listener: Listener, wait_s: float) -> set[str]:
    """The repositories signaled before the timeout."""
    places = set()
    signal = await listener.next(timeout=wait_s)
    while signal is not None:
        places.add(signal[1])
        signal = await listener.next(timeout=0)
    return places


def _place_of(url: str) -> str | None:
    """None for a URL that cannot be parsed; such a repository has no copy."""
    try:
        return mirror_name(url)
    except RepositoryFailed:
        return None
