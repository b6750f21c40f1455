"""/api/v2/scans: what /api/v2/genesis does with the project's secret, for those who may see the project.

A browser must not hold that secret, and only those who manage a project may read it.
"""

from __future__ import annotations

from loremark.base import errors
from loremark.features.genesis import service
from loremark.features.genesis.routes import ScanQuery
from loremark.features.projects.access import Right, get_project
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.routes import Routes
from loremark.wire.genesis import NewScan, ScanCancelled, ScanGraph, ScanOf, ScanResults, ScanStarted, ScanStatus

routes = Routes("scans")

_MISSING = (errors.PROJECT_NOT_FOUND,)
_WRITTEN = (errors.PROJECT_NOT_FOUND, errors.FORBIDDEN)


@routes.add(
    "POST",
    "/api/v2/scans",
    needs(KEY | LOGIN),
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
    """Read the project's whole repository, in the background."""
    project = await get_project(call.tx, call.caller, body.project_id, Right.WRITE)
    started = await service.start(call.tx, call.caller.scope, project, body)
    await call.spend("genesis.start", call.caller.team_id)  # what is refused costs nothing
    return started


@routes.add("GET", "/api/v2/scans", needs(KEY | LOGIN), name="status", errors=_MISSING)
async def status(call: Call, query: ScanQuery) -> ScanStatus:
    """How far the newest scan has come."""
    await get_project(call.tx, call.caller, query.project_id, Right.READ)
    return await service.status(call.tx, call.caller.scope, query.project_id)


@routes.add("GET", "/api/v2/scans/results", needs(KEY | LOGIN), name="results", errors=_MISSING)
async def results(call: Call, query: ScanQuery) -> ScanResults:
    """What the newest scan has found, or has found so far."""
    await get_project(call.tx, call.caller, query.project_id, Right.READ)
    return await service.results(call.tx, call.caller.scope, query.project_id)


@routes.add("GET", "/api/v2/scans/graph", needs(KEY | LOGIN), name="graph", errors=_MISSING)
async def graph(call: Call, query: ScanQuery) -> ScanGraph:
    """What imports what in the codebase: its most connected modules."""
    await get_project(call.tx, call.caller, query.project_id, Right.READ)
    return await service.graph(call.tx, call.caller.scope, query.project_id)


@routes.add(
    "POST", "/api/v2/scans/cancel", needs(KEY | LOGIN), name="cancel", errors=(*_WRITTEN, errors.NO_SCAN_RUNNING)
)
async def cancel(call: Call, body: ScanOf) -> ScanCancelled:
    """End the scan after the phase it is in; what was found stays."""
    await get_project(call.tx, call.caller, body.project_id, Right.WRITE, archived_too=True)
    return await service.cancel(call.tx, call.caller.scope, body.project_id)
