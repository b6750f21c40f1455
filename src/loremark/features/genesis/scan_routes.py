"""/api/v2/scans: the Genesis endpoints for API keys and logins.

/api/v2/genesis requires the project's secret, which browsers must not hold and only admins may read.
"""

from __future__ import annotations

from loremark.base import errors
from loremark.features.genesis import service
from loremark.features.genesis.routes import ScanQuery
from loremark.features.projects.access import Access, get_project
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes
from loremark.wire.genesis import CancelScan, NewScan, ScanCancelled, ScanGraph, ScanResults, ScanStarted, ScanStatus

routes = Routes("scans")

_MISSING = (errors.PROJECT_NOT_FOUND,)
_WRITTEN = (errors.PROJECT_NOT_FOUND, errors.FORBIDDEN)


@routes.add(
    "POST",
    "/api/v2/scans",
    needs(KEY | LOGIN, "write"),
    name="start",
    status=202,
    errors=(
        *_WRITTEN,
        errors.NO_REPOSITORY,
        errors.NO_PREVIOUS_SCAN,
        errors.SCAN_RUNNING,
        errors.PROJECT_ARCHIVED,
    ),
)
async def start(call: Call, body: NewScan) -> ScanStarted:
    """Start a scan of the project's repository in the background."""
    project = await get_project(call.tx, call.caller, body.project_id, Access.WRITE)
    started = await service.start(call.tx, call.caller.scope, project, body)
    await call.check_rate_limit("genesis.start", call.caller.team_id)  # rejected requests do not count
    return started


@routes.add("GET", "/api/v2/scans", needs(KEY | LOGIN, "read"), name="status", errors=_MISSING)
async def status(call: Call, query: ScanQuery) -> ScanStatus:
    """Get the status of the latest scan."""
    await get_project(call.tx, call.caller, query.project_id, Access.READ)
    return await service.status(call.tx, call.caller.scope, query.project_id)


@routes.add("GET", "/api/v2/scans/results", needs(KEY | LOGIN, "read"), name="results", errors=_MISSING)
async def results(call: Call, query: ScanQuery) -> ScanResults:
    """Get the findings of the latest scan, or those found so far if it is still running."""
    await get_project(call.tx, call.caller, query.project_id, Access.READ)
    return await service.results(call.tx, call.caller.scope, query.project_id)


@routes.add("GET", "/api/v2/scans/graph", needs(KEY | LOGIN, "read"), name="graph", errors=_MISSING)
async def graph(call: Call, query: ScanQuery) -> ScanGraph:
    """Get the import graph of the most connected modules."""
    await get_project(call.tx, call.caller, query.project_id, Access.READ)
    return await service.graph(call.tx, call.caller.scope, query.project_id)


@routes.add(
    "POST",
    "/api/v2/scans/cancel",
    needs(KEY | LOGIN, "write"),
    name="cancel",
    errors=(*_WRITTEN, errors.NO_SCAN_RUNNING),
)
async def cancel(call: Call, body: CancelScan) -> ScanCancelled:
    """Cancel the scan after its current phase. Findings so far are kept."""
    await get_project(call.tx, call.caller, body.project_id, Access.WRITE, allow_archived=True)
    return await service.cancel(call.tx, call.caller.scope, body.project_id)
