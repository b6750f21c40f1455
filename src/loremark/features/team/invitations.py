"""Invitations, and the projects that come with them. Only an open one has any: joining uses them up."""

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


def _renewing_insert(new: InsertMaker) -> Executable:
    """An open one keeps its role in the team unless another is asked for; of one used or expired nothing comes back."""
    insert = new(invitations)
    renewed = {name: insert.excluded[name] for name in _RENEWED}
    is_valid = and_(_is_open, invitations.c.expires_at_ms > insert.excluded.invited_at_ms)
    renewed["role"] = func.coalesce(insert.excluded.role, case((is_valid, invitations.c.role)))
    statement: Executable = insert.on_conflict_do_update(
        index_elements=["team_id", "email_key"], set_=renewed
    ).returning(invitations)
    return statement


def _binding_insert(new: InsertMaker) -> Executable:
    insert = new(invitation_projects)
    statement: Executable = insert.on_conflict_do_update(
        index_elements=["invitation_id", "project_id"], set_={"role": insert.excluded.role}
    )
    return statement


_INVITE = Sql(_renewing_insert)
_BIND = Sql(_binding_insert)
_OPEN = Sql(select(invitations).where(invitations.c.team_id == bindparam("scope"), _is_open).order_by(invitations.c.id))
_GET = Sql(select(invitations).where(invitations.c.id == bindparam("invitation_id")).with_for_update())
_ACCEPT = Sql(
    update(invitations).where(and_(invitations.c.id == bindparam("invitation_id"), _is_open)).values(status="accepted")
)
_REVOKE = Sql(
    delete(invitations).where(
        invitations.c.team_id == bindparam("scope"), invitations.c.id == bindparam("invitation_id"), _is_open
    )
)
_TAKE_PROJECTS = Sql(
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
_HOLD_TO_PROJECT = Sql(
    select(invitations.c.id)
    .where(
        invitations.c.team_id == bindparam("scope"),
        invitations.c.id.in_(select(invitation_projects.c.invitation_id).where(_of_project)),
    )
    .order_by(invitations.c.id)
    .with_for_update()
)
_UNBIND_EXPIRED = Sql(
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
_UNBIND = Sql(delete(invitation_projects).where(_of_project))
_REVOKE_EMPTY = Sql(
    delete(invitations).where(
        invitations.c.team_id == bindparam("scope"),
        _is_open,
        invitations.c.role.is_(None),
        ~exists().where(invitation_projects.c.invitation_id == invitations.c.id),
    )
)


async def invite(tx: Tx, caller: Caller, *, email: str, email_key: str, role: Role | None) -> Row:
    """A new invitation, or the old one of that address renewed: its earlier link stops working.

    ``role``: in the team; None where the team itself is not asked for.
    """
    now_ms = clock.now_ms()
    await tx.run(_UNBIND_EXPIRED, scope=caller.scope, of_email=email_key, now_ms=now_ms)
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


async def bind(tx: Tx, scope: Scope, invitation_id: str, project_id: str, role: Role) -> None:
    """Who accepts joins this project too, beside those bound before."""
    await tx.run(_BIND, invitation_id=invitation_id, project_id=project_id, team_id=scope, role=role)


async def list_open(tx: Tx, scope: Scope) -> list[Row]:
    return await tx.many(_OPEN, scope=scope)


async def find(tx: Tx, invitation_id: str) -> Row | None:
    """Unscoped: the one who accepts belongs to no team yet; the signed token names the invitation."""
    return await tx.one(_GET, invitation_id=invitation_id)


async def accept(tx: Tx, invitation_id: str) -> bool:
    """Unscoped, like ``find``. False when it was used meanwhile."""
    return await tx.run(_ACCEPT, invitation_id=invitation_id) == 1


async def take_projects(tx: Tx, scope: Scope, invitation_id: str) -> list[Row]:
    """The projects it is bound to, with the roles there; from now on it is bound to none."""
    taken = await tx.many(_TAKE_PROJECTS, scope=scope, of_invitation=invitation_id)
    return sorted(taken, key=lambda row: str(row["project_id"]))


async def revoke(tx: Tx, scope: Scope, invitation_id: str) -> bool:
    """Take an open one back, with all it is bound to; False when there is none."""
    if await tx.run(_REVOKE, scope=scope, invitation_id=invitation_id) != 1:
        return False
    await take_projects(tx, scope, invitation_id)
    return True


async def forget_project(tx: Tx, scope: Scope, project_id: str) -> None:
    """Nobody is invited to this project any more; who was invited to nothing else is not invited at all."""
    if await tx.many(_HOLD_TO_PROJECT, scope=scope, of_project=project_id):
        await tx.run(_UNBIND, scope=scope, of_project=project_id)
        await tx.run(_REVOKE_EMPTY, scope=scope)
