"""Auto-recharge: credits that are bought when few are left, one pack at a time and never beyond the limit.

A recharge is promised in the transaction that counts its price against the period's limit, and its transaction id is
kept in the account until it has ended. After a crash it goes on under the same id, so it is paid and credited once.
"""

from __future__ import annotations

from loremark.base import clock, ids, log
from loremark.base.caller import Scope
from loremark.base.plans import Plans
from loremark.features.audit import store as audit
from loremark.features.billing import ledger, store
from loremark.features.billing.periods import month_of
from loremark.features.billing.subscriptions import Cashier, end_periods, is_live, machine
from loremark.features.team import store as team
from loremark.jobs import queue
from loremark.jobs.run import RetryLater, Run
from loremark.ports.mail.mailer import Mailer
from loremark.ports.payments.provider import Buyer, PaymentFailed, PaymentsUnavailable
from loremark.storage.database import Database, Row, Tx

RECHARGE = "billing.recharge"
PAUSED_MAIL = "billing.recharge_paused_mail"
WATCH = "billing.watch"
_TEAMS_AT_ONCE = 100
_AGAIN_MS = clock.MINUTE_MS
# Providers forget after a day which payments they have seen: until then the same one may be asked for again.
_GIVEN_UP_AFTER_MS = 20 * clock.HOUR_MS
# More than there is time for: it ends by being given up, which is written down.
_ATTEMPTS = 2 * _GIVEN_UP_AFTER_MS // _AGAIN_MS
_ACTOR = "Auto-recharge"

_log = log.logger("billing")


async def get_buyer(tx: Tx, scope: Scope) -> Buyer:
    row = await store.find_buyer(tx, scope)
    assert row is not None
    return Buyer(scope, row["name"], row["email"], row["provider_customer"])


def period_of(account: Row) -> int:
    """When the billing period began: the subscription's, or the calendar's month."""
    if is_live(account) and account["period_start_ms"] is not None:
        return int(account["period_start_ms"])
    return month_of(clock.now_ms())[0]


async def look_at(tx: Tx, scope: Scope, plans: Plans) -> bool:
    """Promise a recharge if the team wants one now; whether it does."""
    account = await store.hold_account(tx, scope)
    pack = plans.packs.get(account["recharge_pack_id"] or "")
    if not account["recharge_enabled"] or account["recharge_paused"] or account["recharge_open"] or pack is None:
        return False
    if account["recharge_threshold"] is None or account["balance"] >= account["recharge_threshold"]:
        return False
    period_ms = period_of(account)
    spent = account["recharge_spent_cents"] if account["recharge_period_ms"] == period_ms else 0
    if spent + pack.price_cents > account["spending_limit_cents"]:
        return False
    transaction_id = ids.new("ctx")
    changes = {
        "recharge_open": transaction_id,
        "recharge_opened_at_ms": clock.now_ms(),
        "recharge_period_ms": period_ms,
        "recharge_spent_cents": spent + pack.price_cents,
    }
    await store.update_account(tx, scope, changes)
    payload = {"transactionId": transaction_id, "packId": pack.id}
    await queue.enqueue(tx, RECHARGE, payload, team_id=scope, max_attempts=_ATTEMPTS)
    return True


async def settle(tx: Tx, scope: Scope, transaction_id: str, *, failed: bool = False, price_cents: int = 0) -> None:
    """A recharge has ended; one that failed is not tried again until somebody looks at it."""
    account = await store.hold_account(tx, scope)
    if account["recharge_open"] != transaction_id:
        return
    ended = {"recharge_open": None, "recharge_opened_at_ms": None}
    if not failed:
        await store.update_account(tx, scope, ended)
        return
    spent = max(0, account["recharge_spent_cents"] - price_cents)
    await store.update_account(tx, scope, {**ended, "recharge_paused": True, "recharge_spent_cents": spent})
    await audit.record(tx, machine(scope, _ACTOR), "billing.auto_recharge_paused", transaction_id)
    await queue.enqueue(tx, PAUSED_MAIL, {}, team_id=scope)
    _log.warning("auto-recharge is paused, its payment failed", team_id=scope, transaction=transaction_id)


class Recharge:
    """Pays one recharge, and credits it."""

    def __init__(self, cashier: Cashier) -> None:
        self._cashier = cashier

    async def __call__(self, run: Run) -> None:
        scope, transaction_id = Scope(run.job.team_id or ""), str(run.payload["transactionId"])
        pack = self._cashier.plans.packs.get(run.payload["packId"])
        async with run.database.read() as tx:
            account = await store.find_account(tx, scope)
            if account is None or account["recharge_open"] != transaction_id:
                return
            buyer = await get_buyer(tx, scope)
        too_old = clock.now_ms() - (account["recharge_opened_at_ms"] or 0) > _GIVEN_UP_AFTER_MS
        if pack is None or too_old:
            async with run.finish("given up") as tx:
                await settle(tx, scope, transaction_id, failed=True)
            return
        try:
            payment = await self._cashier.provider.pay(buyer, pack, transaction_id)
        except PaymentFailed as error:
            _log.warning("a recharge was refused", team_id=scope, error=str(error))
            async with run.finish("refused") as tx:
                await settle(tx, scope, transaction_id, failed=True, price_cents=pack.price_cents)
            return
        except PaymentsUnavailable as error:
            raise RetryLater(str(error), _AGAIN_MS) from error
        if not payment.paid:  # the provider's own word will end it; if that never comes, we ask again
            raise RetryLater("the payment is not confirmed yet", _AGAIN_MS)
        async with run.finish("paid") as tx:
            bought = await ledger.buy(tx, scope, pack, transaction_id, description=_ACTOR)
            await settle(tx, scope, transaction_id)
            if bought.fresh:
                await audit.record(
                    tx,
                    machine(scope, _ACTOR),
                    "billing.credits_bought",
                    transaction_id,
                    pack=pack.id,
                    payment=payment.id,
                    automatic=True,
                )
            await look_at(tx, scope, self._cashier.plans)


class Watch:
    """Every few seconds: teams whose credits run low, and periods that are over."""

    def __init__(self, database: Database, plans: Plans) -> None:
        self._database = database
        self._plans = plans

    async def __call__(self, run: Run) -> None:
        await end_periods(self._database, self._plans, _TEAMS_AT_ONCE)
        after = ""
        while True:
            async with self._database.read() as tx:
                low = await store.list_low(tx, after, _TEAMS_AT_ONCE)
            for scope in low:
                async with self._database.write() as tx:
                    await look_at(tx, scope, self._plans)
            if len(low) < _TEAMS_AT_ONCE:
                return
            after = low[-1]


_TEXT = """Hello,

Loremark could not buy new credits for your team by itself: the payment was refused. Auto-recharge is paused.

Please look at your means of payment, then save the settings of auto-recharge once more:
{base_url}
"""


class PausedMail:
    """Tells the team's owner."""

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
