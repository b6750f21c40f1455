"""Billing accounts, credit transactions, and processed provider events."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Text, and_, bindparam, cast, false, func, literal, null, or_, select, update

from loremark.base import clock, limits
from loremark.base.caller import Scope
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import billing_accounts, credit_transactions, payment_events, team_members, teams, users

_sum = (
    select(func.coalesce(func.sum(credit_transactions.c.amount), 0).label("total"))
    .where(credit_transactions.c.team_id == bindparam("scope", type_=Text()))
    .scalar_subquery()
)
_new_account: dict[str, Any] = {
    "team_id": cast(bindparam("scope"), Text),
    "balance": cast(_sum, BigInteger),
    "recharge_enabled": false(),
    "spending_limit_cents": literal(limits.SPENDING_CENTS_DEFAULT, BigInteger),
    "recharge_paused": false(),
    "recharge_spent_cents": literal(0, BigInteger),
    "recharge_period_ms": literal(0, BigInteger),
    "revision": literal(0, BigInteger),
    "provider": cast(bindparam("by_provider"), Text),
    "provider_customer": cast(null(), Text),
    "seats": literal(0, BigInteger),
    "status": literal("none", Text),
}
# The balance starts from existing transactions: usage may have been charged before the first purchase.
_ENSURE = Sql(
    lambda new: (
        new(billing_accounts)
        .from_select(list(_new_account), select(*_new_account.values()).where(literal(1) == 1))
        .on_conflict_do_nothing(index_elements=["team_id"])
    )
)
_account = select(billing_accounts).where(billing_accounts.c.team_id == bindparam("scope"))
_FIND = Sql(_account)
_LOCK = Sql(_account.with_for_update())
_BY_CUSTOMER = Sql(
    select(billing_accounts.c.team_id).where(billing_accounts.c.provider_customer == bindparam("customer"))
)
_BUYER = Sql(
    select(teams.c.name, teams.c.plan, teams.c.seats, users.c.email, billing_accounts.c.provider_customer)
    .join(team_members, and_(team_members.c.team_id == teams.c.id, team_members.c.role == "owner"))
    .join(users, users.c.id == team_members.c.user_id)
    .join(billing_accounts, billing_accounts.c.team_id == teams.c.id, isouter=True)
    .where(teams.c.id == bindparam("scope"))
)
_MEMBERS = Sql(
    select(func.count().label("found")).select_from(team_members).where(team_members.c.team_id == bindparam("scope"))
)
_SET_PLAN = Sql(
    update(teams)
    .where(teams.c.id == bindparam("scope"))
    .values(plan=bindparam("new_plan"), seats=bindparam("new_seats"))
)
_SET_CUSTOMER = Sql(
    update(billing_accounts)
    .where(billing_accounts.c.team_id == bindparam("scope"), billing_accounts.c.provider_customer.is_(None))
    .values(provider_customer=bindparam("new_customer"))
)
_ADD = Sql(
    update(billing_accounts)
    .where(billing_accounts.c.team_id == bindparam("scope"))
    .values(balance=billing_accounts.c.balance + bindparam("tokens"))
)
_INSERT_TRANSACTION = Sql(lambda new: new(credit_transactions).on_conflict_do_nothing())
_FIND_TRANSACTION = Sql(
    select(credit_transactions).where(
        credit_transactions.c.team_id == bindparam("scope"),
        credit_transactions.c.reference == bindparam("by_reference"),
    )
)
_TRANSACTIONS = Sql(
    select(credit_transactions)
    .where(credit_transactions.c.team_id == bindparam("scope"))
    .order_by(credit_transactions.c.created_at_ms.desc(), credit_transactions.c.id.desc())
    .limit(bindparam("take"))
)
_TOTAL = Sql(select(_sum.label("total")))
_LOW_BALANCES = Sql(
    select(billing_accounts.c.team_id)
    .where(
        billing_accounts.c.recharge_enabled,
        ~billing_accounts.c.recharge_paused,
        billing_accounts.c.pending_recharge_id.is_(None),
        billing_accounts.c.balance < billing_accounts.c.recharge_threshold,
        billing_accounts.c.team_id > bindparam("after"),
    )
    .order_by(billing_accounts.c.team_id)
    .limit(bindparam("take"))
)
_ENDED_PERIODS = Sql(
    select(billing_accounts.c.team_id)
    .where(
        billing_accounts.c.period_end_ms <= bindparam("now_ms"),
        billing_accounts.c.provider == "local",
        or_(billing_accounts.c.status == "active", billing_accounts.c.status == "past_due"),
    )
    .order_by(billing_accounts.c.period_end_ms)
    .limit(bindparam("take"))
)
_MARK_EVENT_SEEN = Sql(lambda new: new(payment_events).on_conflict_do_nothing(index_elements=["id"]))
_FIND_EVENT = Sql(select(payment_events.c.id).where(payment_events.c.id == bindparam("event_id")))


async def find_account(tx: Tx, scope: Scope) -> Row | None:
    return await tx.one(_FIND, scope=scope)


async def lock_account(tx: Tx, scope: Scope, provider: str = "local") -> Row:
    """Get the account, creating it if needed, and lock it against changes and charges."""
    await tx.lock(f"tokens/{scope}")  # the lock metering uses to charge
    await tx.run(_ENSURE, scope=scope, by_provider=provider)
    row = await tx.one(_LOCK, scope=scope)
    assert row is not None
    return row


async def update_account(tx: Tx, scope: Scope, changes: dict[str, Any]) -> None:
    """Update the account and increment its revision, which readers use to detect concurrent changes."""
    await tx.run(
        update(billing_accounts)
        .where(billing_accounts.c.team_id == scope)
        .values(revision=billing_accounts.c.revision + 1, **changes)
    )


async def find_team_by_customer(tx: Tx, customer: str) -> Scope | None:
    """Unscoped: maps a provider's customer id to its team."""
    row = await tx.one(_BY_CUSTOMER, customer=customer)
    return None if row is None else Scope(row["team_id"])


async def find_buyer(tx: Tx, scope: Scope) -> Row | None:
    """The team, its owner's email, and its customer id at the provider."""
    return await tx.one(_BUYER, scope=scope)


async def count_members(tx: Tx, scope: Scope) -> int:
    row = await tx.one(_MEMBERS, scope=scope)
    assert row is not None
    return int(row["found"])


async def update_plan(tx: Tx, scope: Scope, plan_id: str, seats: int) -> None:
    await tx.run(_SET_PLAN, scope=scope, new_plan=plan_id, new_seats=seats)


async def set_customer(tx: Tx, scope: Scope, customer: str) -> bool:
    """Store the provider's customer id. Returns False if the team already had one."""
    return await tx.run(_SET_CUSTOMER, scope=scope, new_customer=customer) == 1


async def insert_transaction(
    tx: Tx,
    scope: Scope,
    transaction_id: str,
    *,
    amount: int,
    price_cents: int,
    reference: str,
    description: str | None = None,
) -> bool:
    """Record a purchase or refund and update the balance. Returns False if it was already recorded."""
    inserted = await tx.run(
        _INSERT_TRANSACTION,
        id=transaction_id,
        team_id=scope,
        type="purchase",
        amount=amount,
        price_cents=price_cents,
        description=description,
        reference=reference,
        created_at_ms=clock.now_ms(),
    )
    if inserted:
        await tx.run(_ADD, scope=scope, tokens=amount)
    return inserted == 1


async def find_transaction(tx: Tx, scope: Scope, reference: str) -> Row | None:
    return await tx.one(_FIND_TRANSACTION, scope=scope, by_reference=reference)


async def list_transactions(tx: Tx, scope: Scope, take: int) -> list[Row]:
    """List transactions, newest first."""
    return await tx.many(_TRANSACTIONS, scope=scope, take=take)


async def sum_transactions(tx: Tx, scope: Scope) -> int:
    row = await tx.one(_TOTAL, scope=scope)
    assert row is not None
    return int(row["total"])


async def list_low_balances(tx: Tx, after: str, take: int) -> list[Scope]:
    """Unscoped: teams whose balance is below their auto-recharge threshold."""
    return [Scope(row["team_id"]) for row in await tx.many(_LOW_BALANCES, after=after, take=take)]


async def list_ended_periods(tx: Tx, take: int) -> list[Scope]:
    """Unscoped: teams of the built-in provider whose billing period has ended."""
    return [Scope(row["team_id"]) for row in await tx.many(_ENDED_PERIODS, now_ms=clock.now_ms(), take=take)]


async def mark_event_seen(tx: Tx, event_id: str, event_type: str, occurred_at_ms: int) -> bool:
    """Unscoped. Returns False if the event was already seen."""
    values = {"id": event_id, "type": event_type, "occurred_at_ms": occurred_at_ms, "received_at_ms": clock.now_ms()}
    return await tx.run(_MARK_EVENT_SEEN, **values) == 1


async def is_event_seen(tx: Tx, event_id: str) -> bool:
    """Unscoped."""
    return await tx.one(_FIND_EVENT, event_id=event_id) is not None
