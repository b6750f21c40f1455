"""GET /api/audit and /api/audit/export."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import msgspec

from loremark.base import clock
from loremark.base.caller import MANAGERS
from loremark.features.audit import store
from loremark.storage.database import Row
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.web.response import Stream
from loremark.web.routes import Routes, TxMode
from loremark.wire.audit import AuditActor, AuditEntry

routes = Routes("audit")

_JSON_LINES = "application/x-ndjson"
_MAX_SECONDS = 15 * 60.0
_ROWS_AT_ONCE = 1_000


class AuditQuery(Page, frozen=True, rename="camel"):
    action: str | None = None
    project_id: str | None = None


class AuditExportQuery(msgspec.Struct, frozen=True, rename="camel"):
    action: str | None = None
    project_id: str | None = None


@routes.add("GET", "/api/audit", needs(KEY | LOGIN, "admin", roles=MANAGERS), name="list")
async def list_audit(call: Call, query: AuditQuery) -> list[AuditEntry]:
    """List the team's audit log, newest first."""
    rows = await store.list_entries(
        call.tx,
        call.caller.scope,
        action=query.action,
        project_id=query.project_id,
        before=query.cursor,
        take=query.take,
    )
    return cut(call, query, [_shape(row) for row in rows], [row["id"] for row in rows])


@routes.add(
    "GET",
    "/api/audit/export",
    needs(KEY | LOGIN, "admin", roles=MANAGERS),
    name="export",
    tx=TxMode.NONE,
    content_type=_JSON_LINES,
)
async def export_audit(call: Call, query: AuditExportQuery) -> Stream:
    """Export the team's audit log as JSON Lines, oldest first."""
    async with call.write() as tx:
        await store.record(tx, call.caller, "audit.exported", call.caller.team_id, project_id=query.project_id)
    call.set_header("Content-Disposition", 'attachment; filename="audit.jsonl"')
    return Stream(_lines(call, query), _JSON_LINES.encode(), max_s=_MAX_SECONDS)


async def _lines(call: Call, query: AuditExportQuery) -> AsyncGenerator[bytes, None]:
    """Page by page, each in its own short transaction. Stops when the caller loses access."""
    after = ""
    while await call.still_allowed():
        async with call.database.read() as tx:
            rows = await store.list_for_export(
                tx,
                call.caller.scope,
                action=query.action,
                project_id=query.project_id,
                after=after,
                take=_ROWS_AT_ONCE,
            )
        if rows:
            yield b"".join(msgspec.json.encode(_shape(row)) + b"\n" for row in rows)
            after = rows[-1]["id"]
        if len(rows) < _ROWS_AT_ONCE:
            return


def _shape(row: Row) -> AuditEntry:
    return AuditEntry(
        id=row["id"],
        action=row["action"],
        target=row["target"],
        project_id=row["project_id"],
        actor=AuditActor(
            user_id=row["actor_id"],
            name=row["actor_name"],
            auth_method=row["auth_method"],
            ip_address=row["ip_address"],
        ),
        details=msgspec.json.decode(row["details"]),
        request_id=row["request_id"],
        created_at=clock.iso(row["created_at_ms"]),
    )
