"""The enrichment job, and the upkeep around it: sessions whose job was lost, and vectors to be made anew."""

from __future__ import annotations

import msgspec

from loremark.base.caller import Scope
from loremark.features.enrichment import dedup, drift, embed, enrich, store, vectors
from loremark.features.enrichment.records import Progress, text_hash
from loremark.features.enrichment.service import leave_failed
from loremark.features.enrichment.task import Kit, Task
from loremark.features.identity import store as people
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.features.metering.service import TeamMeter
from loremark.features.sessions import service as sessions
from loremark.features.sessions import store as sessions_store
from loremark.features.sessions.store import ENRICHMENT
from loremark.jobs.queue import Job
from loremark.jobs.run import Run
from loremark.memory.items import Item
from loremark.ports.embeddings.embedder import Embedder
from loremark.storage.database import Database, Tx

UPKEEP = "enrichment.upkeep"
EMBED_ANEW = "enrichment.embed_anew"
_STAGES = (
    (enrich.STAGE, enrich.enrich),
    (embed.STAGE, embed.embed),
    (dedup.STAGE, dedup.dedup),
    (drift.STAGE, drift.drift_check),
)
_SESSIONS_AT_ONCE = 100
_ITEMS_AT_ONCE = 64


class Enrichment:
    """Four stages, each resumable; what an earlier attempt or job has finished is not done or paid for again."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def __call__(self, run: Run) -> None:
        task = await self._open(run)
        if task is None:
            return
        for stage, work in _STAGES:
            if not run.is_done(stage):
                await run.begin(stage, task.tell)
                await work(task)

    async def _open(self, run: Run) -> Task | None:
        """None when the session or its project has been deleted meanwhile."""
        job, kit = run.job, self._kit
        scope = Scope(str(job.team_id))
        async with kit.database.read() as tx:
            session = await sessions_store.find_session(tx, scope, str(job.session_id))
            project = await store.find_project(tx, scope, str(job.project_id))
            if session is None or project is None:
                return None
            team = await people.get_team(tx, scope)
        plan = kit.plans.get(team["plan"])
        before = job.result or job.payload.get("before") or {}
        return Task(
            kit=kit,
            run=run,
            scope=scope,
            session=session,
            project=project,
            plan=plan,
            meter=TeamMeter(kit.database, scope, plan, project["id"]),
            progress=msgspec.convert(before, Progress),
            model=kit.models.get(kit.names.name_for(plan, project["ai_tier"])),
            builtin_name=sessions.builtin_name(plan, project["ai_tier"]),
        )


async def given_up(tx: Tx, job: Job, error: str) -> None:
    """The job has failed for good: so has its session, until somebody tries again."""
    scope = Scope(str(job.team_id))
    session = await sessions_store.hold_session(tx, scope, str(job.session_id))
    if session is not None and session["status"] == "enriching":
        row = await store.find_latest_job(tx, scope, session["id"], ENRICHMENT)
        assert row is not None
        await leave_failed(tx, scope, session, row, error)


class Upkeep:
    """Sessions whose job ended without a word (its worker was lost, an operator cancelled it) are told so."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        async with self._database.write() as tx:
            for session in await store.list_stranded(tx, ENRICHMENT, _SESSIONS_AT_ONCE):
                scope = Scope(session["team_id"])
                job = await store.find_latest_job(tx, scope, session["id"], ENRICHMENT)
                await leave_failed(tx, scope, session, job, "the job ended without a word")


class EmbedAnew:
    """Items whose text has changed, or which another embedder knew, get their vector; until then the old one serves."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def __call__(self, run: Run) -> None:
        await self._want_all_if_another()
        while await self._embed_some():
            pass

    async def _want_all_if_another(self) -> None:
        """The first time another embedder is in use, every item waits for its vector."""
        async with self._database.write() as tx:
            if await people.change_claim(tx, "embedder", self._embedder.name):
                await vectors.want_all_vectors(tx)

    async def _embed_some(self) -> bool:
        async with self._database.read() as tx:
            wanted = await vectors.list_wanted(tx, _ITEMS_AT_ONCE)
        if not wanted:
            return False
        project_id, scope = wanted[0]["project_id"], Scope(wanted[0]["team_id"])
        item_ids = [row["item_id"] for row in wanted if row["project_id"] == project_id]
        async with self._database.read() as tx:
            found = {row["id"]: records.to_item(row) for row in await items.list_by_ids(tx, scope, item_ids)}
        texts = {item_id: records.item_text(item) for item_id, item in found.items()}
        made = await embed.vectors_of(self._database, self._embedder, scope, project_id, set(texts.values()))
        model = self._embedder.name
        async with self._database.write() as tx:
            now = {row["id"]: records.to_item(row) for row in await items.list_by_ids(tx, scope, item_ids)}
            # What was edited meanwhile goes on waiting, and nothing of its old text is kept.
            same = {item_id: text for item_id, text in texts.items() if _says(now.get(item_id), text)}
            hashes = {item_id: text_hash(text) for item_id, text in same.items()}
            new = {hashed: vector for hashed, vector in made.new.items() if hashed in hashes.values()}
            await vectors.cache(tx, scope, project_id, model, new)
            for item_id, hashed in hashes.items():
                await vectors.keep_vector(
                    tx, scope, project_id, item_id, model=model, text_hash=hashed, vector=made.all[hashed]
                )
            done = [item_id for item_id in item_ids if item_id in same or item_id not in now]
            await vectors.forget_wanted(tx, scope, project_id, done)
            if not await vectors.is_wanted(tx, scope, project_id):
                await vectors.delete_other_models(tx, scope, project_id, model)
        return True


def _says(item: Item | None, text: str) -> bool:
    return item is not None and records.item_text(item) == text
