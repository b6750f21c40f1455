"""Invitations and the projects they include. Accepting an invitation removes its projects."""

from __future__ import annotations

from sqlalchemy import Executable, and_, bindparam, case, delete, exists, func, select, update

from loremark.base import clock, ids, limits
from loremark.base.caller import Caller, Role, Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InsertMaker, Sql
from loremark.storage.tables import invitation_projects, invitations

_RENEWED = (
    "email",
    "status",
    "nonce",
    "invited_by",
    "invited_at_ms",
    "expires_at_ms",
)
_is_open = invitations.c.status == "invited"


def _upsert_invitation(new: InsertMaker) -> Executable:
    """Renewing a valid invitation keeps its team role unless a new one is given; used and expired ones start over."""
    insert = new(invitations)
    renewed = {name: insert.excluded[name] for name in _RENEWED}
    is_valid = and_(_is_open, invitations.c.expires_at_ms > insert.excluded.invited_at_ms)
    renewed["role"] = func.coalesce(insert.excluded.role, case((is_valid, invitations.c.role)))
    statement: Executable = insert.on_conflict_do_update(
        index_elements=["team_id", "email_key"], set_=renewed
    ).returning(invitations)
    return statement


def _upsert_project(new: InsertMaker) -> Executable:
    insert = new(invitation_projects)
    statement: Executable = insert.on_conflict_do_update(
        index_elements=["invitation_id", "project_id"], set_={"role": insert.excluded.role}
    )
    return statement


_INVITE = Sql(_upsert_invitation)
_ADD_PROJECT = Sql(_upsert_project)
_of_team = and_(invitations.c.team_id == bindparam("scope"), _is_open)
_OPEN = Sql(
    select(invitations)
    .where(_of_team, invitations.c.id > bindparam("after"))
    .order_by(invitations.c.id)
    .limit(bindparam("take"))
)
_COUNT_VALID = Sql(
    select(func.count().label("valid"))
    .select_from(invitations)
    .where(_of_team, invitations.c.expires_at_ms > bindparam("now_ms"))
)
_GET = Sql(select(invitations).where(invitations.c.id == bindparam("invitation_id")).with_for_update())
_ACCEPT = Sql(
    update(invitations).where(and_(invitations.c.id == bindparam("invitation_id"), _is_open)).values(status="accepted")
)
_REVOKE = Sql(
    delete(invitations).where(
        invitations.c.team_id == bindparam("scope"), invitations.c.id == bindparam("invitation_id"), _is_open
    )
)
_MADE_BY = Sql(
    select(invitations)
    .where(invitations.c.team_id == bindparam("scope"), invitations.c.invited_by == bindparam("of_user"), _is_open)
    .order_by(invitations.c.id)
)
_POP_PROJECTS = Sql(
    delete(invitation_projects)
    .where(
        invitation_projects.c.team_id == bindparam("scope"),
        invitation_projects.c.invitation_id == bindparam("of_invitation"),
    )
    .returning(invitation_projects.c.project_id, invitation_projects.c.role)
)
_of_project = and_(
    invitation_projects.c.team_id == bindparam("scope"), invitation_projects.c.project_id == bindparam("of_project")
)
_LOCK_FOR_PROJECT = Sql(
    select(invitations.c.id)
    .where(
        invitations.c.team_id == bindparam("scope"),
        invitations.c.id.in_(select(invitation_projects.c.invitation_id).where(_of_project)),
    )
    .order_by(invitations.c.id)
    .with_for_update()
)
_REMOVE_FROM_EXPIRED = Sql(
    delete(invitation_projects).where(
        invitation_projects.c.team_id == bindparam("scope"),
        invitation_projects.c.invitation_id.in_(
            select(invitations.c.id).where(
                invitations.c.team_id == bindparam("scope"),
                invitations.c.email_key == bindparam("of_email"),
                invitations.c.expires_at_ms <= bindparam("now_ms"),
            )
        ),
    )
)
_REMOVE_PROJECT = Sql(delete(invitation_projects).where(_of_project))
_REVOKE_EMPTY = Sql(
    delete(invitations).where(
        invitations.c.team_id == bindparam("scope"),
        _is_open,
        invitations.c.role.is_(None),
        ~exists().where(invitation_projects.c.invitation_id == invitations.c.id),
    )
)


async def invite(tx: Tx, caller: Caller, *, email: str, email_key: str, role: Role | None) -> Row:
    """Create an invitation, or renew the existing one for this address, which invalidates its earlier link.

    ``role`` is the team role, or None if the invitation is only for a project.
    """
    now_ms = clock.now_ms()
    await tx.run(_REMOVE_FROM_EXPIRED, scope=caller.scope, of_email=email_key, now_ms=now_ms)
    row = await tx.one(
        _INVITE,
        id=ids.new("inv"),
        team_id=caller.team_id,
        email=email.strip(),
        email_key=email_key,
        role=role,
        status="invited",
        nonce=ids.token(16),
        invited_by=caller.user_id,
        invited_at_ms=now_ms,
        expires_at_ms=now_ms + limits.INVITATION_VALID_MS,
    )
    assert row is not None
    return row


async def add_project(tx: Tx, scope: Scope, invitation_id: str, project_id: str, role: Role) -> None:
    """Add a project that is joined when the invitation is accepted."""
    await tx.run(_ADD_PROJECT, invitation_id=invitation_id, project_id=project_id, team_id=scope, role=role)


async def list_open(tx: Tx, scope: Scope, *, after: str, take: int) -> list[Row]:
    """List pending invitations, oldest first."""
    return await tx.many(_OPEN, scope=scope, after=after, take=take)


async def count_valid(tx: Tx, scope: Scope) -> int:
    """Count the pending invitations that have not expired."""
    row = await tx.one(_COUNT_VALID, scope=scope, now_ms=clock.now_ms())
    assert row is not None
    return int(row["valid"])


async def find(tx: Tx, invitation_id: str) -> Row | None:
    """Unscoped: the invited person is not in the team yet. The signed token identifies the invitation."""
    return await tx.one(_GET, invitation_id=invitation_id)


async def accept(tx: Tx, invitation_id: str) -> bool:
    """Unscoped, like ``find``. Returns False if it was already used."""
    return await tx.run(_ACCEPT, invitation_id=invitation_id) == 1


async def pop_projects(tx: Tx, scope: Scope, invitation_id: str) -> list[Row]:
    """Remove and return the invitation's projects, with their roles."""
    projects = await tx.many(_POP_PROJECTS, scope=scope, of_invitation=invitation_id)
    return sorted(projects, key=lambda row: str(row["project_id"]))


async def revoke(tx: Tx, scope: Scope, invitation_id: str) -> bool:
    """Delete a pending invitation and its projects. Returns False if there is none."""
    if await tx.run(_REVOKE, scope=scope, invitation_id=invitation_id) != 1:
        return False
    await pop_projects(tx, scope, invitation_id)
    return True


async def revoke_made_by(tx: Tx, scope: Scope, user_id: str) -> list[Row]:
    """Revoke and return the pending invitations that this person sent."""
    made = await tx.many(_MADE_BY, scope=scope, of_user=user_id)
    return [invitation for invitation in made if await revoke(tx, scope, invitation["id"])]


async def remove_project(tx: Tx, scope: Scope, project_id: str) -> None:
    """Remove a project from all invitations, and revoke invitations that were only for it."""
    if await tx.many(_LOCK_FOR_PROJECT, scope=scope, of_project=project_id):
        await tx.run(_REMOVE_PROJECT, scope=scope, of_project=project_id)
        await tx.run(_REVOKE_EMPTY, scope=scope)
