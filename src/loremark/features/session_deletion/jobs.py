"""The job that deletes what the request left of a session. Safe to repeat after a crash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.features.items.service import lock_memory
from loremark.features.session_deletion import service, store
from loremark.jobs.run import Run
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database

_BLOBS_AT_ONCE = 20
_MENTIONS_AT_ONCE = 50
_OVERLAP_MS = 120_000
"""Events this much older than the newest one may have been committed after it."""


class SessionPurge:
    """Deletes items, events, mentions and blobs of a deleted session, in bounded batches."""

    def __init__(self, database: Database, blobs: Blobs) -> None:
        self._database = database
        self._blobs = blobs

    async def __call__(self, run: Run) -> None:
        scope, project_id = Scope(str(run.job.team_id)), str(run.job.project_id)
        session_id: str = run.payload["sessionId"]
        known = run.job.result or run.payload
        items, blobs = list(known["items"]), set(known["blobs"])
        has_more = True
        while has_more:
            async with run.step() as tx:
                await lock_memory(tx, scope, project_id)
                gone, has_more = await service.delete_items(tx, scope, project_id, session_id, run.payload["actorId"])
                items += gone
                await run.save_result(tx, {"items": items, "blobs": sorted(blobs)})
        has_more = True
        while has_more:
            async with run.step() as tx:
                found, has_more = await service.delete_events(tx, scope, project_id, session_id)
                blobs |= found
                await run.save_result(tx, {"items": items, "blobs": sorted(blobs)})
        for some in _batches([session_id, *items], _MENTIONS_AT_ONCE):
            async with run.step() as tx:
                await store.delete_mentions(tx, scope, project_id, some)
        for some in _batches(sorted(blobs), _BLOBS_AT_ONCE):
            await self._delete_unused(run, scope, project_id, some)

    async def _delete_unused(self, run: Run, scope: Scope, project_id: str, hashes: Sequence[str]) -> None:
        """Delete the blobs that no event refers to any more."""
        mark = ids.earlier(ids.new("evt"), _OVERLAP_MS)
        async with self._database.read() as tx:
            used = await store.find_used_blobs(tx, scope, project_id, hashes)
        async with run.step() as tx:
            # Events that refer to them may have been stored meanwhile; from now on they wait.
            await store.lock_project(tx, scope, project_id)
            used |= await store.find_used_blobs(tx, scope, project_id, hashes, after=mark)
            unused = [sha256 for sha256 in hashes if sha256 not in used]
            await store.delete_blobs(tx, scope, project_id, unused)
        for sha256 in unused:
            await self._blobs.delete(project_id, sha256)


def _batches(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    remaining = iter(values)
    while batch := list(islice(remaining, size)):
        yield batch
