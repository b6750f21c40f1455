"""Telling webhooks that a project's brain has become another one."""

from __future__ import annotations

import msgspec

from loremark.base import log
from loremark.base.caller import Scope
from loremark.features.brain import store
from loremark.features.brain.asked import DEFAULT_VARIANT, TOLD, Asked
from loremark.features.brain.assembly import Assembled, assemble
from loremark.features.brain.tags import tag_of
from loremark.jobs import outbox
from loremark.jobs.run import Run
from loremark.storage.database import Database
from loremark.wire.events import WebhookEvent

WATCH = "brain.watch"
_PROJECTS_AT_ONCE = 50
_MOST_FAILING = 1_000
_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError, msgspec.MsgspecError)
"""What can be wrong with one memory. A database that cannot be reached is not among them: that ends the look."""

_log = log.logger("brain")


class BrainWatch:
    """Looks at the brains of projects whose memory was touched, and tells of those that differ from what was told.

    The mark goes in the transaction that tells. Where the memory has changed since it was read, the mark stays and the
    project is looked at again: after a crash or between two changes, nothing is missed and nothing is told twice.
    A memory that no brain can be made of keeps its mark and nobody waits for it: such projects come last.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._failing: set[str] = set()

    async def __call__(self, run: Run) -> None:
        after = ""
        last: list[tuple[Scope, str]] = []
        while True:
            async with self._database.read() as tx:
                touched = await store.list_touched(tx, after, _PROJECTS_AT_ONCE)
            for row in touched:
                place = Scope(row["team_id"]), row["project_id"]
                if row["project_id"] in self._failing:
                    last.append(place)
                else:
                    await self._try(*place)
            if len(touched) < _PROJECTS_AT_ONCE:
                break
            after = touched[-1]["project_id"]
        for place in last:
            await self._try(*place)

    async def _try(self, scope: Scope, project_id: str) -> None:
        """A fault stays with its project, and is told once."""
        try:
            await self._look_at(scope, project_id)
        except _FAULTS as error:
            if project_id not in self._failing and len(self._failing) < _MOST_FAILING:
                self._failing.add(project_id)
                _log.error("no brain can be made of a project", team=scope, project_id=project_id, exc_info=error)
        else:
            self._failing.discard(project_id)

    async def _look_at(self, scope: Scope, project_id: str) -> None:
        made = await assemble(self._database, scope, Asked(project_id))
        async with self._database.write() as tx:
            version = await store.hold_version(tx, scope, project_id)
            if version is not None and (made is None or made.version != version):
                return
            await store.unmark(tx, scope, project_id)
            if version is None or made is None:
                return
            told = await store.find_brain(tx, scope, project_id, TOLD)
            for variant in (DEFAULT_VARIANT, TOLD):
                await store.keep_brain(
                    tx,
                    scope,
                    project_id,
                    variant,
                    version=version,
                    etag=made.etag,
                    item_count=made.document.item_count,
                )
            if told is None or told["etag"] != made.etag:
                await outbox.emit(tx, scope, WebhookEvent.BRAIN_UPDATED, project_id, _told(made))


def _told(made: Assembled) -> dict[str, object]:
    return {"etag": tag_of(made.etag, "json").decode(), "itemCount": made.document.item_count}
