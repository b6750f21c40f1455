"""Who asks, and the tickets that are being answered."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, delete, select, update

from loremark.base import clock
from loremark.base.caller import Caller, Scope, Via
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
        (made := new(answer_streams))
        .on_conflict_do_update(
            index_elements=["ticket"],
            set_={"expires_at_ms": made.excluded.expires_at_ms},
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
# Who holds a ticket knows until when: another holder has written another moment.
_HELD = and_(
    answer_streams.c.team_id == bindparam("scope"),
    answer_streams.c.ticket == bindparam("held_ticket"),
    answer_streams.c.expires_at_ms == bindparam("until_ms"),
)
_RENEW = Sql(update(answer_streams).where(_HELD).values(expires_at_ms=bindparam("new_until_ms")))
_RELEASE = Sql(delete(answer_streams).where(_HELD))
_FORGET_LOST = Sql(
    delete(answer_streams).where(
        answer_streams.c.team_id == bindparam("scope"),
        answer_streams.c.project_id == bindparam("of_project"),
        answer_streams.c.expires_at_ms <= bindparam("now_ms"),
    )
)


async def find_asker(tx: Tx, scope: Scope, user_id: str) -> tuple[Caller, str] | None:
    """A member of the team as a caller, and the team's plan."""
    row = await tx.one(_FIND_ASKER, scope=scope, by_user=user_id)
    if row is None:
        return None
    caller = Caller(
        user_id=user_id,
        team_id=scope,
        role=row["role"],
        via=Via.LOGIN,  # whatever they got their ticket with: nothing is recorded in their name here
        credential_id=row["id"],
        name=row["name"],
        email=row["email"],
    )
    return caller, row["plan"]


async def take_ticket(tx: Tx, scope: Scope, project_id: str, ticket: str, until_ms: int) -> bool:
    """Whether the ticket is ours until then; else it is being answered. Lost ones of the project are forgotten."""
    now_ms = clock.now_ms()
    await tx.run(_FORGET_LOST, scope=scope, of_project=project_id, now_ms=now_ms)
    row = await tx.one(
        _TAKE, ticket=ticket, team_id=scope, project_id=project_id, expires_at_ms=until_ms, now_ms=now_ms
    )
    return row is not None


async def find_holder(tx: Tx, scope: Scope, ticket: str) -> Row | None:
    """Until when the ticket is somebody's."""
    return await tx.one(_FIND, scope=scope, held_ticket=ticket)


async def renew_ticket(tx: Tx, scope: Scope, ticket: str, until_ms: int, new_until_ms: int) -> bool:
    """Whether the ticket was still ours."""
    return await tx.run(_RENEW, scope=scope, held_ticket=ticket, until_ms=until_ms, new_until_ms=new_until_ms) == 1


async def release_ticket(tx: Tx, scope: Scope, ticket: str, until_ms: int) -> bool:
    """Whether the ticket was still ours."""
    return await tx.run(_RELEASE, scope=scope, held_ticket=ticket, until_ms=until_ms) == 1
