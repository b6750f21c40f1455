"""Valid calls of Genesis. No scan comes to anything here: nobody listens at the repository's address."""

from __future__ import annotations

from cairn.base import clock
from cairn.base.caller import Scope
from cairn.features.genesis import service, store
from cairn.jobs import queue
from cairn.memory.codebase.records import Finding, Tech
from tests.contract.cast import Actor, Ask, Cast, Example

GENESIS: dict[str, Example] = {}
REPOSITORY = "https://github.com/o/r"
FOUND = Finding(
    layer="architecture",
    title="Sessions are kept in Redis",
    content="`src/sessions.py` keeps them.",
    importance=4,
    files=("src/sessions.py",),
    tags=("redis",),
)


async def project_with_repository(cast: Cast) -> str:
    project = await cast.project()
    changed = await cast.owner.patch(f"/api/projects/{project}", {"repoUrl": REPOSITORY})
    assert changed.status_code == 200, changed.text
    return project


async def keep_scan(cast: Cast, project: str, phase: str | None = None) -> str:
    """A scan with findings that nobody works at: under way, or ended in this phase."""
    scope = Scope(cast.owner.team_id)
    async with cast.service.house.database.write() as tx:
        scan_id = await store.create_scan(
            tx,
            scope,
            project,
            branch="main",
            max_files=10,
            after_scan_id=None,
            selective=False,
            engine="none",
            job_id=await queue.enqueue(tx, "of nobody", {}, team_id=scope, project_id=project),
        )
        assert scan_id is not None
        await store.replace_findings(tx, scope, project, scan_id, "study", [(FOUND, clock.now_ms())])
        stack = store.from_stack([Tech("Python", "3.12", "language"), Tech("Redis", None, "database")])
        before = {"complete": "assemble"}.get(phase or "", "analyze")
        await store.update_scan(tx, scope, scan_id, {"tech_stack": stack, "findings_count": 1, "phase": before})
        scan = await store.find_scan(tx, scope, scan_id)
        if phase is not None and scan is not None:
            error = "The repository host cannot be reached." if phase == "failed" else None
            await service.end(tx, scope, scan, phase, error)
    return scan_id


async def ask_of(cast: Cast, project: str, *, by_body: bool) -> Ask:
    secret = await cast.secret_of(project)
    if by_body:
        return Ask(json={"projectId": project}, target=project, project=project, secret=secret)
    return Ask(query=f"?projectId={project}", target=project, project=project, secret=secret)


async def _start(cast: Cast, actor: Actor) -> Ask:
    return await ask_of(cast, await project_with_repository(cast), by_body=True)


async def _look(cast: Cast, actor: Actor) -> Ask:
    return await ask_of(cast, await cast.project(), by_body=False)


async def _look_at_scan(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    await keep_scan(cast, project, "failed")
    return await ask_of(cast, project, by_body=False)


async def _cancel(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    await keep_scan(cast, project)
    return await ask_of(cast, project, by_body=True)


GENESIS |= {
    "genesis.start": _start,
    "genesis.status": _look,
    "genesis.status (scanned)": _look_at_scan,
    "genesis.results": _look,
    "genesis.results (scanned)": _look_at_scan,
    "genesis.cancel": _cancel,
}
