"""Creating, updating and deleting projects and their members."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from loremark.base import clock, errors
from loremark.base.caller import MANAGERS, Caller, Role
from loremark.base.crypto import Sealer
from loremark.base.plans import Plans
from loremark.features.audit import store as audit
from loremark.features.identity import store as people
from loremark.features.identity.email_address import email_key
from loremark.features.identity.limited_keys import require_unlimited
from loremark.features.projects import store
from loremark.features.projects.access import Access, get_project
from loremark.features.projects.repository import RepoHosts, repository_changes
from loremark.features.projects.repository_cleanup import notify_unused
from loremark.features.projects.secrets import new_secret, secret_context
from loremark.features.team import invitations
from loremark.features.team import service as team
from loremark.features.team import store as team_store
from loremark.features.team.departures import Departure, DepartureSteps, tell_owner
from loremark.jobs import queue
from loremark.jobs.notices import notify_changed
from loremark.storage.database import Row, Tx
from loremark.wire.projects import NewProject, ProjectCreated, ProjectMember, ProjectUpdate
from loremark.wire.team import Invitation, NewMember

PURGE = "projects.purge"
_PLAIN_FIELDS = (
    "name",
    "description",
    "visibility",
    "status",
    "ai_tier",
    "deep_enrich_enabled",
    "auto_approve_threshold",
    "show_unreviewed",
    "briefings_enabled",
    "event_retention_days",
    "session_retention_days",
    "chat_retention_days",
)


async def create_project(tx: Tx, caller: Caller, plans: Plans, sealer: Sealer, wanted: NewProject) -> ProjectCreated:
    plan = plans.get((await people.lock_team(tx, caller.team_id))["plan"])
    if await store.count_projects(tx, caller.scope) >= plan.projects:
        raise errors.PLAN_LIMIT(counter="projects")
    project_id = store.new_project_id()
    created_at_ms = await store.create_project(
        tx,
        caller,
        project_id,
        name=wanted.name.strip(),
        description=wanted.description,
        visibility=wanted.visibility,
        secret_sealed=sealer.seal(new_secret(), secret_context(project_id)),
    )
    await audit.record(tx, caller, "project.created", project_id, project_id=project_id, name=wanted.name)
    notify_changed(tx, caller.team_id, "projects", project_id)
    return ProjectCreated(
        id=project_id,
        name=wanted.name.strip(),
        visibility=wanted.visibility,
        status="active",
        created_at=clock.iso(created_at_ms),
    )


async def update_project(
    tx: Tx, caller: Caller, hosts: RepoHosts, sealer: Sealer, project_id: str, change: ProjectUpdate
) -> Row:
    """Apply the given fields. An archived project only accepts changes that reactivate it."""
    reactivates = change.status == "active"
    project = await get_project(tx, caller, project_id, Access.MANAGE, allow_archived=reactivates)
    changes: dict[str, Any] = {
        name: getattr(change, name) for name in _PLAIN_FIELDS if getattr(change, name) is not UNSET
    }
    if "name" in changes:
        changes["name"] = changes["name"].strip()
    changes |= repository_changes(project, change, hosts, sealer)
    if changes:
        await store.update_project(tx, caller.scope, project_id, changes)
        if project["repo_url"] and not changes.keys().isdisjoint(("repo_url", "repo_token_sealed")):
            notify_unused(tx, project["repo_url"])
        enabled = changes.get("briefings_enabled")
        if enabled is not None and enabled != bool(project["briefings_enabled"]):
            await store.record_briefing_switch(tx, caller.scope, project_id, enabled=enabled)
        changed = sorted(name.removesuffix("_sealed") for name in changes)
        await audit.record(tx, caller, "project.updated", project_id, project_id=project_id, fields=changed)
        notify_changed(tx, caller.team_id, "projects", project_id)
    return await get_project(tx, caller, project_id, Access.MANAGE, allow_archived=True)


async def delete_project(tx: Tx, caller: Caller, project_id: str) -> None:
    """Delete a project, also from invitations. It disappears with this commit; a job removes its data."""
    project = await get_project(tx, caller, project_id, Access.MANAGE, allow_archived=True)
    await store.mark_deleted(tx, caller.scope, project_id)
    await invitations.remove_project(tx, caller.scope, project_id)
    await queue.enqueue(tx, PURGE, {"projectId": project_id}, team_id=caller.team_id)
    await audit.record(tx, caller, "project.deleted", project_id, project_id=project_id, name=project["name"])
    notify_changed(tx, caller.team_id, "projects")  # to the whole team: a deleted project has no members to check


def member_shape(row: Row) -> ProjectMember:
    return ProjectMember(
        user_id=row["user_id"],
        name=row["name"],
        email=row["email"],
        role=row["role"],
        joined_at=clock.iso(row["joined_at_ms"]),
    )


async def would_invite(tx: Tx, caller: Caller, project_id: str, email: str) -> bool:
    """Whether adding this address to the project invites it to the team."""
    await get_project(tx, caller, project_id, Access.MANAGE)
    require_unlimited(caller)
    return caller.manages and await team_store.find_member_by_email(tx, caller.scope, email_key(email)) is None


async def add_member(tx: Tx, caller: Caller, project_id: str, wanted: NewMember) -> ProjectMember | Invitation:
    """Add a team member to a project; an unknown address is invited to the team and the project."""
    await get_project(tx, caller, project_id, Access.MANAGE)
    require_unlimited(caller)
    member = await team_store.find_member_by_email(tx, caller.scope, email_key(wanted.email))
    if member is None:
        if not caller.manages:
            raise errors.FORBIDDEN()
        return await team.invite(tx, caller, wanted, project_id=project_id)
    role: Role = wanted.role
    if not await store.create_member(tx, caller.scope, project_id, member["user_id"], role):
        raise errors.ALREADY_MEMBER()
    await audit.record(
        tx,
        caller,
        "project.member_added",
        member["user_id"],
        project_id=project_id,
        email=member["email"],
        role=role,
    )
    await team.emit_member_added(tx, caller.scope, project_id, member, role)
    notify_changed(tx, caller.team_id, "projects", project_id)
    added = await store.find_member(tx, caller.scope, project_id, member["user_id"])
    assert added is not None
    return member_shape(added)


async def remove_member(tx: Tx, caller: Caller, project_id: str, user_id: str, steps: DepartureSteps) -> None:
    """Remove a member. If they could manage the project, what they know or set up ends as well."""
    project = await get_project(tx, caller, project_id, Access.MANAGE)
    owners = await store.lock_owners(tx, caller.scope, project_id)
    member = await store.find_member(tx, caller.scope, project_id, user_id)
    if member is None:
        raise errors.MEMBER_NOT_FOUND()
    if owners == [user_id]:
        raise errors.LAST_OWNER()
    await store.delete_member(tx, caller.scope, project_id, user_id)
    await audit.record(tx, caller, "project.member_removed", user_id, project_id=project_id, email=member["email"])
    await team.emit_member_removed(tx, caller.scope, project_id, member, member["role"])
    in_team = await team_store.find_member_by_user(tx, caller.scope, user_id)
    if member["role"] in MANAGERS and (in_team is None or in_team["role"] not in MANAGERS):
        measures = await steps.run(tx, caller, Departure(user_id, [project_id]))
        await tell_owner(tx, caller, member, f"was removed from the project {project['name']}", measures)
    notify_changed(tx, caller.team_id, "projects")
