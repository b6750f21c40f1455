"""Projects and their members."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, and_, bindparam, delete, func, insert, select, update

from loremark.base import clock, ids, limits
from loremark.base.caller import OWNER, Caller, Role, Scope
from loremark.features.projects.access import find_project
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import brains_to_check, briefing_switches, project_members, projects, users

_MOST_SWITCHES = 100
_INSERT = Sql(insert(projects))
_COUNT = Sql(
    select(func.count().label("found"))
    .select_from(projects)
    .where(projects.c.team_id == bindparam("scope"), projects.c.deleted_at_ms.is_(None))
)
_EXISTING = and_(
    projects.c.team_id == bindparam("scope"),
    projects.c.deleted_at_ms.is_(None),
    projects.c.id < bindparam("before"),
)
_LIST_ALL = Sql(select(projects).where(_EXISTING).order_by(projects.c.id.desc()).limit(bindparam("take")))
_LIST_MINE = Sql(
    select(projects, project_members.c.role.label("my_role"))
    .join(
        project_members,
        and_(
            project_members.c.project_id == projects.c.id,
            project_members.c.user_id == bindparam("user_id"),
        ),
        isouter=True,
    )
    .where(_EXISTING, (projects.c.visibility == "public") | project_members.c.role.is_not(None))
    .order_by(projects.c.id.desc())
    .limit(bindparam("take"))
)
_MARK_DELETED = Sql(
    update(projects)
    .where(projects.c.team_id == bindparam("scope"), projects.c.id == bindparam("project_id"))
    .values(deleted_at_ms=bindparam("now_ms"))
)
_INSERT_SWITCH = Sql(insert(briefing_switches))
_SWITCHES = Sql(
    select(briefing_switches.c.enabled, briefing_switches.c.created_at_ms)
    .where(
        briefing_switches.c.team_id == bindparam("scope"),
        briefing_switches.c.project_id == bindparam("of_project"),
        briefing_switches.c.created_at_ms >= bindparam("since_ms", type_=BigInteger),
    )
    .order_by(briefing_switches.c.created_at_ms, briefing_switches.c.id)
    .limit(_MOST_SWITCHES)
)
# What the brain says of the project itself.
_IN_BRAIN = frozenset(("name", "description", "repo_url"))
_MARK_BRAIN = Sql(lambda new: new(brains_to_check).on_conflict_do_nothing(index_elements=["project_id"]))

_MEMBER = select(
    project_members.c.user_id,
    project_members.c.joined_id,
    project_members.c.role,
    project_members.c.joined_at_ms,
    users.c.name,
    users.c.email,
).join(users, users.c.id == project_members.c.user_id)
_OF_PROJECT = and_(
    project_members.c.team_id == bindparam("scope"), project_members.c.project_id == bindparam("of_project")
)
_MEMBERS = Sql(
    _MEMBER.where(_OF_PROJECT, project_members.c.joined_id > bindparam("after"))
    .order_by(project_members.c.joined_id)
    .limit(bindparam("take"))
)
_FIND_MEMBER = Sql(_MEMBER.where(_OF_PROJECT, project_members.c.user_id == bindparam("of_user")))
_FIND_ANY = Sql(select(projects).where(projects.c.id == bindparam("project_id"), projects.c.deleted_at_ms.is_(None)))
_FIND_OF_TEAM = Sql(
    select(projects).where(
        projects.c.team_id == bindparam("scope"),
        projects.c.id == bindparam("project_id"),
        projects.c.deleted_at_ms.is_(None),
    )
)
_INSERT_MEMBER = Sql(lambda new: new(project_members).on_conflict_do_nothing(index_elements=["project_id", "user_id"]))
_DELETE_MEMBER = Sql(delete(project_members).where(_OF_PROJECT, project_members.c.user_id == bindparam("of_user")))
_LOCK_OWNERS = Sql(
    select(project_members.c.user_id).where(_OF_PROJECT, project_members.c.role == OWNER).with_for_update()
)

_AFTER_ALL_IDS = "\uffff"


async def count_projects(tx: Tx, scope: Scope) -> int:
    row = await tx.one(_COUNT, scope=scope)
    assert row is not None
    return int(row["found"])


async def create_project(
    tx: Tx,
    caller: Caller,
    project_id: str,
    *,
    name: str,
    description: str,
    visibility: str,
    secret_sealed: str,
) -> int:
    """Create a project owned by the caller and return its creation time."""
    now_ms = clock.now_ms()
    await tx.run(
        _INSERT,
        id=project_id,
        team_id=caller.team_id,
        name=name,
        description=description,
        visibility=visibility,
        status="active",
        ai_tier=None,
        repo_url=None,
        repo_host_username=None,
        repo_token_sealed=None,
        deep_enrich_enabled=False,
        auto_approve_threshold=limits.AUTO_APPROVE_DEFAULT,
        show_unreviewed=True,
        briefings_enabled=True,
        event_retention_days=None,
        session_retention_days=None,
        chat_retention_days=None,
        hmac_secret_sealed=secret_sealed,
        hmac_previous_sealed=None,
        hmac_previous_until_ms=None,
        memory_version=0,
        index_version=0,
        created_at_ms=now_ms,
        updated_at_ms=now_ms,
        deleted_at_ms=None,
    )
    await create_member(tx, caller.scope, project_id, caller.user_id, OWNER)
    return now_ms


async def find_project_of_team(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    """Find a project regardless of who asks."""
    return await tx.one(_FIND_OF_TEAM, scope=scope, project_id=project_id)


async def find_any_project(tx: Tx, project_id: str) -> Row | None:
    """Unscoped: used by operator commands."""
    return await tx.one(_FIND_ANY, project_id=project_id)


async def list_projects(tx: Tx, caller: Caller, *, before: str | None, take: int) -> list[Row]:
    """List projects, newest first: all for the team's owner and admins, otherwise assigned and public ones."""
    start = before or _AFTER_ALL_IDS
    if caller.manages:
        return await tx.many(_LIST_ALL, scope=caller.scope, before=start, take=take)
    if caller.only_project is not None:
        found = await find_project(tx, caller, caller.only_project)
        return [found] if found is not None and found["id"] < start else []
    return await tx.many(_LIST_MINE, scope=caller.scope, user_id=caller.user_id, before=start, take=take)


async def update_project(tx: Tx, scope: Scope, project_id: str, changes: dict[str, Any]) -> None:
    statement = (
        update(projects)
        .where(projects.c.team_id == scope, projects.c.id == project_id)
        .values(updated_at_ms=clock.now_ms(), **changes)
    )
    if _IN_BRAIN & changes.keys():
        await tx.run(statement.values(memory_version=projects.c.memory_version + 1))
        await tx.run(_MARK_BRAIN, project_id=project_id, team_id=scope)
    else:
        await tx.run(statement)


async def record_briefing_switch(tx: Tx, scope: Scope, project_id: str, *, enabled: bool) -> None:
    """Record that briefings were switched on or off."""
    await tx.run(
        _INSERT_SWITCH,
        id=ids.new("bsw"),
        team_id=scope,
        project_id=project_id,
        enabled=enabled,
        created_at_ms=clock.now_ms(),
    )


async def list_briefing_switches(tx: Tx, scope: Scope, project_id: str, since_ms: int) -> list[Row]:
    """List when briefings were switched on or off, oldest first."""
    return await tx.many(_SWITCHES, scope=scope, of_project=project_id, since_ms=since_ms)


async def mark_deleted(tx: Tx, scope: Scope, project_id: str) -> None:
    """Mark a project as deleted, which hides it everywhere."""
    await tx.run(_MARK_DELETED, scope=scope, project_id=project_id, now_ms=clock.now_ms())


async def list_members(tx: Tx, scope: Scope, project_id: str, *, after: str | None, take: int) -> list[Row]:
    """List members, oldest first."""
    return await tx.many(_MEMBERS, scope=scope, of_project=project_id, after=after or "", take=take)


async def find_member(tx: Tx, scope: Scope, project_id: str, user_id: str) -> Row | None:
    return await tx.one(_FIND_MEMBER, scope=scope, of_project=project_id, of_user=user_id)


async def create_member(tx: Tx, scope: Scope, project_id: str, user_id: str, role: Role) -> bool:
    """Add a member. Returns False if the user is already one."""
    created = await tx.run(
        _INSERT_MEMBER,
        project_id=project_id,
        user_id=user_id,
        team_id=scope,
        joined_id=ids.new("joi"),
        role=role,
        joined_at_ms=clock.now_ms(),
    )
    return created == 1


async def delete_member(tx: Tx, scope: Scope, project_id: str, user_id: str) -> None:
    await tx.run(_DELETE_MEMBER, scope=scope, of_project=project_id, of_user=user_id)


async def lock_owners(tx: Tx, scope: Scope, project_id: str) -> list[str]:
    """Lock and return the owners, so that concurrent removals cannot remove the last one."""
    return [row["user_id"] for row in await tx.many(_LOCK_OWNERS, scope=scope, of_project=project_id)]


def new_project_id() -> str:
    return ids.new("prj")
