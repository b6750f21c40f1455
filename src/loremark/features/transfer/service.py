"""Importing: a chunk of lines is one transaction; what is there already stays as it is, so chunks may come again.

Managers of a project may import into it; whoever may read a project may export it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import islice

from loremark.base import errors
from loremark.base.caller import Caller
from loremark.base.plans import Plan, Plans
from loremark.features.identity import store as people
from loremark.features.ingest import store as ingest
from loremark.features.metering import slots
from loremark.features.metering.counting import limits_of
from loremark.features.metering.periods import period
from loremark.features.metering.slots import STORAGE
from loremark.features.projects.access import Right, get_project
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer.importing import Import
from loremark.features.transfer.preparing import Chunk, Preparing
from loremark.features.transfer.reading import read_lines
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database, Tx
from loremark.wire.transfer import Imported

_BLOBS_AT_ONCE = 8


@dataclass(frozen=True)
class Kit:
    """What an import needs."""

    database: Database
    blobs: Blobs
    plans: Plans
    hosts: RepoHosts


class _Rehearsed(Exception):
    """Nothing of a dry run is kept."""

    def __init__(self, done: Imported) -> None:
        super().__init__()
        self.done = done


async def import_chunk(kit: Kit, caller: Caller, project_id: str, body: bytes, *, dry_run: bool) -> Imported:
    """Add what is missing of these lines, all or nothing; what became of them."""
    async with kit.database.read() as tx:
        await get_project(tx, caller, project_id, Right.MANAGE)
    preparing = Preparing(caller.scope, project_id)
    chunk = await asyncio.to_thread(lambda: preparing.prepare(read_lines(body)))
    if not dry_run:
        await _put_blobs(kit, caller, project_id, chunk)
    try:
        async with kit.database.write() as tx:
            await get_project(tx, caller, project_id, Right.MANAGE)
            plan = await _plan(tx, kit, caller)
            done = await Import(tx, caller, project_id, chunk, dry_run=dry_run).keep(plan, kit.hosts)
            if dry_run:
                raise _Rehearsed(done)
    except _Rehearsed as rehearsed:
        return rehearsed.done
    return done


async def _plan(tx: Tx, kit: Kit, caller: Caller) -> Plan:
    return kit.plans.get((await people.get_team(tx, caller.team_id))["plan"])


async def _put_blobs(kit: Kit, caller: Caller, project_id: str, chunk: Chunk) -> None:
    """Store the large texts first, unless it is known already that there is no room for them."""
    given = {sha256: content for event in chunk.events.values() for sha256, content in event.blobs.items()}
    if not given:
        return
    async with kit.database.read() as tx:
        known = await ingest.find_blobs(tx, project_id, list(given))
        limit = limits_of(await _plan(tx, kit, caller))[STORAGE]
        used = (await slots.read_use(tx, caller.scope, period()))[STORAGE].total
    fresh = {sha256: content for sha256, content in given.items() if sha256 not in known}
    if used + sum(map(len, fresh.values())) > limit:
        raise errors.PLAN_LIMIT(counter=STORAGE)
    waiting = iter(fresh.items())
    while some := list(islice(waiting, _BLOBS_AT_ONCE)):
        await asyncio.gather(*(kit.blobs.put(project_id, *named) for named in some))
