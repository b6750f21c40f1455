"""Scans and their findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import and_, bindparam, delete, func, insert, or_, select, update

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.memory.codebase.records import Finding, Tech
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, Sql
from loremark.storage.tables import findings, jobs, running_scans, scan_files, scans
from loremark.wire.genesis import ScanGraph

_INSERT = Sql(insert(scans))
_TAKE_PLACE = Sql(lambda new: new(running_scans).on_conflict_do_nothing(index_elements=["project_id"]))
_of_project = and_(scans.c.team_id == bindparam("scope"), scans.c.project_id == bindparam("of_project"))
_told = tuple(column for column in scans.c if column is not scans.c.imports)
"""All but the picture of the imports, which only those who look at it read."""
_newest = select(*_told).where(_of_project).order_by(scans.c.id.desc()).limit(1)
_NEWEST = Sql(_newest)
_NEWEST_COMPLETE = Sql(_newest.where(scans.c.phase == "complete"))
_NEWEST_IMPORTS = Sql(
    select(scans.c.imports).where(_of_project, scans.c.imports.is_not(None)).order_by(scans.c.id.desc()).limit(1)
)
_this = and_(scans.c.team_id == bindparam("scope"), scans.c.id == bindparam("scan_id"))
_FIND = Sql(select(*_told).where(_this))
_HOLD = Sql(select(*_told).where(_this).with_for_update())
_RUNNING = Sql(
    select(*_told)
    .join(running_scans, running_scans.c.scan_id == scans.c.id)
    .where(running_scans.c.team_id == bindparam("scope"), running_scans.c.project_id == bindparam("of_project"))
)
_CANCEL = Sql(update(scans).where(_this).values(cancel_requested=True))
_LEAVE_PLACE = Sql(
    delete(running_scans).where(
        running_scans.c.team_id == bindparam("scope"),
        running_scans.c.project_id == bindparam("of_project"),
        running_scans.c.scan_id == bindparam("of_scan"),
    )
)
_unfinished = jobs.alias("unfinished")
_STRANDED = Sql(
    select(*_told)
    .join(running_scans, running_scans.c.scan_id == scans.c.id)
    .where(
        scans.c.completed_at_ms.is_(None),
        ~select(_unfinished.c.id)
        .where(
            _unfinished.c.id == scans.c.job_id,
            or_(_unfinished.c.status == "queued", _unfinished.c.status == "running"),
        )
        .exists(),
    )
    .limit(bindparam("take"))
)
_FINDINGS = Bulk(
    findings,
    (
        "id",
        "team_id",
        "project_id",
        "scan_id",
        "origin",
        "layer",
        "title",
        "content",
        "importance",
        "files",
        "tags",
        "created_at_ms",
    ),
    ("id",),
)
_of_scan = and_(findings.c.team_id == bindparam("scope"), findings.c.scan_id == bindparam("of_scan"))
_LIST_FINDINGS = Sql(select(findings).where(_of_scan).order_by(findings.c.importance.desc(), findings.c.id))
_FORGET_FINDINGS = Sql(delete(findings).where(_of_scan, findings.c.origin == bindparam("from_origin")))
_COUNT_FINDINGS = Sql(select(func.count().label("count")).select_from(findings).where(_of_scan))
_FORGET_OLDER_FINDINGS = Sql(
    delete(findings).where(
        findings.c.team_id == bindparam("scope"),
        findings.c.project_id == bindparam("of_project"),
        findings.c.scan_id != bindparam("but"),
    )
)
_FORGET_OLDER_IMPORTS = Sql(
    update(scans).where(_of_project, scans.c.id != bindparam("but"), scans.c.imports.is_not(None)).values(imports=None)
)
_FORGET_OLDER_FILES = Sql(
    delete(scan_files).where(
        scan_files.c.team_id == bindparam("scope"),
        scan_files.c.project_id == bindparam("of_project"),
        scan_files.c.scan_id != bindparam("but"),
    )
)
_FORGET_FILES = Sql(
    delete(scan_files).where(scan_files.c.team_id == bindparam("scope"), scan_files.c.scan_id == bindparam("of_scan"))
)


async def create_scan(
    tx: Tx,
    scope: Scope,
    project_id: str,
    *,
    branch: str,
    max_files: int,
    after_scan_id: str | None,
    selective: bool,
    engine: str,
    job_id: str,
) -> str | None:
    """A new scan; None when one is under way: the database lets a project have one place for it."""
    scan_id = ids.new("scn")
    if await tx.run(_TAKE_PLACE, project_id=project_id, team_id=scope, scan_id=scan_id) == 0:
        return None
    await tx.run(
        _INSERT,
        id=scan_id,
        team_id=scope,
        project_id=project_id,
        branch=branch,
        commit_sha=None,
        max_files=max_files,
        selective=selective,
        phase="fetch_tree",
        progress=0.0,
        files_total=0,
        files_processed=0,
        chunks_total=0,
        chunks_processed=0,
        findings_count=0,
        tech_stack="[]",
        imports=None,
        error=None,
        notes="[]",
        engine=engine,
        after_scan_id=after_scan_id,
        job_id=job_id,
        cancel_requested=False,
        started_at_ms=clock.now_ms(),
        completed_at_ms=None,
    )
    return scan_id


async def find_newest(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    return await tx.one(_NEWEST, scope=scope, of_project=project_id)


async def find_newest_complete(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    return await tx.one(_NEWEST_COMPLETE, scope=scope, of_project=project_id)


async def find_newest_imports(tx: Tx, scope: Scope, project_id: str) -> ScanGraph | None:
    """The picture of the imports of the newest scan that has one."""
    row = await tx.one(_NEWEST_IMPORTS, scope=scope, of_project=project_id)
    return None if row is None else msgspec.json.decode(row["imports"], type=ScanGraph)


async def find_running(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    return await tx.one(_RUNNING, scope=scope, of_project=project_id)


async def find_scan(tx: Tx, scope: Scope, scan_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, scan_id=scan_id)


async def hold_scan(tx: Tx, scope: Scope, scan_id: str) -> Row | None:
    """The scan, for a change: nobody else changes it until the transaction ends."""
    return await tx.one(_HOLD, scope=scope, scan_id=scan_id)


async def request_cancel(tx: Tx, scope: Scope, scan_id: str) -> None:
    await tx.run(_CANCEL, scope=scope, scan_id=scan_id)


async def update_scan(tx: Tx, scope: Scope, scan_id: str, changes: Mapping[str, Any]) -> None:
    """Columns by their names."""
    await tx.run(update(scans).where(scans.c.team_id == scope, scans.c.id == scan_id).values(**changes))


async def leave_place(tx: Tx, scope: Scope, project_id: str, scan_id: str) -> None:
    """Another scan of the project may begin."""
    await tx.run(_LEAVE_PLACE, scope=scope, of_project=project_id, of_scan=scan_id)


async def list_stranded(tx: Tx, take: int) -> list[Row]:
    """Unscoped: upkeep of all teams. Scans said to run although no job is at them."""
    return await tx.many(_STRANDED, take=take)


async def replace_findings(
    tx: Tx, scope: Scope, project_id: str, scan_id: str, origin: str, found: Sequence[tuple[Finding, int]]
) -> None:
    """What an origin has found, each with its time, in the place of what it had found before."""
    await tx.sweep(_FORGET_FINDINGS, scope=scope, of_scan=scan_id, from_origin=origin)
    rows = [
        (
            ids.new("fnd"),
            scope,
            project_id,
            scan_id,
            origin,
            finding.layer,
            finding.title,
            finding.content,
            finding.importance,
            msgspec.json.encode(finding.files).decode(),
            msgspec.json.encode(finding.tags).decode(),
            created_at_ms,
        )
        for finding, created_at_ms in found
    ]
    if rows:
        await tx.insert_new(_FINDINGS, rows)


async def list_findings(tx: Tx, scope: Scope, scan_id: str) -> list[Row]:
    """The most important first."""
    return await tx.many(_LIST_FINDINGS, scope=scope, of_scan=scan_id)


async def count_findings(tx: Tx, scope: Scope, scan_id: str) -> int:
    row = await tx.one(_COUNT_FINDINGS, scope=scope, of_scan=scan_id)
    return int(row["count"]) if row is not None else 0


async def forget_older(tx: Tx, scope: Scope, project_id: str, but: str) -> None:
    """Findings, pictures and files of the scans before this one: it tells all that they told."""
    await tx.sweep(_FORGET_OLDER_IMPORTS, scope=scope, of_project=project_id, but=but)
    await tx.sweep(_FORGET_OLDER_FINDINGS, scope=scope, of_project=project_id, but=but)
    await tx.sweep(_FORGET_OLDER_FILES, scope=scope, of_project=project_id, but=but)


async def forget_files(tx: Tx, scope: Scope, scan_id: str) -> None:
    """The files of a scan that came to nothing."""
    await tx.sweep(_FORGET_FILES, scope=scope, of_scan=scan_id)


def to_finding(row: Row) -> Finding:
    return Finding(
        layer=row["layer"],
        title=row["title"],
        content=row["content"],
        importance=row["importance"],
        files=msgspec.json.decode(row["files"], type=tuple[str, ...]),
        tags=msgspec.json.decode(row["tags"], type=tuple[str, ...]),
    )


def to_stack(kept: str) -> list[Tech]:
    return msgspec.json.decode(kept, type=list[Tech])


def from_imports(drawn: ScanGraph) -> str:
    return msgspec.json.encode(drawn).decode()


def from_stack(stack: Sequence[Tech]) -> str:
    return msgspec.json.encode(stack).decode()
