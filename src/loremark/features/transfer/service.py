"""Import of a chunk in one transaction. Existing records are skipped, so chunks can be sent again.

Importing requires manage access to the project, exporting only read access.
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
from loremark.features.metering import counter_slots
from loremark.features.metering.counter_slots import STORAGE
from loremark.features.metering.periods import period
from loremark.features.metering.plan_limits import limits_of
from loremark.features.projects.access import Access, get_project
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer.import_chunk import Chunk, ChunkBuilder
from loremark.features.transfer.importing import Import
from loremark.features.transfer.line_parser import read_lines
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database, Tx
from loremark.wire.transfer import ImportResult

_PARALLEL_BLOBS = 8


@dataclass(frozen=True)
class ImportContext:
    """Dependencies of an import."""

    database: Database
    blobs: Blobs
    plans: Plans
    hosts: RepoHosts


class _DryRunDone(Exception):
    """Rolls back the transaction of a dry run."""

    def __init__(self, done: ImportResult) -> None:
        super().__init__()
        self.done = done


async def import_chunk(
    context: ImportContext, caller: Caller, project_id: str, body: bytes, *, dry_run: bool, keep_reviews: bool
) -> ImportResult:
    """Import the records of a chunk that do not exist yet, all or nothing."""
    async with context.database.read() as tx:
        await get_project(tx, caller, project_id, Access.MANAGE)
    builder = ChunkBuilder(caller.scope, project_id, keep_reviews=keep_reviews)
    chunk = await asyncio.to_thread(lambda: builder.build(read_lines(body)))
    if not dry_run:
        await _put_blobs(context, caller, project_id, chunk)
    try:
        async with context.database.write() as tx:
            await get_project(tx, caller, project_id, Access.MANAGE)
            plan = await _plan(tx, context, caller)
            done = await Import(tx, caller, project_id, chunk, dry_run=dry_run).run(plan, context.hosts)
            if dry_run:
                raise _DryRunDone(done)
    except _DryRunDone as dry_run_done:
        return dry_run_done.done
    return done


async def _plan(tx: Tx, context: ImportContext, caller: Caller) -> Plan:
    return context.plans.get((await people.get_team(tx, caller.team_id))["plan"])


async def _put_blobs(context: ImportContext, caller: Caller, project_id: str, chunk: Chunk) -> None:
    """Store large texts before the transaction, unless they exceed the storage limit."""
    given = {sha256: content for event in chunk.events.values() for sha256, content in event.blobs.items()}
    if not given:
        return
    async with context.database.read() as tx:
        known = await ingest.find_blobs(tx, project_id, list(given))
        limit = limits_of(await _plan(tx, context, caller))[STORAGE]
        used = (await counter_slots.read_usage(tx, caller.scope, period()))[STORAGE].total
    missing = {sha256: content for sha256, content in given.items() if sha256 not in known}
    if used + sum(map(len, missing.values())) > limit:
        raise errors.PLAN_LIMIT(counter=STORAGE)
    pending = iter(missing.items())
    while batch := list(islice(pending, _PARALLEL_BLOBS)):
        await asyncio.gather(*(context.blobs.put(project_id, *blob) for blob in batch))
