"""Emits a webhook event when a project's brain has changed."""

from __future__ import annotations

import msgspec

from loremark.base import log
from loremark.base.caller import Scope
from loremark.features.brain import store
from loremark.features.brain.assembly import Assembled, assemble
from loremark.features.brain.etags import format_etag
from loremark.features.brain.request import DEFAULT_VARIANT, LAST_ANNOUNCED, BrainRequest
from loremark.jobs import outbox
from loremark.jobs.run import Run
from loremark.storage.database import Database
from loremark.wire.events import WebhookEvent

WATCH = "brain.watch"
_BATCH = 50
_MAX_FAILING = 1_000
_PROJECT_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
    msgspec.MsgspecError,
)
"""Errors caused by one project's data. Others, such as an unreachable database, end the run."""

_log = log.logger("brain")


class BrainWatch:
    """Checks the brains of projects whose memory has changed and emits an event for each brain that differs.

    A project's mark is deleted in the transaction that emits the event. If the memory changes meanwhile, the mark
    stays and the project is checked again, so no change is missed or announced twice. Projects whose brain cannot be
    assembled keep their mark and are checked last.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._failing: set[str] = set()

    async def __call__(self, run: Run) -> None:
        after = ""
        postponed: list[tuple[Scope, str]] = []
        while True:
            async with self._database.read() as tx:
                touched = await store.list_touched(tx, after, _BATCH)
            for row in touched:
                project = Scope(row["team_id"]), row["project_id"]
                if row["project_id"] in self._failing:
                    postponed.append(project)
                else:
                    await self._check_safely(*project)
            if len(touched) < _BATCH:
                break
            after = touched[-1]["project_id"]
        for project in postponed:
            await self._check_safely(*project)

    async def _check_safely(self, scope: Scope, project_id: str) -> None:
        """Check a project, logging the first of its errors without affecting other projects."""
        try:
            await self._check(scope, project_id)
        except _PROJECT_ERRORS as error:
            if project_id not in self._failing and len(self._failing) < _MAX_FAILING:
                self._failing.add(project_id)
                _log.error("cannot assemble brain", team=scope, project_id=project_id, exc_info=error)
        else:
            self._failing.discard(project_id)

    async def _check(self, scope: Scope, project_id: str) -> None:
        assembled = await assemble(self._database, scope, BrainRequest(project_id))
        async with self._database.write() as tx:
            version = await store.lock_version(tx, scope, project_id)
            if version is not None and (assembled is None or assembled.version != version):
                return
            await store.clear_touched(tx, scope, project_id)
            if version is None or assembled is None:
                return
            announced = await store.find_brain(tx, scope, project_id, LAST_ANNOUNCED)
            for variant in (DEFAULT_VARIANT, LAST_ANNOUNCED):
                await store.upsert_brain(
                    tx,
                    scope,
                    project_id,
                    variant,
                    version=version,
                    etag=assembled.etag,
                    item_count=assembled.document.item_count,
                )
            if announced is None or announced["etag"] != assembled.etag:
                await outbox.emit(tx, scope, WebhookEvent.BRAIN_UPDATED, project_id, _event_data(assembled))


def _event_data(assembled: Assembled) -> dict[str, object]:
    return {"etag": format_etag(assembled.etag, "json").decode(), "itemCount": assembled.document.item_count}
