"""/api/v2/export and /api/v2/import."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from loremark.base import clock, errors
from loremark.base.plans import Plans
from loremark.features.projects.access import Right, find_project, get_project
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer.exporting import export_project
from loremark.features.transfer.service import Kit, import_chunk
from loremark.features.transfer.turns import take_turn
from loremark.ports.blobs.store import Blobs
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.response import Stream
from loremark.web.routes import Routes, TxMode
from loremark.wire.shapes import AnyId
from loremark.wire.transfer import CHUNK_MOST_BYTES, MEDIA_TYPE, Imported

routes = Routes("transfer")

_MOST_SECONDS = 15 * 60.0
_ASKED_AGAIN_S = 1.0


class ExportQuery(msgspec.Struct, frozen=True, rename="camel"):
    project_id: AnyId


class ImportQuery(msgspec.Struct, frozen=True, rename="camel"):
    project_id: AnyId
    dry_run: bool = False


@routes.add(
    "GET",
    "/api/v2/export",
    needs(KEY | LOGIN),
    name="export",
    tx=TxMode.NONE,
    content_type=MEDIA_TYPE,
    errors=(errors.PROJECT_NOT_FOUND,),
)
async def export(call: Call, query: ExportQuery) -> Stream:
    """The whole memory of a project at one moment, as lines of JSON; the last line says that nothing is missing."""
    async with call.database.read() as tx:
        await get_project(tx, call.caller, query.project_id, Right.READ)
    call.set_header("Content-Disposition", 'attachment; filename="loremark-export.jsonl"')
    turn = take_turn(call.database, call.caller)
    pieces = export_project(call.database, call.use(Blobs), call.caller.scope, query.project_id, turn)
    return Stream(_while_allowed(call, query.project_id, pieces), MEDIA_TYPE.encode(), most_s=_MOST_SECONDS)


async def _while_allowed(
    call: Call, project_id: str, pieces: AsyncGenerator[bytes, None]
) -> AsyncGenerator[bytes, None]:
    """What is told to whoever may still read the project; the line that tells the end is missing to all others."""
    checked = clock.monotonic()
    async with aclosing(pieces):
        async for piece in pieces:
            if clock.monotonic() - checked >= _ASKED_AGAIN_S:
                if not await _may_read(call, project_id):
                    return
                checked = clock.monotonic()
            yield piece


async def _may_read(call: Call, project_id: str) -> bool:
    if not await call.still_allowed():
        return False
    async with call.database.read() as tx:
        return await find_project(tx, call.caller, project_id) is not None


@routes.add(
    "POST",
    "/api/v2/import",
    needs(KEY | LOGIN),
    name="import",
    tx=TxMode.NONE,
    errors=(
        errors.BODY_INCOMPLETE,
        errors.BODY_TOO_LARGE,
        errors.PROJECT_NOT_FOUND,
        errors.FORBIDDEN,
        errors.PROJECT_ARCHIVED,
        errors.PLAN_LIMIT,
    ),
)
async def import_lines(call: Call, query: ImportQuery) -> Imported:
    """Add lines of an export to a project; what is there already stays as it is. Several calls make one import."""
    body = await call.request.read_body(CHUNK_MOST_BYTES)
    await call.ask_again()
    kit = Kit(call.database, call.use(Blobs), call.use(Plans), call.use(RepoHosts))
    return await import_chunk(kit, call.caller, query.project_id, body, dry_run=query.dry_run)
