"""The enrichment job, and maintenance jobs: failing sessions whose job was lost, and re-embedding items."""

from __future__ import annotations

import msgspec

from loremark.base.caller import Scope
from loremark.features.enrichment import dedup, drift, embed, enrich, store, vectors
from loremark.features.enrichment.records import Progress, text_hash
from loremark.features.enrichment.service import mark_session_failed
from loremark.features.enrichment.task import Dependencies, Task
from loremark.features.identity import store as people
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.features.items.store import lock_by_ids
from loremark.features.metering.service import TeamMeter
from loremark.features.reading import store as readings
from loremark.features.sessions import service as sessions
from loremark.features.sessions import store as sessions_store
from loremark.features.sessions.store import ENRICHMENT
from loremark.jobs.queue import Job
from loremark.jobs.run import Run
from loremark.memory.items import Item
from loremark.ports.embeddings.embedder import Embedder
from loremark.storage.database import Database, Tx

UPKEEP = "enrichment.upkeep"
REEMBED = "enrichment.reembed"
_STAGES = (
    (enrich.STAGE, enrich.enrich),
    (embed.STAGE, embed.embed),
    (dedup.STAGE, dedup.dedup),
    (drift.STAGE, drift.drift_check),
)
_SESSIONS_BATCH = 100
_ITEMS_BATCH = 64


class Enrichment:
    """Runs the four stages. Each is resumable, so finished work is not repeated or charged again."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def __call__(self, run: Run) -> None:
        task = await self._open(run)
        if task is None:
            return
        for stage, work in _STAGES:
            if not run.is_done(stage):
                await run.begin(stage, task.notify)
                await work(task)

    async def _open(self, run: Run) -> Task | None:
        """Load the task, or return None if the session or its project has been deleted."""
        job, deps = run.job, self._deps
        scope = Scope(str(job.team_id))
        async with deps.database.read() as tx:
            session = await sessions_store.find_session(tx, scope, str(job.session_id))
            project = await store.find_project(tx, scope, str(job.project_id))
            if session is None or project is None:
                return None
            team = await people.get_team(tx, scope)
            reading_id = job.payload.get("readingId")
            reading = await readings.find_reading(tx, scope, reading_id) if reading_id else None
        plan = deps.plans.get(team["plan"])
        before = job.result or job.payload.get("before") or {}
        return Task(
            deps=deps,
            run=run,
            scope=scope,
            session=session,
            project=project,
            plan=plan,
            meter=TeamMeter(deps.database, scope, plan, project["id"]),
            progress=msgspec.convert(before, Progress),
            model=deps.models.get(deps.names.name_for(plan, project["ai_tier"])),
            builtin_name=sessions.builtin_name(plan, project["ai_tier"]),
            reading=reading,
        )


async def mark_job_failed(tx: Tx, job: Job, error: str) -> None:
    """Mark the session as failed after the job's last attempt."""
    scope = Scope(str(job.team_id))
    session = await sessions_store.lock_session(tx, scope, str(job.session_id))
    if session is not None and session["status"] == "enriching":
        row = await store.find_latest_job(tx, scope, session["id"], ENRICHMENT)
        assert row is not None
        await mark_session_failed(tx, scope, session, row, error)


class Upkeep:
    """Fails sessions whose job ended without a result, for example after a crash or manual cancellation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        async with self._database.write() as tx:
            for session in await store.list_stranded(tx, ENRICHMENT, _SESSIONS_BATCH):
                scope = Scope(session["team_id"])
                job = await store.find_latest_job(tx, scope, session["id"], ENRICHMENT)
                await mark_session_failed(tx, scope, session, job, "the job ended unexpectedly")


class Reembed:
    """Embeds items again after their text or the embedder has changed. Old vectors stay in use until then."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def __call__(self, run: Run) -> None:
        await self._queue_all_if_embedder_changed()
        while await self._embed_batch():
            pass

    async def _queue_all_if_embedder_changed(self) -> None:
        """Queue all items if the embedder has changed since the last run."""
        async with self._database.write() as tx:
            if await people.update_claim(tx, "embedder", self._embedder.name):
                await vectors.queue_all_items(tx)

    async def _embed_batch(self) -> bool:
        async with self._database.read() as tx:
            queued = await vectors.list_queued(tx, _ITEMS_BATCH)
        if not queued:
            return False
        project_id, scope = queued[0]["project_id"], Scope(queued[0]["team_id"])
        item_ids = [row["item_id"] for row in queued if row["project_id"] == project_id]
        async with self._database.read() as tx:
            found = {row["id"]: records.to_item(row) for row in await items.list_by_ids(tx, scope, item_ids)}
        texts = {item_id: records.item_text(item) for item_id, item in found.items()}
        embedded = await embed.embed_texts(self._database, self._embedder, scope, project_id, set(texts.values()))
        model = self._embedder.name
        async with self._database.write() as tx:
            await items.lock_memory(tx, scope, project_id)
            # Locked, so that an edit waits: it would find the item still queued, and we would dequeue it.
            now = {row["id"]: records.to_item(row) for row in await lock_by_ids(tx, scope, item_ids)}
            # Items edited meanwhile stay queued, and vectors of their old text are discarded.
            same = {item_id: text for item_id, text in texts.items() if _has_text(now.get(item_id), text)}
            hashes = {item_id: text_hash(text) for item_id, text in same.items()}
            new = {hashed: vector for hashed, vector in embedded.new.items() if hashed in hashes.values()}
            await vectors.cache_vectors(tx, scope, project_id, model, new)
            for item_id, hashed in hashes.items():
                await vectors.upsert_vector(
                    tx, scope, project_id, item_id, model=model, text_hash=hashed, vector=embedded.all[hashed]
                )
            done = [item_id for item_id in item_ids if item_id in same or item_id not in now]
            await vectors.dequeue(tx, scope, project_id, done)
            if not await vectors.has_queued(tx, scope, project_id):
                await vectors.delete_other_models(tx, scope, project_id, model)
        return True


def _has_text(item: Item | None, text: str) -> bool:
    return item is not None and records.item_text(item) == text
