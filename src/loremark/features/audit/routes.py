"""GET /api/audit."""

from __future__ import annotations

import msgspec

from loremark.base import clock
from loremark.base.caller import MANAGERS
from loremark.features.audit import store
from loremark.storage.database import Row
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes
from loremark.wire.audit import AuditActor, AuditEntry

routes = Routes("audit")


class AuditQuery(Page, frozen=True, rename="camel"):
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
