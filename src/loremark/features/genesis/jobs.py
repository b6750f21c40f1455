"""The scan as a job: seven phases, each resumable, and the upkeep around it."""

from __future__ import annotations

import msgspec

from loremark.base.caller import Scope
from loremark.features.enrichment import store as enrichment_store
from loremark.features.genesis import analysis, assembling, conclusions, fetching, service, store
from loremark.features.genesis.task import Gone, Kit, Task
from loremark.features.identity import store as people
from loremark.features.metering.service import TeamMeter
from loremark.jobs.queue import Job
from loremark.jobs.run import Run
from loremark.ports.git.failures import RepositoryFailed
from loremark.storage.database import Database, Tx

UPKEEP = "genesis.upkeep"
_WORK = {
    "fetch_tree": fetching.fetch_tree,
    "fetch_files": fetching.fetch_files,
    "build_chunks": fetching.build_chunks,
    "analyze": analysis.analyze,
    "synthesize": conclusions.synthesize,
    "security_audit": conclusions.security_audit,
    "assemble": assembling.assemble,
}
_SCANS_AT_ONCE = 100
_LOST = "The scan was interrupted and could not be finished."
_TRIED = "The scan failed again and again and was given up; the server's log says why."


class GenesisScan:
    """Goes on at the phase, and in it at the chunk, where an earlier attempt stood."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def __call__(self, run: Run) -> None:
        task = await self._open(run)
        if task is None:
            return
        if not run.is_done(analysis.PHASE):
            task.reader.start()  # it comes up while the host is asked
        try:
            await self._work(task)
        except Gone:
            return
        except RepositoryFailed as failure:
            async with run.step() as tx:
                await service.end(tx, task.scope, task.scan, "failed", str(failure))
        finally:
            await task.reader.close()

    async def _work(self, task: Task) -> None:
        for phase, work in _WORK.items():
            if not task.scan["cancel_requested"] and not task.run.is_done(phase):
                await task.run.begin(phase)
                await work(task)
        if task.scan["cancel_requested"]:
            await _wind_up(task)

    async def _open(self, run: Run) -> Task | None:
        """None when the scan or its project has been deleted meanwhile, or the scan is over."""
        job, kit = run.job, self._kit
        scope = Scope(str(job.team_id))
        async with kit.database.read() as tx:
            scan = await store.find_scan(tx, scope, job.payload["scanId"])
            project = await enrichment_store.find_project(tx, scope, str(job.project_id))
            if scan is None or project is None or scan["completed_at_ms"] is not None:
                return None
            team = await people.get_team(tx, scope)
        plan = kit.plans.get(team["plan"])
        return Task(
            kit=kit,
            run=run,
            scope=scope,
            project=project,
            scan=scan,
            plan=plan,
            meter=TeamMeter(kit.database, scope, plan, project["id"]),
            model=kit.models.get(kit.names.name_for(plan, project["ai_tier"])),
            notes=msgspec.json.decode(scan["notes"], type=list[str]),
        )


async def _wind_up(task: Task) -> None:
    """The scan was cancelled: what its files have told by now is put into findings, and it ends."""
    so_far = None if task.run.is_done("security_audit") else await conclusions.told_so_far(task)
    async with task.run.step() as tx:
        if so_far is not None:
            await conclusions.keep_all(task, tx, so_far)
        await service.end(tx, task.scope, task.scan, "cancelled")


async def given_up(tx: Tx, job: Job, error: str) -> None:
    """The job has failed for good: so has its scan, and another one may begin."""
    scope = Scope(str(job.team_id))
    scan = await store.hold_scan(tx, scope, job.payload["scanId"])
    if scan is not None and scan["completed_at_ms"] is None:
        await service.end(tx, scope, scan, "failed", _TRIED)


class Upkeep:
    """Scans whose job ended without a word (its worker was lost, an operator cancelled it) are told so."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        async with self._database.write() as tx:
            for found in await store.list_stranded(tx, _SCANS_AT_ONCE):
                scope = Scope(found["team_id"])
                scan = await store.hold_scan(tx, scope, found["id"])
                if scan is not None and scan["completed_at_ms"] is None:
                    phase = "cancelled" if scan["cancel_requested"] else "failed"
                    await service.end(tx, scope, scan, phase, None if phase == "cancelled" else _LOST)
