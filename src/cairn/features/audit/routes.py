"""GET /api/audit."""

from __future__ import annotations

import msgspec

from cairn.base import clock
from cairn.base.caller import MANAGERS
from cairn.features.audit import store
from cairn.storage.database import Row
from cairn.web.call import Call
from cairn.web.needs import KEY, LOGIN, needs
from cairn.web.paging import Page, cut
from cairn.web.routes import Routes
from cairn.wire.audit import AuditActor, AuditEntry

routes = Routes("audit")


class AuditQuery(Page, frozen=True, rename="camel"):
    action: str | None = None
    project_id: str | None = None


@routes.add("GET", "/api/audit", needs(KEY | LOGIN, MANAGERS), name="list")
async def list_audit(call: Call, query: AuditQuery) -> list[AuditEntry]:
    """What was done in the team, newest first."""
    rows = await store.list_entries(
        call.tx,
        call.caller.scope,
        action=query.action,
        project_id=query.project_id,
        before=query.cursor,
        take=query.take,
    )
    return cut(call, query, [_shape(row) for row in rows], [row["id"] for row in rows])


def _shape(row: Row) -> AuditEntry:
    return AuditEntry(
        id=row["id"],
        action=row["action"],
        target=row["target"],
        project_id=row["project_id"],
        actor=AuditActor(user_id=row["actor_id"], name=row["actor_name"], via=row["via"], address=row["address"]),
        detail=msgspec.json.decode(row["detail"]),
        request_id=row["request_id"],
        created_at=clock.iso(row["at_ms"]),
    )
