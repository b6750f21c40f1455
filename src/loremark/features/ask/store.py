"""Queries for callers of the worker and for leases on tickets."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, delete, select, update

from loremark.base import clock
from loremark.base.caller import AuthMethod, Caller, Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import answer_streams, team_members, teams, users

_FIND_ASKER = Sql(
    select(team_members.c.id, team_members.c.role, users.c.name, users.c.email, teams.c.plan)
    .join(users, users.c.id == team_members.c.user_id)
    .join(teams, teams.c.id == team_members.c.team_id)
    .where(team_members.c.team_id == bindparam("scope"), team_members.c.user_id == bindparam("by_user"))
)
_TAKE = Sql(
    lambda new: (
        (insert := new(answer_streams))
        .on_conflict_do_update(
            index_elements=["ticket"],
            set_={"expires_at_ms": insert.excluded.expires_at_ms},
            where=answer_streams.c.expires_at_ms <= bindparam("now_ms"),
        )
        .returning(answer_streams.c.ticket)
    )
)
_FIND = Sql(
    select(answer_streams.c.expires_at_ms).where(
        answer_streams.c.team_id == bindparam("scope"), answer_streams.c.ticket == bindparam("held_ticket")
    )
)
# The expiry identifies the holder of a lease, because every holder writes a different one.
_HELD = and_(
    answer_streams.c.team_id == bindparam("scope"),
    answer_streams.c.ticket == bindparam("held_ticket"),
    answer_streams.c.expires_at_ms == bindparam("until_ms"),
)
_RENEW = Sql(update(answer_streams).where(_HELD).values(expires_at_ms=bindparam("new_until_ms")))
_RELEASE = Sql(delete(answer_streams).where(_HELD))
_DELETE_EXPIRED = Sql(
    delete(answer_streams).where(
        answer_streams.c.team_id == bindparam("scope"),
        answer_streams.c.project_id == bindparam("of_project"),
        answer_streams.c.expires_at_ms <= bindparam("now_ms"),
    )
)


async def find_asker(tx: Tx, scope: Scope, user_id: str) -> tuple[Caller, str] | None:
    """Return the team member as a caller, and the team's plan."""
    row = await tx.one(_FIND_ASKER, scope=scope, by_user=user_id)
    if row is None:
        return None
    caller = Caller(
        user_id=user_id,
        team_id=scope,
        role=row["role"],
        auth_method=AuthMethod.LOGIN,  # how the ticket was obtained does not matter, because nothing is audited here
        credential_id=row["id"],
        name=row["name"],
        email=row["email"],
    )
    return caller, row["plan"]


async def take_ticket(tx: Tx, scope: Scope, project_id: str, ticket: str, until_ms: int) -> bool:
    """Lease the ticket; return False if it is being answered. Also deletes the project's expired leases."""
    now_ms = clock.now_ms()
    await tx.run(_DELETE_EXPIRED, scope=scope, of_project=project_id, now_ms=now_ms)
    row = await tx.one(
        _TAKE, ticket=ticket, team_id=scope, project_id=project_id, expires_at_ms=until_ms, now_ms=now_ms
    )
    return row is not None


async def find_holder(tx: Tx, scope: Scope, ticket: str) -> Row | None:
    """Return the expiry of the ticket's lease."""
    return await tx.one(_FIND, scope=scope, held_ticket=ticket)


async def renew_ticket(tx: Tx, scope: Scope, ticket: str, until_ms: int, new_until_ms: int) -> bool:
    """Return whether the lease was still ours."""
    return await tx.run(_RENEW, scope=scope, held_ticket=ticket, until_ms=until_ms, new_until_ms=new_until_ms) == 1


async def release_ticket(tx: Tx, scope: Scope, ticket: str, until_ms: int) -> bool:
    """Return whether the lease was still ours."""
    return await tx.run(_RELEASE, scope=scope, held_ticket=ticket, until_ms=until_ms) == 1
