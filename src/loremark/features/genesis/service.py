"""Starting, cancelling and ending scans, and their results. The routes check access."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from loremark.base import clock, errors, ids
from loremark.base.caller import Scope
from loremark.features.genesis import store
from loremark.jobs import queue
from loremark.jobs.notices import notify_changed
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
"""The phases of a running scan, in order."""
_ATTEMPTS = 10
"""Including crashes. Each attempt resumes where the previous one stopped."""


async def start(tx: Tx, scope: Scope, project: Row, request: NewScan) -> ScanStarted:
    """Enqueue a scan of the project's repository. A unique row per project prevents concurrent scans."""
    before = await store.find_newest_complete(tx, scope, project["id"])
    lacks_previous = request.selective and before is None
    if project["repo_url"] is None:
        raise errors.NO_PREVIOUS_SCAN() if lacks_previous else errors.NO_REPOSITORY()
    if await store.find_running(tx, scope, project["id"]) is not None:
        raise errors.SCAN_RUNNING()
    if lacks_previous:
        raise errors.NO_PREVIOUS_SCAN()
    job_id = ids.new("job")
    scan_id = await store.create_scan(
        tx,
        scope,
        project["id"],
        branch=request.branch,
        max_files=int(request.max_files),
        base_scan_id=before["id"] if before is not None else None,
        selective=request.selective,
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
    notify_changed(tx, scope, "scans", project["id"])
    return ScanStarted(scan_id=scan_id, status="fetch_tree")


async def cancel(tx: Tx, scope: Scope, project_id: str) -> ScanCancelled:
    """Request cancellation. The current phase finishes first, and findings are kept."""
    running = await store.find_running(tx, scope, project_id)
    locked = await store.lock_scan(tx, scope, running["id"]) if running is not None else None
    if running is None or locked is None or locked["completed_at_ms"] is not None:  # it may have just ended
        raise errors.NO_SCAN_RUNNING()
    await store.request_cancel(tx, scope, running["id"])
    preserved = await store.count_findings(tx, scope, running["id"])
    return ScanCancelled(scan_id=running["id"], status="cancelled", findings_preserved=preserved)


async def status(tx: Tx, scope: Scope, project_id: str) -> ScanStatus:
    row = await store.find_newest(tx, scope, project_id)
    return ScanStatus(scan=None if row is None else scan_shape(row))


async def results(tx: Tx, scope: Scope, project_id: str) -> ScanResults:
    """Return the findings of the latest scan, or an empty result if there is none."""
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
            files_analyzed=_files_analyzed(row) if row is not None else 0,
            chunks_analyzed=row["chunks_processed"] if row is not None else 0,
        ),
    )


async def graph(tx: Tx, scope: Scope, project_id: str) -> ScanGraph:
    """Return the import graph of the latest scan that has one, or an empty graph."""
    return await store.find_newest_imports(tx, scope, project_id) or ScanGraph(modules=[], edges=[], remaining=0)


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


def _files_analyzed(row: Row) -> int:
    """Return the number of files behind the findings. A complete scan covers all, also those it did not read again."""
    covers_all = row["phase"] == "complete" and row["error"] is None
    return int(row["files_total"] if covers_all else row["files_processed"])


def _duration_s(row: Row) -> float:
    until_ms = row["completed_at_ms"] if row["completed_at_ms"] is not None else clock.now_ms()
    return float(round(max(0, until_ms - row["started_at_ms"]) / 1000, 3))


async def end(tx: Tx, scope: Scope, scan: Row, phase: str, error: str | None = None) -> None:
    """End the scan in the given phase and allow another one to start. Findings are kept.

    A scan that is complete but could not read every file has an error that says so.
    """
    assert states.SCAN.allows(scan["phase"], phase), (scan["phase"], phase)
    changes: dict[str, Any] = {"phase": phase, "error": error, "completed_at_ms": clock.now_ms()}
    if phase == "complete":
        changes["progress"] = 1.0
        await store.delete_older(tx, scope, scan["project_id"], but=scan["id"])
    else:
        await store.delete_files(tx, scope, scan["id"])
    await store.update_scan(tx, scope, scan["id"], changes)
    await store.release_slot(tx, scope, scan["project_id"], scan["id"])
    notify_changed(tx, scope, "scans", scan["project_id"])
