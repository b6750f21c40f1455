"""Auto-recharge: buys a credit pack when the balance is low, one at a time and within the spending limit.

A recharge is enqueued in the transaction that counts its price against the limit, and the account keeps its transaction
id until it is settled. After a crash it continues under the same id, so it is paid and credited once.
"""

from __future__ import annotations

from loremark.base import clock, ids, log
from loremark.base.caller import Scope, system_caller
from loremark.base.plans import Plans
from loremark.features.audit import store as audit
from loremark.features.billing import ledger, store
from loremark.features.billing.periods import month_of
from loremark.features.billing.subscriptions import Payments, is_live, roll_over_periods
from loremark.features.team import store as team
from loremark.jobs import queue
from loremark.jobs.run import RetryLater, Run
from loremark.ports.mail.mailer import Mailer
from loremark.ports.payments.provider import Buyer, PaymentFailed, PaymentsUnavailable
from loremark.storage.database import Database, Row, Tx

RECHARGE = "billing.recharge"
PAUSED_EMAIL = "billing.recharge_paused_email"
SWEEP = "billing.sweep"
_BATCH_TEAMS = 100
_RETRY_MS = clock.MINUTE_MS
# Providers keep idempotency keys for a day; until then a payment can be retried safely.
_GIVE_UP_AFTER_MS = 20 * clock.HOUR_MS
# More than fit into that time: a recharge ends by giving up, which is recorded, not by running out of attempts.
_ATTEMPTS = 2 * _GIVE_UP_AFTER_MS // _RETRY_MS
_ACTOR = "Auto-recharge"

_log = log.logger("billing")


async def get_buyer(tx: Tx, scope: Scope) -> Buyer:
    row = await store.find_buyer(tx, scope)
    assert row is not None
    return Buyer(scope, row["name"], row["email"], row["provider_customer"])


def period_start_of(account: Row) -> int:
    """Start of the billing period: the subscription's, or the calendar month."""
    if is_live(account) and account["period_start_ms"] is not None:
        return int(account["period_start_ms"])
    return month_of(clock.now_ms())[0]


async def recharge_if_low(tx: Tx, scope: Scope, plans: Plans) -> bool:
    """Enqueue a recharge if the balance is low and the settings allow it. Returns whether it did."""
    account = await store.lock_account(tx, scope)
    pack = plans.packs.get(account["recharge_pack_id"] or "")
    if not account["recharge_enabled"] or account["recharge_paused"] or account["pending_recharge_id"] or pack is None:
        return False
    if account["recharge_threshold"] is None or account["balance"] >= account["recharge_threshold"]:
        return False
    period_ms = period_start_of(account)
    spent = account["recharge_spent_cents"] if account["recharge_period_ms"] == period_ms else 0
    if spent + pack.price_cents > account["spending_limit_cents"]:
        return False
    transaction_id = ids.new("ctx")
    changes = {
        "pending_recharge_id": transaction_id,
        "pending_recharge_at_ms": clock.now_ms(),
        "recharge_period_ms": period_ms,
        "recharge_spent_cents": spent + pack.price_cents,
    }
    await store.update_account(tx, scope, changes)
    payload = {"transactionId": transaction_id, "packId": pack.id}
    await queue.enqueue(tx, RECHARGE, payload, team_id=scope, max_attempts=_ATTEMPTS)
    return True


async def settle(tx: Tx, scope: Scope, transaction_id: str, *, failed: bool = False, price_cents: int = 0) -> None:
    """Close a recharge. A failed one pauses auto-recharge until the settings are saved again."""
    account = await store.lock_account(tx, scope)
    if account["pending_recharge_id"] != transaction_id:
        return
    ended = {"pending_recharge_id": None, "pending_recharge_at_ms": None}
    if not failed:
        await store.update_account(tx, scope, ended)
        return
    spent = max(0, account["recharge_spent_cents"] - price_cents)
    await store.update_account(tx, scope, {**ended, "recharge_paused": True, "recharge_spent_cents": spent})
    await audit.record(tx, system_caller(scope, _ACTOR), "billing.auto_recharge_paused", transaction_id)
    await queue.enqueue(tx, PAUSED_EMAIL, {}, team_id=scope)
    _log.warning("auto-recharge paused: purchase failed", team_id=scope, transaction=transaction_id)


class Recharge:
    """Pays for one recharge and adds the credits."""

    def __init__(self, payments: Payments) -> None:
        self._payments = payments

    async def __call__(self, run: Run) -> None:
        scope, transaction_id = Scope(run.job.team_id or ""), str(run.payload["transactionId"])
        pack = self._payments.plans.packs.get(run.payload["packId"])
        async with run.database.read() as tx:
            account = await store.find_account(tx, scope)
            if account is None or account["pending_recharge_id"] != transaction_id:
                return
            buyer = await get_buyer(tx, scope)
        too_old = clock.now_ms() - (account["pending_recharge_at_ms"] or 0) > _GIVE_UP_AFTER_MS
        if pack is None or too_old:
            async with run.finish("gave up") as tx:
                await settle(tx, scope, transaction_id, failed=True)
            return
        try:
            payment = await self._payments.provider.pay(buyer, pack, transaction_id)
        except PaymentFailed as error:
            _log.warning("recharge payment was declined", team_id=scope, error=str(error))
            async with run.finish("refused") as tx:
                await settle(tx, scope, transaction_id, failed=True, price_cents=pack.price_cents)
            return
        except PaymentsUnavailable as error:
            raise RetryLater(str(error), _RETRY_MS) from error
        if not payment.paid:  # a webhook will confirm it; if none arrives, ask again
            raise RetryLater("payment not confirmed yet", _RETRY_MS)
        async with run.finish("paid") as tx:
            purchase = await ledger.credit_purchase(tx, scope, pack, transaction_id, description=_ACTOR)
            await settle(tx, scope, transaction_id)
            if purchase.created:
                await audit.record(
                    tx,
                    system_caller(scope, _ACTOR),
                    "billing.credits_purchased",
                    transaction_id,
                    pack=pack.id,
                    payment=payment.id,
                    automatic=True,
                )
            await recharge_if_low(tx, scope, self._payments.plans)


class BillingSweep:
    """Runs every few seconds: recharges low balances and rolls over ended billing periods."""

    def __init__(self, database: Database, plans: Plans) -> None:
        self._database = database
        self._plans = plans

    async def __call__(self, run: Run) -> None:
        await roll_over_periods(self._database, self._plans, _BATCH_TEAMS)
        after = ""
        while True:
            async with self._database.read() as tx:
                low = await store.list_low_balances(tx, after, _BATCH_TEAMS)
            for scope in low:
                async with self._database.write() as tx:
                    await recharge_if_low(tx, scope, self._plans)
            if len(low) < _BATCH_TEAMS:
                return
            after = low[-1]


_TEXT = """Hello,

Loremark could not buy credits for your team. Auto-recharge is now paused.

To resume it, check your payment method and the credit pack, then save the auto-recharge settings again:
{base_url}/billing
"""


class RechargePausedEmail:
    """Tells the team's owner that auto-recharge is paused."""

    def __init__(self, database: Database, mailer: Mailer, base_url: str) -> None:
        self._database = database
        self._mailer = mailer
        self._base_url = base_url

    async def __call__(self, run: Run) -> None:
        scope = Scope(run.job.team_id or "")
        async with self._database.read() as tx:
            account = await store.find_account(tx, scope)
            owner = await team.find_owner(tx, scope)
        if account is not None and account["recharge_paused"] and owner is not None:
            await self._mailer.send(owner["email"], "Auto-recharge is paused", _TEXT.format(base_url=self._base_url))
