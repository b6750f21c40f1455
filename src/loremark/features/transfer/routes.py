"""/api/v2/export and /api/v2/import."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from loremark.base import clock, errors
from loremark.base.plans import Plans
from loremark.features.projects.access import Access, find_project, get_project
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer.export_slots import acquire_slot
from loremark.features.transfer.exporting import export_project
from loremark.features.transfer.service import ImportContext, import_chunk
from loremark.ports.blobs.store import Blobs
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.response import Stream
from loremark.web.routes import Routes, TxMode
from loremark.wire.shapes import AnyId
from loremark.wire.transfer import MAX_CHUNK_BYTES, MEDIA_TYPE, ImportResult

routes = Routes("transfer")

_MAX_SECONDS = 15 * 60.0
_RECHECK_S = 1.0


class ExportQuery(msgspec.Struct, frozen=True, rename="camel"):
    project_id: AnyId


class ImportQuery(msgspec.Struct, frozen=True, rename="camel"):
    project_id: AnyId
    dry_run: bool = False
    keep_reviews: bool = False


@routes.add(
    "GET",
    "/api/v2/export",
    needs(KEY | LOGIN, "read"),
    name="export",
    tx=TxMode.NONE,
    content_type=MEDIA_TYPE,
    errors=(errors.PROJECT_NOT_FOUND,),
)
async def export(call: Call, query: ExportQuery) -> Stream:
    """Export a project as JSON Lines. An export without its last line, ``end``, is incomplete."""
    async with call.database.read() as tx:
        await get_project(tx, call.caller, query.project_id, Access.READ)
    call.set_header("Content-Disposition", 'attachment; filename="loremark-export.jsonl"')
    slot = acquire_slot(call.database, call.caller)
    chunks = export_project(call.database, call.use(Blobs), call.caller.scope, query.project_id, slot)
    return Stream(_while_allowed(call, query.project_id, chunks), MEDIA_TYPE.encode(), max_s=_MAX_SECONDS)


async def _while_allowed(
    call: Call, project_id: str, chunks: AsyncGenerator[bytes, None]
) -> AsyncGenerator[bytes, None]:
    """Stop the export, without its last line, when the caller loses access to the project."""
    checked = clock.monotonic()
    async with aclosing(chunks):
        async for chunk in chunks:
            if clock.monotonic() - checked >= _RECHECK_S:
                if not await _may_read(call, project_id):
                    return
                checked = clock.monotonic()
            yield chunk


async def _may_read(call: Call, project_id: str) -> bool:
    if not await call.still_allowed():
        return False
    async with call.database.read() as tx:
        return await find_project(tx, call.caller, project_id) is not None


@routes.add(
    "POST",
    "/api/v2/import",
    needs(KEY | LOGIN, "admin"),
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
async def import_lines(call: Call, query: ImportQuery) -> ImportResult:
    """Import a chunk of an export into a project. Existing records are skipped, so chunks can be sent again.

    Nothing counts as reviewed, and contexts are drafts, unless ``keepReviews`` says to trust the export.
    """
    body = await call.request.read_body(MAX_CHUNK_BYTES)
    await call.recheck_caller()
    context = ImportContext(call.database, call.use(Blobs), call.use(Plans), call.use(RepoHosts))
    return await import_chunk(
        context, call.caller, query.project_id, body, dry_run=query.dry_run, keep_reviews=query.keep_reviews
    )
