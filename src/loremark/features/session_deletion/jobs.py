"""The job that deletes what the request left of a session. Safe to repeat after a crash."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

import msgspec

from loremark.base.caller import Scope
from loremark.features.items.service import lock_memory
from loremark.features.session_deletion import service, store
from loremark.features.session_deletion.service import Deletion
from loremark.jobs.run import Run
from loremark.ports.blobs.store import Blobs

_BLOBS_AT_ONCE = 20
_MENTIONS_AT_ONCE = 50


class SessionPurge:
    """Deletes items, events, mentions and blobs of a deleted session, in bounded batches."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    async def __call__(self, run: Run) -> None:
        scope, project_id = Scope(str(run.job.team_id)), str(run.job.project_id)
        deletion = msgspec.convert(run.payload | (run.job.result or {}), Deletion)
        items, blobs = list(deletion.items), set(deletion.blobs)
        after: str | None = ""
        while after is not None:
            async with run.step() as tx:
                await lock_memory(tx, scope, project_id)
                gone, after = await service.delete_items(tx, scope, project_id, deletion, after)
                items += gone
                await run.save_result(tx, {"items": items, "blobs": sorted(blobs)})
        has_more = True
        while has_more:
            async with run.step() as tx:
                await store.lock_project(tx, scope, project_id)
                found, has_more = await service.delete_events(tx, scope, project_id, deletion.session_id)
                blobs |= found
                await run.save_result(tx, {"items": items, "blobs": sorted(blobs)})
        for some in _batches([deletion.session_id, *items], _MENTIONS_AT_ONCE):
            async with run.step() as tx:
                await store.delete_mentions(tx, scope, project_id, some)
        await delete_unused_blobs(run, self._blobs, scope, project_id, blobs)


async def delete_unused_blobs(run: Run, blobs: Blobs, scope: Scope, project_id: str, hashes: Collection[str]) -> int:
    """Delete those of the blobs that no event refers to any more, and return how many there were."""
    deleted = 0
    for some in _batches(sorted(hashes), _BLOBS_AT_ONCE):
        async with run.step() as tx:
            # Events that refer to them may be being stored; later ones wait.
            await store.lock_project(tx, scope, project_id)
            used = await store.find_used_blobs(tx, scope, project_id, some)
            unused = [sha256 for sha256 in some if sha256 not in used]
            deleted += await store.delete_blobs(tx, scope, project_id, unused)
        for sha256 in unused:
            await blobs.delete(project_id, sha256)
    return deleted


def _batches(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    remaining = iter(values)
    while batch := list(islice(remaining, size)):
        yield batch
