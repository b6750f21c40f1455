"""The scan job with its seven resumable phases, and the maintenance job for lost scans."""

from __future__ import annotations

import msgspec

from loremark.base.caller import Scope
from loremark.features.enrichment import store as enrichment_store
from loremark.features.genesis import analysis, assembly, fetching, service, store, synthesis
from loremark.features.genesis.sandboxed_parser import SandboxedParser
from loremark.features.genesis.task import Dependencies, ScanDeleted, Task
from loremark.features.identity import store as people
from loremark.features.metering.service import TeamMeter
from loremark.jobs.queue import Job
from loremark.jobs.run import Run
from loremark.ports.git.failures import RepositoryFailed
from loremark.storage.database import Database, Tx

UPKEEP = "genesis.upkeep"
_PHASE_FUNCTIONS = {
    "fetch_tree": fetching.fetch_tree,
    "fetch_files": fetching.fetch_files,
    "build_chunks": fetching.build_chunks,
    "analyze": analysis.analyze,
    "synthesize": synthesis.synthesize,
    "security_audit": synthesis.security_audit,
    "assemble": assembly.assemble,
}
_BATCH = 100
_LOST = "The scan was interrupted and could not finish. Start a new scan."
_GAVE_UP = "The scan failed repeatedly. See the server log for details."


class GenesisScan:
    """Runs a scan, resuming at the phase and chunk an earlier attempt reached."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    async def __call__(self, run: Run) -> None:
        task = await self._open(run)
        if task is None:
            return
        if not run.is_done(analysis.PHASE):
            task.parser.start()  # starts while the repository is fetched
        try:
            await self._work(task)
        except ScanDeleted:
            return
        except RepositoryFailed as failure:
            async with run.step() as tx:
                await service.end(tx, task.scope, task.scan, "failed", str(failure))
        finally:
            await task.parser.close()

    async def _work(self, task: Task) -> None:
        for phase, work in _PHASE_FUNCTIONS.items():
            if not task.scan["cancel_requested"] and not task.run.is_done(phase):
                await task.run.begin(phase)
                await work(task)
        if task.scan["cancel_requested"]:
            await _finish_cancelled(task)

    async def _open(self, run: Run) -> Task | None:
        """Load the task, or return None if the scan has ended, or it or its project has been deleted."""
        job, deps = run.job, self._deps
        scope = Scope(str(job.team_id))
        async with deps.database.read() as tx:
            scan = await store.find_scan(tx, scope, job.payload["scanId"])
            project = await enrichment_store.find_project(tx, scope, str(job.project_id))
            if scan is None or project is None or scan["completed_at_ms"] is not None:
                return None
            team = await people.get_team(tx, scope)
        plan = deps.plans.get(team["plan"])
        return Task(
            deps=deps,
            run=run,
            scope=scope,
            project=project,
            scan=scan,
            plan=plan,
            meter=TeamMeter(deps.database, scope, plan, project["id"]),
            model=deps.models.get(deps.names.name_for(plan, project["ai_tier"])),
            notes=msgspec.json.decode(scan["notes"], type=list[str]),
            parser=SandboxedParser(deps.scan_cpu_s),
        )


async def _finish_cancelled(task: Task) -> None:
    """End a cancelled scan, with findings from the files read so far."""
    so_far = None if task.run.is_done("security_audit") else await synthesis.partial_results(task)
    async with task.run.step() as tx:
        if so_far is not None:
            await synthesis.save_partial_results(task, tx, so_far)
        await service.end(tx, task.scope, task.scan, "cancelled")


async def mark_scan_failed(tx: Tx, job: Job, error: str) -> None:
    """Mark the scan as failed after the job's last attempt."""
    scope = Scope(str(job.team_id))
    scan = await store.lock_scan(tx, scope, job.payload["scanId"])
    if scan is not None and scan["completed_at_ms"] is None:
        await service.end(tx, scope, scan, "failed", _GAVE_UP)


class Upkeep:
    """Ends scans whose job ended without a result, for example after a crash or manual cancellation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, run: Run) -> None:
        async with self._database.write() as tx:
            for found in await store.list_stranded(tx, _BATCH):
                scope = Scope(found["team_id"])
                scan = await store.lock_scan(tx, scope, found["id"])
                if scan is not None and scan["completed_at_ms"] is None:
                    phase = "cancelled" if scan["cancel_requested"] else "failed"
                    await service.end(tx, scope, scan, phase, None if phase == "cancelled" else _LOST)
