"""/api/v2/genesis: start, status, results and cancel, authenticated by the project's signature."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from loremark.base import errors
from loremark.features.genesis import service
from loremark.features.projects.access import get_signed_project
from loremark.web.authentication import SIGNATURE, needs
from loremark.web.call import Call
from loremark.web.routes import Routes
from loremark.web.validation import require_json
from loremark.wire.genesis import CancelScan, NewScan, ScanCancelled, ScanResults, ScanStarted, ScanStatus

T = TypeVar("T")

routes = Routes("genesis", unauthorized=errors.INVALID_SIGNATURE, rate_limited=errors.RATE_LIMITED_PLAIN)

_SIGNED = (errors.MISSING_HEADER, errors.TIMESTAMP_EXPIRED, errors.PROJECT_NOT_FOUND)
_BODY = (errors.INVALID_BODY, errors.BODY_TOO_LARGE, errors.UNSUPPORTED_MEDIA_TYPE)


class ScanQuery(Struct, frozen=True, rename="camel"):
    project_id: str


async def _read(call: Call, kind: type[T]) -> T:
    """Decode the body. The contract defines one error text for all problems."""
    require_json(call.request)
    try:
        return msgspec.json.decode(await call.request.read_body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise errors.INVALID_BODY() from None


@routes.add(
    "POST",
    "/api/v2/genesis/start",
    needs(SIGNATURE),
    name="start",
    status=202,
    raw_body=NewScan,
    errors=(
        *_SIGNED,
        *_BODY,
        errors.NO_REPOSITORY,
        errors.NO_PREVIOUS_SCAN,
        errors.SCAN_RUNNING,
        errors.PROJECT_ARCHIVED,
    ),
)
async def start(call: Call) -> ScanStarted:
    """Start a scan of the project's repository in the background."""
    request = await _read(call, NewScan)
    project = await get_signed_project(call.tx, call.caller, request.project_id, for_change=True)
    started = await service.start(call.tx, call.caller.scope, project, request)
    await call.check_rate_limit(
        "genesis.start", call.caller.team_id, errors.RATE_LIMITED_PLAIN
    )  # rejected requests do not count
    return started


@routes.add("GET", "/api/v2/genesis/status", needs(SIGNATURE), name="status", errors=_SIGNED)
async def status(call: Call, query: ScanQuery) -> ScanStatus:
    """Get the status of the latest scan."""
    await get_signed_project(call.tx, call.caller, query.project_id, for_change=False)
    return await service.status(call.tx, call.caller.scope, query.project_id)


@routes.add("GET", "/api/v2/genesis/results", needs(SIGNATURE), name="results", errors=_SIGNED)
async def results(call: Call, query: ScanQuery) -> ScanResults:
    """Get the findings of the latest scan, or those found so far if it is still running."""
    await get_signed_project(call.tx, call.caller, query.project_id, for_change=False)
    return await service.results(call.tx, call.caller.scope, query.project_id)


@routes.add(
    "POST",
    "/api/v2/genesis/cancel",
    needs(SIGNATURE),
    name="cancel",
    raw_body=CancelScan,
    errors=(*_SIGNED, *_BODY, errors.NO_SCAN_RUNNING),
)
async def cancel(call: Call) -> ScanCancelled:
    """Cancel the scan after its current phase. Findings so far are kept."""
    request = await _read(call, CancelScan)
    await get_signed_project(call.tx, call.caller, request.project_id, for_change=False)
    return await service.cancel(call.tx, call.caller.scope, request.project_id)
