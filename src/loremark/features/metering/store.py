"""Token reservations, usage counters and credits."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, func, insert, select, update

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.storage.database import Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import ai_reservations, billing_accounts, credit_transactions, usage_counters

_ONE_SLOT = "all"

_RESERVE = Sql(insert(ai_reservations))
_DELETE = Sql(
    delete(ai_reservations)
    .where(ai_reservations.c.team_id == bindparam("scope"), ai_reservations.c.id == bindparam("reservation_id"))
    .returning(ai_reservations.c.id)
)
_DELETE_EXPIRED = Sql(
    delete(ai_reservations).where(
        ai_reservations.c.team_id == bindparam("scope"), ai_reservations.c.expires_at_ms < bindparam("now_ms")
    )
)
_RESERVED = Sql(
    select(func.coalesce(func.sum(ai_reservations.c.tokens), 0).label("tokens")).where(
        ai_reservations.c.team_id == bindparam("scope")
    )
)
_USED = Sql(
    select(func.coalesce(func.sum(usage_counters.c.used), 0).label("used")).where(
        usage_counters.c.team_id == bindparam("scope"),
        usage_counters.c.period == bindparam("in_period"),
        usage_counters.c.counter == bindparam("of_counter"),
    )
)
_COUNT = Sql(
    lambda new: (row := new(usage_counters)).on_conflict_do_update(
        index_elements=["team_id", "period", "counter", "slot"],
        set_={"used": usage_counters.c.used + row.excluded.used},
    )
)
_BALANCE = Sql(select(billing_accounts.c.balance).where(billing_accounts.c.team_id == bindparam("scope")))
_SPEND = Sql(
    update(billing_accounts)
    .where(billing_accounts.c.team_id == bindparam("scope"))
    .values(balance=billing_accounts.c.balance - bindparam("tokens"))
)
_INSERT_TRANSACTION = Sql(insert(credit_transactions))


async def create_reservation(tx: Tx, scope: Scope, *, project_id: str | None, tokens: int, expires_at_ms: int) -> str:
    reservation_id = ids.new("res")
    await tx.run(
        _RESERVE,
        id=reservation_id,
        team_id=scope,
        project_id=project_id,
        tokens=tokens,
        expires_at_ms=expires_at_ms,
    )
    return reservation_id


async def delete_reservation(tx: Tx, scope: Scope, reservation_id: str) -> bool:
    """Returns False if it no longer existed."""
    return await tx.one(_DELETE, scope=scope, reservation_id=reservation_id) is not None


async def delete_expired(tx: Tx, scope: Scope) -> None:
    """Delete reservations of calls that never finished."""
    await tx.run(_DELETE_EXPIRED, scope=scope, now_ms=clock.now_ms())


async def reserved_tokens(tx: Tx, scope: Scope) -> int:
    row = await tx.one(_RESERVED, scope=scope)
    return int(row["tokens"]) if row else 0


async def used(tx: Tx, scope: Scope, period: str, counter: str) -> int:
    row = await tx.one(_USED, scope=scope, in_period=period, of_counter=counter)
    return int(row["used"]) if row else 0


async def count(tx: Tx, scope: Scope, period: str, counter: str, more: int) -> None:
    await tx.run(_COUNT, team_id=scope, period=period, counter=counter, slot=_ONE_SLOT, used=more)


async def balance(tx: Tx, scope: Scope) -> int:
    """The credit balance in tokens."""
    row = await tx.one(_BALANCE, scope=scope)
    return int(row["balance"]) if row else 0


async def spend_credits(tx: Tx, scope: Scope, tokens: int, *, reference: str, description: str) -> None:
    """Pay with credits. The unique reference prevents charging twice."""
    await tx.run(_SPEND, scope=scope, tokens=tokens)
    await tx.run(
        _INSERT_TRANSACTION,
        id=ids.new("ctx"),
        team_id=scope,
        type="usage",
        amount=-tokens,
        price_cents=None,
        description=description,
        reference=reference,
        created_at_ms=clock.now_ms(),
    )
