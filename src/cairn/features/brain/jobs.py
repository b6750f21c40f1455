"""Telling webhooks that a project's brain has become another one."""

from __future__ import annotations

from cairn.base.caller import Scope
from cairn.features.brain import store
from cairn.features.brain.asked import DEFAULT_VARIANT, TOLD, Asked
from cairn.features.brain.assembly import Assembled, assemble
from cairn.features.brain.tags import tag_of
from cairn.jobs import outbox
from cairn.jobs.run import Run
from cairn.storage.database import Database
from cairn.wire.events import WebhookEvent

WATCH = "brain.watch"
_PROJECTS_AT_ONCE = 50


class BrainWatch:
    """Looks at the brains of projects whose memory was touched, and tells of those that differ from what was told.

    The mark goes in the transaction that tells. Where the memory has changed since it was read, the mark stays and the
    project is looked at again: after a crash or between two changes, nothing is missed and nothing is told twice.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        after = ""
        while True:
            async with self._database.read() as tx:
                touched = await store.list_touched(tx, after, _PROJECTS_AT_ONCE)
            for row in touched:
                await self._look_at(Scope(row["team_id"]), row["project_id"])
            if len(touched) < _PROJECTS_AT_ONCE:
                return
            after = touched[-1]["project_id"]

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
