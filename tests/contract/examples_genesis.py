"""Valid Genesis requests. Scans cannot finish, because the repository does not exist."""

from __future__ import annotations

from dataclasses import replace

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.genesis import service, store
from loremark.jobs import queue
from loremark.memory.codebase.records import Finding, Tech
from loremark.wire.genesis import GraphModule, ScanGraph
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
SEEN = ScanGraph(
    modules=[
        GraphModule(path="src/sessions.py", language="python", lines=40, imports=0, imported_by=1),
        GraphModule(path="src/api.py", language=None, lines=90, imports=1, imported_by=0),
    ],
    edges=[(1, 0)],
    remaining=0,
)


async def project_with_repository(cast: Cast) -> str:
    project = await cast.project()
    changed = await cast.owner.patch(f"/api/projects/{project}", {"repoUrl": REPOSITORY})
    assert changed.status_code == 200, changed.text
    return project


async def keep_scan(cast: Cast, project: str, phase: str | None = None) -> str:
    """Create a scan with findings in this phase; no job works on it."""
    scope = Scope(cast.owner.team_id)
    async with cast.service.runtime.database.write() as tx:
        scan_id = await store.create_scan(
            tx,
            scope,
            project,
            branch="main",
            max_files=10,
            base_scan_id=None,
            selective=False,
            engine="none",
            job_id=await queue.enqueue(tx, "test.unknown", {}, team_id=scope, project_id=project),
        )
        assert scan_id is not None
        await store.replace_findings(tx, scope, project, scan_id, "study", [(FOUND, clock.now_ms())])
        stack = store.from_stack([Tech("Python", "3.12", "language"), Tech("Redis", None, "database")])
        before = {"complete": "assemble"}.get(phase or "", "analyze")
        seen = {"tech_stack": stack, "imports": store.from_imports(SEEN), "findings_count": 1, "phase": before}
        await store.update_scan(tx, scope, scan_id, seen)
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


async def _read(cast: Cast, actor: Actor) -> Ask:
    return await ask_of(cast, await cast.project(), by_body=False)


async def _read_scan(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    await keep_scan(cast, project, "failed")
    return await ask_of(cast, project, by_body=False)


async def _cancel(cast: Cast, actor: Actor) -> Ask:
    project = await cast.project()
    await keep_scan(cast, project)
    return await ask_of(cast, project, by_body=True)


def _by_login(wanted: str, *, by_body: bool, scan: str = "") -> Example:
    """The same without a signature; ``scan`` is the phase of an existing scan."""

    async def ask(cast: Cast, actor: Actor) -> Ask:
        project = await cast.project(wanted)
        if scan == "to come":
            await cast.owner.patch(f"/api/projects/{project}", {"repoUrl": REPOSITORY})
        elif scan:
            await keep_scan(cast, project, None if scan == "running" else scan)
        return replace(await ask_of(cast, project, by_body=by_body), secret="")

    return ask


for _wanted, _suffix in (("private", ""), ("public", " (public)")):
    GENESIS |= {
        f"scans.start{_suffix}": _by_login(_wanted, by_body=True, scan="to come"),
        f"scans.status{_suffix}": _by_login(_wanted, by_body=False, scan="failed"),
        f"scans.results{_suffix}": _by_login(_wanted, by_body=False, scan="complete"),
        f"scans.graph{_suffix}": _by_login(_wanted, by_body=False, scan="complete"),
        f"scans.cancel{_suffix}": _by_login(_wanted, by_body=True, scan="running"),
    }
GENESIS |= {
    "genesis.start": _start,
    "genesis.status": _read,
    "genesis.status (scanned)": _read_scan,
    "genesis.results": _read,
    "genesis.results (scanned)": _read_scan,
    "genesis.cancel": _cancel,
}
