"""/api/projects: projects, members and signing secrets."""

from __future__ import annotations

from typing import Any

from loremark.base import clock, errors
from loremark.base.caller import MANAGERS, Caller
from loremark.base.crypto import Sealer
from loremark.base.plans import Plans
from loremark.features.projects import secrets, service, store
from loremark.features.projects.access import Access, access_level_of, get_project
from loremark.features.projects.repository import RepoHosts, auth_method
from loremark.features.team.departures import DepartureSteps
from loremark.features.team.invitation_limits import check_invitation_limit
from loremark.storage.database import Row
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes, TxMode
from loremark.wire.projects import (
    HmacSecret,
    MemberRemoval,
    NewProject,
    ProjectCreated,
    ProjectDetail,
    ProjectEntry,
    ProjectMember,
    ProjectUpdate,
    ProjectUpdated,
    RotatedSecret,
    SecretRotation,
)
from loremark.wire.team import Invitation, NewMember

routes = Routes("projects")

_MISSING = (errors.PROJECT_NOT_FOUND,)
_MANAGED = (errors.PROJECT_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED)


def _entry_fields(caller: Caller, row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["name"],
        "description": row["description"],
        "visibility": row["visibility"],
        "status": row["status"],
        "ai_tier": row["ai_tier"],
        "repo_url": row["repo_url"],
        "repo_host_username": row["repo_host_username"],
        "repo_auth_method": auth_method(row),
        "has_repo_host_token": row["repo_token_sealed"] is not None,
        "deep_enrich_enabled": bool(row["deep_enrich_enabled"]),
        "access_level": access_level_of(caller, row),
        "created_at": clock.iso(row["created_at_ms"]),
        "updated_at": clock.iso(row["updated_at_ms"]),
    }


@routes.add("GET", "/api/projects", needs(KEY | LOGIN, "read"), name="list")
async def list_projects(call: Call, query: Page) -> list[ProjectEntry]:
    """List the projects visible to the caller, newest first."""
    rows = await store.list_projects(call.tx, call.caller, before=query.cursor, take=query.take)
    entries = [ProjectEntry(**_entry_fields(call.caller, row)) for row in rows]
    return cut(call, query, entries, [row["id"] for row in rows])


@routes.add(
    "POST",
    "/api/projects",
    needs(KEY | LOGIN, "admin", roles=MANAGERS),
    name="create",
    status=201,
    errors=(errors.PLAN_LIMIT,),
)
async def create_project(call: Call, body: NewProject) -> ProjectCreated:
    """Create a project. The caller becomes its owner."""
    return await service.create_project(call.tx, call.caller, call.use(Plans), call.use(Sealer), body)


@routes.add("GET", "/api/projects/{id}", needs(KEY | LOGIN, "read"), name="get", errors=_MISSING)
async def get_one(call: Call, id: str) -> ProjectDetail:
    """Get a project."""
    row = await get_project(call.tx, call.caller, id, Access.READ)
    return ProjectDetail(
        id=row["id"],
        name=row["name"],
        description=row["description"],
        visibility=row["visibility"],
        status=row["status"],
        member_count=row["member_count"],
        auto_approve_threshold=row["auto_approve_threshold"],
        show_unreviewed=bool(row["show_unreviewed"]),
        briefings_enabled=bool(row["briefings_enabled"]),
        event_retention_days=row["event_retention_days"],
        session_retention_days=row["session_retention_days"],
        chat_retention_days=row["chat_retention_days"],
        access_level=access_level_of(call.caller, row),
        created_at=clock.iso(row["created_at_ms"]),
        updated_at=clock.iso(row["updated_at_ms"]),
    )


@routes.add(
    "PATCH",
    "/api/projects/{id}",
    needs(KEY | LOGIN, "admin"),
    name="update",
    errors=(*_MANAGED, errors.BAD_REPO_URL),
)
async def update_project(call: Call, id: str, body: ProjectUpdate) -> ProjectUpdated:
    """Update a project. Omitted fields keep their values."""
    row = await service.update_project(call.tx, call.caller, call.use(RepoHosts), call.use(Sealer), id, body)
    return ProjectUpdated(
        **_entry_fields(call.caller, row),
        member_count=row["member_count"],
        auto_approve_threshold=row["auto_approve_threshold"],
        show_unreviewed=bool(row["show_unreviewed"]),
        briefings_enabled=bool(row["briefings_enabled"]),
        event_retention_days=row["event_retention_days"],
        session_retention_days=row["session_retention_days"],
        chat_retention_days=row["chat_retention_days"],
    )


@routes.add(
    "DELETE",
    "/api/projects/{id}",
    needs(KEY | LOGIN, "admin"),
    name="delete",
    status=204,
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN),
)
async def delete_project(call: Call, id: str) -> None:
    """Permanently delete a project and all of its data."""
    await service.delete_project(call.tx, call.caller, id)


@routes.add("GET", "/api/projects/{id}/members", needs(KEY | LOGIN, "read"), name="list_members", errors=_MISSING)
async def list_members(call: Call, id: str, query: Page) -> list[ProjectMember]:
    """List the project's members, oldest first."""
    await get_project(call.tx, call.caller, id, Access.READ)
    rows = await store.list_members(call.tx, call.caller.scope, id, after=query.cursor, take=query.take)
    return cut(call, query, [service.member_shape(row) for row in rows], [row["joined_id"] for row in rows])


@routes.add(
    "POST",
    "/api/projects/{id}/members",
    needs(KEY | LOGIN, "admin"),
    name="add_member",
    status=201,
    tx=TxMode.NONE,
    errors=(*_MANAGED, errors.ALREADY_MEMBER, errors.INVITATION_LIMIT),
)
async def add_member(call: Call, id: str, body: NewMember) -> ProjectMember | Invitation:
    """Add a team member to the project. An unknown email address is invited to the team."""
    async with call.database.read() as tx:
        is_invitation = await service.would_invite(tx, call.caller, id, body.email)
    if is_invitation:
        await check_invitation_limit(call, body.email)
    async with call.write() as tx:
        return await service.add_member(tx, call.caller, id, body)


@routes.add(
    "DELETE",
    "/api/projects/{id}/members",
    needs(KEY | LOGIN, "admin"),
    name="remove_member",
    status=204,
    errors=(*_MANAGED, errors.MEMBER_NOT_FOUND, errors.LAST_OWNER),
)
async def remove_member(call: Call, id: str, body: MemberRemoval) -> None:
    """Remove a member from the project."""
    await service.remove_member(call.tx, call.caller, id, body.user_id, call.use(DepartureSteps))


@routes.add(
    "GET",
    "/api/projects/{id}/hmac-secret",
    needs(KEY | LOGIN, "admin"),
    name="get_hmac_secret",
    tx=TxMode.WRITE,
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN),
)
async def get_secret(call: Call, id: str) -> HmacSecret:
    """Get the signing secret. Owners and admins only."""
    return await secrets.get_secret(call.tx, call.caller, call.use(Sealer), id)


@routes.add(
    "POST",
    "/api/projects/{id}/hmac-secret/rotate",
    needs(KEY | LOGIN, "admin"),
    name="rotate_hmac_secret",
    errors=_MANAGED,
)
async def rotate_secret(call: Call, id: str, body: SecretRotation) -> RotatedSecret:
    """Rotate the signing secret. The old secret stays valid for 24 hours unless ``revokeNow`` is set."""
    return await secrets.rotate_secret(call.tx, call.caller, call.use(Sealer), id, revoke_now=body.revoke_now)
