"""The credit ledger: purchases and refunds, each recorded once."""

from __future__ import annotations

from dataclasses import dataclass

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.base.plans import Pack, Plans
from loremark.features.billing import store
from loremark.features.metering import service as metering
from loremark.features.metering import store as meter
from loremark.jobs.notices import notify_changed
from loremark.storage.database import Tx


@dataclass(frozen=True)
class Purchase:
    """A purchase in the ledger."""

    transaction_id: str
    balance: int
    purchased: int
    created: bool
    """False if the purchase was already recorded."""


def reference_of(transaction_id: str) -> str:
    return f"purchase/{transaction_id}"


async def credit_purchase(
    tx: Tx, scope: Scope, pack: Pack, transaction_id: str, *, description: str | None = None
) -> Purchase:
    """Add the credits of a paid pack. Does nothing if called again for the same transaction."""
    await store.lock_account(tx, scope)
    created = await store.insert_transaction(
        tx,
        scope,
        transaction_id,
        amount=pack.tokens,
        price_cents=pack.price_cents,
        reference=reference_of(transaction_id),
        description=description,
    )
    notify_changed(tx, scope, "billing")
    return Purchase(transaction_id, await balance(tx, scope), pack.tokens, created)


async def refund(
    tx: Tx, scope: Scope, plans: Plans, plan_id: str, *, purchase: str, refund_id: str, tokens: int, price_cents: int
) -> int | None:
    """Remove refunded credits, except those already spent or reserved for running calls.

    Returns how many were removed, or None if the refund was already recorded. Tokens used before the refund leave no
    debt. The operator who grants the refund accepts that.
    """
    account = await store.lock_account(tx, scope)
    plan = plans.get(plan_id)
    used = await meter.used(tx, scope, metering.period(), metering.AI_TOKENS)
    reserved = await meter.reserved_tokens(tx, scope)
    needed = max(0, reserved - max(0, plan.ai_tokens - used))
    removed = max(0, min(tokens, account["balance"] - needed))
    left = f"; {tokens - removed} of its tokens were already used" if removed < tokens else ""
    created = await store.insert_transaction(
        tx,
        scope,
        ids.new("ctx"),
        amount=-removed,
        price_cents=-price_cents,
        reference=f"refund/{refund_id}",
        description=f"Refund of {purchase}{left}",
    )
    notify_changed(tx, scope, "billing")
    return removed if created else None


async def balance(tx: Tx, scope: Scope) -> int:
    account = await store.find_account(tx, scope)
    return int(account["balance"]) if account else await store.sum_transactions(tx, scope)
