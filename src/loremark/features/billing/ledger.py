"""The credits: what was bought, what is given back, and that neither happens twice."""

from __future__ import annotations

from dataclasses import dataclass

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.base.plans import Pack, Plans
from loremark.features.billing import store
from loremark.features.metering import service as metering
from loremark.features.metering import store as meter
from loremark.jobs.notices import tell_changed
from loremark.storage.database import Tx


@dataclass(frozen=True)
class Bought:
    """A purchase as it stands in the ledger."""

    transaction_id: str
    balance: int
    purchased: int
    fresh: bool
    """Whether it was written just now."""


def reference_of(transaction_id: str) -> str:
    return f"purchase/{transaction_id}"


async def buy(tx: Tx, scope: Scope, pack: Pack, transaction_id: str, *, description: str | None = None) -> Bought:
    """Credit a pack that is paid for. Called again for the same transaction it changes nothing."""
    await store.hold_account(tx, scope)
    fresh = await store.write_down(
        tx,
        scope,
        transaction_id,
        amount=pack.tokens,
        price_cents=pack.price_cents,
        reference=reference_of(transaction_id),
        description=description,
    )
    tell_changed(tx, scope, "billing")
    return Bought(transaction_id, await balance(tx, scope), pack.tokens, fresh)


async def take_back(
    tx: Tx, scope: Scope, plans: Plans, plan_id: str, *, purchase: str, refund_id: str, tokens: int, price_cents: int
) -> int | None:
    """A refund: the credits go, as far as they are neither spent nor set aside for calls under way.

    How many went, or None when it was written down before. The team keeps no debt for what it has used already: whoever
    gives the money back decides that.
    """
    account = await store.hold_account(tx, scope)
    plan = plans.get(plan_id)
    used = await meter.used(tx, scope, metering.period(), metering.AI_TOKENS)
    reserved = await meter.reserved_tokens(tx, scope)
    spoken_for = max(0, reserved - max(0, plan.ai_tokens - used))
    taken = max(0, min(tokens, account["balance"] - spoken_for))
    left = f", {tokens - taken} of its tokens were used already" if taken < tokens else ""
    fresh = await store.write_down(
        tx,
        scope,
        ids.new("ctx"),
        amount=-taken,
        price_cents=-price_cents,
        reference=f"refund/{refund_id}",
        description=f"Refund of {purchase}{left}",
    )
    tell_changed(tx, scope, "billing")
    return taken if fresh else None


async def balance(tx: Tx, scope: Scope) -> int:
    account = await store.find_account(tx, scope)
    return int(account["balance"]) if account else await store.sum_transactions(tx, scope)
