"""Starting a scan, looking at it, cancelling it, and how it ends. Who may do so is asked before, by the routes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from loremark.base import clock, errors, ids
from loremark.base.caller import Scope
from loremark.features.genesis import store
from loremark.jobs import queue
from loremark.jobs.notices import tell_changed
from loremark.memory import states
from loremark.memory.codebase.records import ENGINE
from loremark.storage.database import Row, Tx
from loremark.wire.genesis import (
    LAYERS,
    Finding,
    NewScan,
    Scan,
    ScanCancelled,
    ScanGraph,
    ScanResults,
    ScanStarted,
    ScanStatus,
    ScanSummary,
    TechEntry,
)

SCAN = "genesis.scan"
PHASES = ("fetch_tree", "fetch_files", "build_chunks", "analyze", "synthesize", "security_audit", "assemble")
"""The phases that a scan works in, in their order."""
_ATTEMPTS = 10
"""Crashes count too; each goes on where the one before stood."""


async def start(tx: Tx, scope: Scope, project: Row, wanted: NewScan) -> ScanStarted:
    """Promise a scan of the project's repository. One at a time: its place in the database says so."""
    before = await store.find_newest_complete(tx, scope, project["id"])
    lacks_one_before = wanted.selective and before is None
    if project["repo_url"] is None:
        raise errors.NO_PREVIOUS_SCAN() if lacks_one_before else errors.NO_REPOSITORY()
    if await store.find_running(tx, scope, project["id"]) is not None:
        raise errors.SCAN_RUNNING()
    if lacks_one_before:
        raise errors.NO_PREVIOUS_SCAN()
    job_id = ids.new("job")
    scan_id = await store.create_scan(
        tx,
        scope,
        project["id"],
        branch=wanted.branch,
        max_files=int(wanted.max_files),
        after_scan_id=before["id"] if before is not None else None,
        selective=wanted.selective,
        engine=ENGINE,
        job_id=job_id,
    )
    if scan_id is None:
        raise errors.SCAN_RUNNING()
    await queue.enqueue(
        tx,
        SCAN,
        {"scanId": scan_id},
        team_id=scope,
        project_id=project["id"],
        job_id=job_id,
        max_attempts=_ATTEMPTS,
        stages=PHASES,
    )
    tell_changed(tx, scope, "scans", project["id"])
    return ScanStarted(scan_id=scan_id, status="fetch_tree")


async def cancel(tx: Tx, scope: Scope, project_id: str) -> ScanCancelled:
    """The phase under way ends first; what was found stays."""
    running = await store.find_running(tx, scope, project_id)
    held = await store.hold_scan(tx, scope, running["id"]) if running is not None else None
    if running is None or held is None or held["completed_at_ms"] is not None:  # it may have ended just now
        raise errors.NO_SCAN_RUNNING()
    await store.request_cancel(tx, scope, running["id"])
    preserved = await store.count_findings(tx, scope, running["id"])
    return ScanCancelled(scan_id=running["id"], status="cancelled", findings_preserved=preserved)


async def status(tx: Tx, scope: Scope, project_id: str) -> ScanStatus:
    row = await store.find_newest(tx, scope, project_id)
    return ScanStatus(scan=None if row is None else scan_shape(row))


async def results(tx: Tx, scope: Scope, project_id: str) -> ScanResults:
    """What the newest scan has found. Empty, with zeros, where there was none."""
    row = await store.find_newest(tx, scope, project_id)
    found = await store.list_findings(tx, scope, row["id"]) if row is not None else []
    stack = store.to_stack(row["tech_stack"]) if row is not None else []
    by_layer = Counter(finding["layer"] for finding in found)
    return ScanResults(
        findings=[finding_shape(finding) for finding in found],
        tech_stack=[TechEntry(name=tech.name, version=tech.version, category=tech.category) for tech in stack],
        summary=ScanSummary(
            total_findings=len(found),
            by_layer={layer: by_layer[layer] for layer in LAYERS},
            scan_duration=_duration_s(row) if row is not None else 0.0,
            files_analyzed=row["files_processed"] if row is not None else 0,
            chunks_analyzed=row["chunks_processed"] if row is not None else 0,
        ),
    )


async def graph(tx: Tx, scope: Scope, project_id: str) -> ScanGraph:
    """The imports as the newest scan that came so far has seen them. Empty where there was none."""
    return await store.find_newest_imports(tx, scope, project_id) or ScanGraph(modules=[], edges=[], more=0)


def scan_shape(row: Row) -> Scan:
    return Scan(
        id=row["id"],
        phase=row["phase"],
        progress=round(row["progress"], 4),
        files_total=row["files_total"],
        files_processed=row["files_processed"],
        chunks_total=row["chunks_total"],
        chunks_processed=row["chunks_processed"],
        findings_count=row["findings_count"],
        tech_stack=[tech.name for tech in store.to_stack(row["tech_stack"])],
        error=row["error"],
        started_at=clock.iso(row["started_at_ms"]),
        completed_at=clock.iso_or_none(row["completed_at_ms"]),
    )


def finding_shape(row: Row) -> Finding:
    return Finding(
        id=row["id"],
        layer=row["layer"],
        title=row["title"],
        content=row["content"],
        importance=row["importance"],
        files=msgspec.json.decode(row["files"], type=list[str]),
        tags=msgspec.json.decode(row["tags"], type=list[str]),
        created_at=clock.iso(row["created_at_ms"]),
    )


def _duration_s(row: Row) -> float:
    until_ms = row["completed_at_ms"] if row["completed_at_ms"] is not None else clock.now_ms()
    return float(round(max(0, until_ms - row["started_at_ms"]) / 1000, 3))


async def end(tx: Tx, scope: Scope, scan: Row, phase: str, error: str | None = None) -> None:
    """The scan is over, one way or the other, and another one may begin; its findings stay."""
    assert states.SCAN.allows(scan["phase"], phase), (scan["phase"], phase)
    changes: dict[str, Any] = {"phase": phase, "error": error, "completed_at_ms": clock.now_ms()}
    if phase == "complete":
        changes["progress"] = 1.0
        await store.forget_older(tx, scope, scan["project_id"], but=scan["id"])
    else:
        await store.forget_files(tx, scope, scan["id"])
    await store.update_scan(tx, scope, scan["id"], changes)
    await store.leave_place(tx, scope, scan["project_id"], scan["id"])
    tell_changed(tx, scope, "scans", scan["project_id"])
