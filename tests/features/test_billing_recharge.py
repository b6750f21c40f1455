"""Auto-recharge: buys packs one at a time when the balance is low, within the spending limit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.base.plans import load_plans
from loremark.features.billing import ledger, recharge, store
from loremark.features.billing.periods import month_of
from loremark.features.billing.recharge import BillingSweep
from loremark.features.metering import store as meter
from loremark.jobs import queue
from loremark.jobs.queue import Job
from loremark.jobs.run import Run
from loremark.storage.database import Row
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

CREDITS = "/api/billing/credits"
RECHARGE = "/api/billing/credits/auto-recharge"
PLANS = load_plans("team")


async def _configure(owner: Person, **fields: Any) -> None:
    body = {"enabled": True, "threshold": 1000, "packId": "credits_1m", "spendingLimit": 5000, **fields}
    answer = await owner.call("PUT", RECHARGE, body)
    assert answer.status_code == 200, answer.text


async def _credits(owner: Person) -> tuple[int, list[Any]]:
    body = (await owner.get(CREDITS)).json()
    assert body["balance"] == sum(entry["amount"] for entry in body["transactions"])
    return body["balance"], body["transactions"]


async def _account(service: Service, owner: Person) -> Row:
    async with service.runtime.database.read() as tx:
        row = await store.find_account(tx, Scope(owner.team_id))
    assert row is not None
    return row


async def _spend(service: Service, owner: Person, tokens: int) -> None:
    async with service.runtime.database.write() as tx:
        await tx.lock(f"tokens/{owner.team_id}")
        await meter.spend_credits(tx, Scope(owner.team_id), tokens, reference=ids.new("res"), description="calls")


async def _sweep(service: Service) -> None:
    job = Job(id="x", kind="x", payload={}, attempt=1, max_attempts=1, started_at_ms=0)
    await BillingSweep(service.runtime.database, PLANS)(Run(service.runtime.database, job))
    await service.wait_for_jobs()


async def test_low_balance_is_recharged(service: Service) -> None:
    owner = await service.owner()
    await owner.post("/api/billing/credits/purchase", {"packId": "credits_1m"})
    await _configure(owner)
    await _spend(service, owner, 999_000)
    await _sweep(service)
    assert (await _credits(owner))[0] == 1000, "at the threshold, not below it"
    await _spend(service, owner, 1)
    await _sweep(service)
    balance, entries = await _credits(owner)
    assert balance == 1_000_999
    assert (entries[0]["type"], entries[0]["price"]) == ("purchase", 500)
    assert "description" not in entries[0]
    await _sweep(service)
    assert (await _credits(owner))[0] == 1_000_999


async def test_running_service_recharges_automatically(service: Service) -> None:
    """Enabling auto-recharge without credits buys the first pack immediately."""
    owner = await service.owner()
    await _configure(owner)
    await service.wait_for_jobs()
    assert (await _credits(owner))[0] == 1_000_000


async def test_disabled_auto_recharge_buys_nothing(service: Service) -> None:
    owner = await service.owner()
    await _configure(owner, enabled=False)
    await _sweep(service)
    assert await _credits(owner) == (0, [])


async def test_recharge_repeats_up_to_the_spending_limit(service: Service) -> None:
    owner = await service.owner()
    await _configure(owner, threshold=10_000_000, spendingLimit=1_900)
    await service.wait_for_jobs()
    for _ in range(3):
        await _sweep(service)
    assert (await _credits(owner))[0] == 3_000_000, "19.00 EUR are three packs of 5.00 EUR"
    assert (await _account(service, owner))["recharge_spent_cents"] == 1_500
    await owner.post("/api/billing/credits/purchase", {"packId": "credits_1m"})
    await service.wait_for_jobs()
    assert (await _credits(owner))[0] == 4_000_000, "manual purchases do not count against the limit"
    _, next_month_ms = month_of(clock.now_ms())
    with clock.use(lambda: next_month_ms + 1):
        await _sweep(service)
    assert (await _credits(owner))[0] == 7_000_000, "the limit resets in the next period"
    await _configure(owner, threshold=10_000_000, spendingLimit=0)
    with clock.use(lambda: next_month_ms + 1):
        await _sweep(service)
    assert (await _credits(owner))[0] == 7_000_000


async def test_concurrent_checks_enqueue_one_recharge(service: Service) -> None:
    owner = await service.owner()
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        await store.lock_account(tx, scope)
        recharge_settings = {"recharge_enabled": True, "recharge_threshold": 5, "recharge_pack_id": "credits_1m"}
        await store.update_account(tx, scope, recharge_settings)

    async def check() -> bool:
        async with service.runtime.database.write() as tx:
            return await recharge.recharge_if_low(tx, scope, PLANS)

    assert sum(await asyncio.gather(*(check() for _ in range(20)))) == 1
    await service.wait_for_jobs()
    assert (await _credits(owner))[0] == 1_000_000
    assert (await _account(service, owner))["recharge_spent_cents"] == 500


async def test_repeated_recharge_is_credited_once(service: Service) -> None:
    """Two workers run the same job, or one died after the payment."""
    owner = await service.owner()
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        await store.lock_account(tx, scope)
        await store.update_account(
            tx, scope, {"pending_recharge_id": "ctx_1", "pending_recharge_at_ms": clock.now_ms()}
        )
        await ledger.credit_purchase(tx, scope, PLANS.packs["credits_1m"], "ctx_1")
    payload = {"transactionId": "ctx_1", "packId": "credits_1m"}
    async with service.runtime.database.write() as tx:
        await queue.enqueue(tx, recharge.RECHARGE, payload, team_id=scope)
    await service.wait_for_jobs()
    assert (await _credits(owner))[0] == 1_000_000
    assert (await _account(service, owner))["pending_recharge_id"] is None


async def test_unconfirmed_recharge_is_given_up_after_a_day(service: Service) -> None:
    """Its price stays counted, because it may have been paid."""
    owner = await service.owner()
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        await store.lock_account(tx, scope)
        pending = {"pending_recharge_id": "ctx_1", "pending_recharge_at_ms": clock.now_ms() - 21 * clock.HOUR_MS}
        await store.update_account(tx, scope, {**pending, "recharge_spent_cents": 500})
        payload = {"transactionId": "ctx_1", "packId": "credits_1m"}
        await queue.enqueue(tx, recharge.RECHARGE, payload, team_id=scope)
    await service.wait_for_jobs()
    account = await _account(service, owner)
    assert (account["pending_recharge_id"], bool(account["recharge_paused"])) == (None, True)
    assert account["recharge_spent_cents"] == 500
    assert await _credits(owner) == (0, [])
