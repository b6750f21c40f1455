"""Team members, their credentials and project memberships."""

from __future__ import annotations

from sqlalchemy import BigInteger, Text, and_, bindparam, cast, delete, exists, or_, select, update

from loremark.base import clock, ids
from loremark.base.caller import MANAGERS, OWNER, Role, Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import api_keys, logins, project_members, projects, team_members, users

_MEMBER = select(
    team_members.c.id,
    team_members.c.user_id,
    team_members.c.role,
    team_members.c.joined_at_ms,
    users.c.name,
    users.c.email,
).join(users, users.c.id == team_members.c.user_id)

_LIST = Sql(
    _MEMBER.where(team_members.c.team_id == bindparam("scope"), team_members.c.id > bindparam("after"))
    .order_by(team_members.c.id)
    .limit(bindparam("take"))
)
_GET = Sql(_MEMBER.where(team_members.c.team_id == bindparam("scope"), team_members.c.id == bindparam("member_id")))
_BY_EMAIL = Sql(_MEMBER.where(team_members.c.team_id == bindparam("scope"), users.c.email_key == bindparam("key")))
_BY_USER = Sql(
    _MEMBER.where(team_members.c.team_id == bindparam("scope"), team_members.c.user_id == bindparam("user_id"))
)
_OWNER = Sql(_MEMBER.where(team_members.c.team_id == bindparam("scope"), team_members.c.role == OWNER))
_SET_ROLE = Sql(
    update(team_members)
    .where(team_members.c.team_id == bindparam("scope"), team_members.c.id == bindparam("member_id"))
    .values(role=bindparam("new_role"))
)
_DELETE = Sql(
    delete(team_members).where(
        team_members.c.team_id == bindparam("scope"), team_members.c.id == bindparam("member_id")
    )
)
_CREDENTIALS = tuple(
    Sql(delete(table).where(table.c.team_id == bindparam("scope"), table.c.user_id == bindparam("of_user")))
    for table in (logins, api_keys)
)
_of_user = and_(project_members.c.team_id == bindparam("scope"), project_members.c.user_id == bindparam("of_user"))
_LEAVE_PROJECTS = Sql(
    delete(project_members).where(_of_user).returning(project_members.c.project_id, project_members.c.role)
)
_IN_PROJECT = Sql(
    select(project_members.c.role).where(_of_user, project_members.c.project_id == bindparam("of_project"))
)
_ALL_PROJECTS = Sql(
    select(projects.c.id)
    .where(projects.c.team_id == bindparam("scope"), projects.c.deleted_at_ms.is_(None))
    .order_by(projects.c.id)
)
_MANAGED_PROJECTS = Sql(
    select(projects.c.id)
    .join(project_members, project_members.c.project_id == projects.c.id)
    .where(
        _of_user,
        or_(*(project_members.c.role == role for role in sorted(MANAGERS))),
        projects.c.deleted_at_ms.is_(None),
    )
    .order_by(projects.c.id)
)
_other_owner = project_members.alias("other_owner")
_ORPHANED = Sql(
    select(project_members.c.project_id).where(
        project_members.c.team_id == bindparam("scope"),
        project_members.c.user_id == bindparam("of_user"),
        project_members.c.role == OWNER,
        ~exists().where(
            _other_owner.c.project_id == project_members.c.project_id,
            _other_owner.c.user_id != project_members.c.user_id,
            _other_owner.c.role == OWNER,
        ),
    )
)
_MAKE_OWNER = Sql(
    lambda new: new(project_members).on_conflict_do_update(
        index_elements=["project_id", "user_id"], set_={"role": OWNER}
    )
)
_JOIN_PROJECT = Sql(
    lambda new: (
        new(project_members)
        .from_select(
            ["project_id", "user_id", "team_id", "joined_id", "role", "joined_at_ms"],
            select(
                projects.c.id,
                cast(bindparam("new_user"), Text),
                projects.c.team_id,
                cast(bindparam("new_id"), Text),
                cast(bindparam("new_role"), Text),
                cast(bindparam("now_ms"), BigInteger),
            ).where(
                projects.c.team_id == bindparam("scope"),
                projects.c.id == bindparam("of_project"),
                projects.c.deleted_at_ms.is_(None),
            ),
        )
        .on_conflict_do_nothing(index_elements=["project_id", "user_id"])
    )
)


async def list_members(tx: Tx, scope: Scope, *, after: str | None, take: int) -> list[Row]:
    """List members, oldest first."""
    return await tx.many(_LIST, scope=scope, after=after or "", take=take)


async def find_member(tx: Tx, scope: Scope, member_id: str) -> Row | None:
    return await tx.one(_GET, scope=scope, member_id=member_id)


async def find_member_by_email(tx: Tx, scope: Scope, email_key: str) -> Row | None:
    return await tx.one(_BY_EMAIL, scope=scope, key=email_key)


async def find_member_by_user(tx: Tx, scope: Scope, user_id: str) -> Row | None:
    return await tx.one(_BY_USER, scope=scope, user_id=user_id)


async def find_owner(tx: Tx, scope: Scope) -> Row | None:
    return await tx.one(_OWNER, scope=scope)


async def update_role(tx: Tx, scope: Scope, member_id: str, role: Role) -> None:
    await tx.run(_SET_ROLE, scope=scope, member_id=member_id, new_role=role)


async def list_managed_projects(tx: Tx, scope: Scope, member: Row, *, was_manager: bool) -> list[str]:
    """The projects whose settings and secrets this member can read, or could when they managed the team."""
    statement = _ALL_PROJECTS if was_manager or member["role"] in MANAGERS else _MANAGED_PROJECTS
    return [row["id"] for row in await tx.many(statement, scope=scope, of_user=member["user_id"])]


async def delete_member(tx: Tx, scope: Scope, member: Row, owner: Row) -> tuple[list[Row], list[str]]:
    """Delete a membership and all credentials. Projects with no other owner go to the team's owner.

    Returns the project memberships that ended and the projects the owner joined.
    """
    joined: list[str] = []
    for project in await tx.many(_ORPHANED, scope=scope, of_user=member["user_id"]):
        project_id = project["project_id"]
        if await tx.one(_IN_PROJECT, scope=scope, of_user=owner["user_id"], of_project=project_id) is None:
            joined.append(project_id)
        await tx.run(
            _MAKE_OWNER,
            project_id=project_id,
            user_id=owner["user_id"],
            team_id=scope,
            joined_id=ids.new("joi"),
            role=OWNER,
            joined_at_ms=clock.now_ms(),
        )
    for statement in _CREDENTIALS:
        await tx.run(statement, scope=scope, of_user=member["user_id"])
    left = await tx.many(_LEAVE_PROJECTS, scope=scope, of_user=member["user_id"])
    await tx.run(_DELETE, scope=scope, member_id=member["id"])
    return left, joined


async def add_to_project(tx: Tx, scope: Scope, project_id: str, user_id: str, role: Role) -> bool:
    """Join a project, archived or not. Returns False if it is deleted or the user is already a member."""
    joined = await tx.run(
        _JOIN_PROJECT,
        scope=scope,
        of_project=project_id,
        new_user=user_id,
        new_id=ids.new("joi"),
        new_role=role,
        now_ms=clock.now_ms(),
    )
    return joined == 1
