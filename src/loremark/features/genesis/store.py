"""Queries for scans and their findings."""

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
_TAKE_SLOT = Sql(lambda new: new(running_scans).on_conflict_do_nothing(index_elements=["project_id"]))
_of_project = and_(scans.c.team_id == bindparam("scope"), scans.c.project_id == bindparam("of_project"))
_columns = tuple(column for column in scans.c if column is not scans.c.imports)
"""All columns except the import graph, which is large and rarely needed."""
_newest = select(*_columns).where(_of_project).order_by(scans.c.id.desc()).limit(1)
_NEWEST = Sql(_newest)
_NEWEST_COMPLETE = Sql(_newest.where(scans.c.phase == "complete"))
_NEWEST_IMPORTS = Sql(
    select(scans.c.imports).where(_of_project, scans.c.imports.is_not(None)).order_by(scans.c.id.desc()).limit(1)
)
_this = and_(scans.c.team_id == bindparam("scope"), scans.c.id == bindparam("scan_id"))
_FIND = Sql(select(*_columns).where(_this))
_LOCK = Sql(select(*_columns).where(_this).with_for_update())
_RUNNING = Sql(
    select(*_columns)
    .join(running_scans, running_scans.c.scan_id == scans.c.id)
    .where(running_scans.c.team_id == bindparam("scope"), running_scans.c.project_id == bindparam("of_project"))
)
_CANCEL = Sql(update(scans).where(_this).values(cancel_requested=True))
_RELEASE_SLOT = Sql(
    delete(running_scans).where(
        running_scans.c.team_id == bindparam("scope"),
        running_scans.c.project_id == bindparam("of_project"),
        running_scans.c.scan_id == bindparam("of_scan"),
    )
)
_unfinished = jobs.alias("unfinished")
_STRANDED = Sql(
    select(*_columns)
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
_DELETE_FINDINGS = Sql(delete(findings).where(_of_scan, findings.c.origin == bindparam("from_origin")))
_COUNT_FINDINGS = Sql(select(func.count().label("count")).select_from(findings).where(_of_scan))
_DELETE_OLDER_FINDINGS = Sql(
    delete(findings).where(
        findings.c.team_id == bindparam("scope"),
        findings.c.project_id == bindparam("of_project"),
        findings.c.scan_id != bindparam("but"),
    )
)
_CLEAR_OLDER_IMPORTS = Sql(
    update(scans).where(_of_project, scans.c.id != bindparam("but"), scans.c.imports.is_not(None)).values(imports=None)
)
_DELETE_OLDER_FILES = Sql(
    delete(scan_files).where(
        scan_files.c.team_id == bindparam("scope"),
        scan_files.c.project_id == bindparam("of_project"),
        scan_files.c.scan_id != bindparam("but"),
    )
)
_DELETE_FILES = Sql(
    delete(scan_files).where(scan_files.c.team_id == bindparam("scope"), scan_files.c.scan_id == bindparam("of_scan"))
)


async def create_scan(
    tx: Tx,
    scope: Scope,
    project_id: str,
    *,
    branch: str,
    max_files: int,
    base_scan_id: str | None,
    selective: bool,
    engine: str,
    job_id: str,
) -> str | None:
    """Create a scan, or return None if one is running. A unique row per project enforces this."""
    scan_id = ids.new("scn")
    if await tx.run(_TAKE_SLOT, project_id=project_id, team_id=scope, scan_id=scan_id) == 0:
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
        base_scan_id=base_scan_id,
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
    """Return the import graph of the latest scan that has one."""
    row = await tx.one(_NEWEST_IMPORTS, scope=scope, of_project=project_id)
    return None if row is None else msgspec.json.decode(row["imports"], type=ScanGraph)


async def find_running(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    return await tx.one(_RUNNING, scope=scope, of_project=project_id)


async def find_scan(tx: Tx, scope: Scope, scan_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, scan_id=scan_id)


async def lock_scan(tx: Tx, scope: Scope, scan_id: str) -> Row | None:
    """Return the scan, locked until the transaction ends."""
    return await tx.one(_LOCK, scope=scope, scan_id=scan_id)


async def request_cancel(tx: Tx, scope: Scope, scan_id: str) -> None:
    await tx.run(_CANCEL, scope=scope, scan_id=scan_id)


async def update_scan(tx: Tx, scope: Scope, scan_id: str, changes: Mapping[str, Any]) -> None:
    """Update columns by name."""
    await tx.run(update(scans).where(scans.c.team_id == scope, scans.c.id == scan_id).values(**changes))


async def release_slot(tx: Tx, scope: Scope, project_id: str, scan_id: str) -> None:
    """Allow another scan of the project to start."""
    await tx.run(_RELEASE_SLOT, scope=scope, of_project=project_id, of_scan=scan_id)


async def list_stranded(tx: Tx, take: int) -> list[Row]:
    """List running scans without an active job. Unscoped: maintenance across teams."""
    return await tx.many(_STRANDED, take=take)


async def replace_findings(
    tx: Tx, scope: Scope, project_id: str, scan_id: str, origin: str, found: Sequence[tuple[Finding, int]]
) -> None:
    """Replace the findings of an origin, given with their creation times."""
    await tx.sweep(_DELETE_FINDINGS, scope=scope, of_scan=scan_id, from_origin=origin)
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
    """List findings, most important first."""
    return await tx.many(_LIST_FINDINGS, scope=scope, of_scan=scan_id)


async def count_findings(tx: Tx, scope: Scope, scan_id: str) -> int:
    row = await tx.one(_COUNT_FINDINGS, scope=scope, of_scan=scan_id)
    return int(row["count"]) if row is not None else 0


async def delete_older(tx: Tx, scope: Scope, project_id: str, but: str) -> None:
    """Delete findings, import graphs and files of earlier scans, which this one supersedes."""
    await tx.sweep(_CLEAR_OLDER_IMPORTS, scope=scope, of_project=project_id, but=but)
    await tx.sweep(_DELETE_OLDER_FINDINGS, scope=scope, of_project=project_id, but=but)
    await tx.sweep(_DELETE_OLDER_FILES, scope=scope, of_project=project_id, but=but)


async def delete_files(tx: Tx, scope: Scope, scan_id: str) -> None:
    """Delete the files of a scan."""
    await tx.sweep(_DELETE_FILES, scope=scope, of_scan=scan_id)


def to_finding(row: Row) -> Finding:
    return Finding(
        layer=row["layer"],
        title=row["title"],
        content=row["content"],
        importance=row["importance"],
        files=msgspec.json.decode(row["files"], type=tuple[str, ...]),
        tags=msgspec.json.decode(row["tags"], type=tuple[str, ...]),
    )


def to_stack(stored: str) -> list[Tech]:
    return msgspec.json.decode(stored, type=list[Tech])


def from_imports(graph: ScanGraph) -> str:
    return msgspec.json.encode(graph).decode()


def from_stack(stack: Sequence[Tech]) -> str:
    return msgspec.json.encode(stack).decode()
