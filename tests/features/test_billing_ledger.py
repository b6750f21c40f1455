"""Credits under concurrency: the balance equals the sum of the transactions, and nothing counts twice."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.base.plans import Pack, Plan, load_plans
from loremark.features.billing import ledger, recharge, store
from loremark.features.metering.service import TeamMeter
from loremark.ports.llm.model import CapReached, Usage
from loremark.storage.database import Database
from loremark.storage.tables import billing_accounts, credit_transactions, usage_counters
from tests.features.ask_client import ask, plan_with, project_with_facts, settings_with, ticket_for, used
from tests.servers.scripted_model import Say, ScriptedModel
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

SMALL = Pack(id="small", tokens=500, price_cents=100)
PLANS_FILE = """
[pack.small]
tokens = 500
price_cents = 100
[plan.team]
ai_tokens = 300
projects = 5
sessions = 5
events = 5
enrichments = 5
storage_bytes = 5
price_cents = 100
"""


@pytest.fixture
def plans_file(tmp_path: Path) -> str:
    path = tmp_path / "packs.toml"
    path.write_text(PLANS_FILE)
    return str(path)


class TeamCredits:
    """One team's credits, used concurrently in every way."""

    def __init__(self, service: Service, owner: Person, plans_file: str, seed: int) -> None:
        self.service = service
        self.owner = owner
        self.scope = Scope(owner.team_id)
        self.plans = load_plans("team", plans_file)
        self.random = random.Random(seed)
        self.spent = 0
        self.bought: list[str] = []
        self.refunds: list[tuple[str, str]] = []

    @property
    def database(self) -> Database:
        return self.service.runtime.database

    @property
    def plan(self) -> Plan:
        return self.plans.get("team")

    async def buy(self) -> None:
        bought = await self.owner.post("/api/billing/credits/purchase", {"packId": "small"})
        assert bought.status_code == 200, bought.text
        self.bought.append(bought.json()["transactionId"])

    async def use(self) -> None:
        """A model call: reserved, made and charged with its result, or lost."""
        limit = self.random.randint(1, 400)
        meter = TeamMeter(self.database, self.scope, self.plan, "prj_x")
        try:
            reservation = await meter.reserve(limit)
        except CapReached:
            return
        await asyncio.sleep(self.random.random() / 100)
        if self.random.random() < 0.2:
            await meter.release(reservation)
            return
        tokens = self.random.randint(0, limit)
        await meter.spent(reservation, Usage(tokens, 0))
        async with self.database.write() as tx:
            await meter.charge(tx)
        meter.forget_charged()
        self.spent += tokens

    async def refund(self) -> None:
        if not self.bought:
            return
        purchase = self.random.choice(self.bought)
        refund = self.random.choice(self.refunds)[1] if self.refunds and self.random.random() < 0.4 else ids.new("re")
        async with self.database.write() as tx:
            taken = await ledger.refund(
                tx, self.scope, self.plans, "team", purchase=purchase, refund_id=refund, tokens=250, price_cents=50
            )
        if taken is not None:
            self.refunds.append((purchase, refund))

    async def report_again(self) -> None:
        """The provider reports a purchase that is already recorded."""
        if self.bought:
            async with self.database.write() as tx:
                again = await ledger.credit_purchase(tx, self.scope, SMALL, self.random.choice(self.bought))
            assert not again.created

    async def check_recharge(self) -> None:
        async with self.database.write() as tx:
            await recharge.recharge_if_low(tx, self.scope, self.plans)

    async def check(self) -> tuple[int, list[Any]]:
        """Check the invariant; returns the balance and all transactions."""
        async with self.database.write() as tx:  # a consistent view of both
            account = await store.lock_account(tx, self.scope)
            rows = await tx.many(select(credit_transactions).where(credit_transactions.c.team_id == self.scope))
        assert account["balance"] == sum(row["amount"] for row in rows)
        assert account["balance"] >= 0
        assert len({row["reference"] for row in rows}) == len(rows)
        return account["balance"], rows


@pytest.mark.parametrize("seed", range(3))
async def test_balance_equals_transactions_under_concurrency(
    database_url: str, tmp_path: Path, plans_file: str, seed: int
) -> None:
    settings = settings_for(tmp_path, database_url, LOREMARK_PLANS_FILE=plans_file)
    async with run_service(settings) as service:
        team_credits = TeamCredits(service, await service.owner(), plans_file, seed)
        await team_credits.owner.call(
            "PUT",
            "/api/billing/credits/auto-recharge",
            {"enabled": True, "threshold": 200, "packId": "small", "spendingLimit": 700},
        )
        operations = (
            team_credits.buy,
            team_credits.use,
            team_credits.use,
            team_credits.use,
            team_credits.refund,
            team_credits.report_again,
            team_credits.check_recharge,
        )
        for _ in range(6):
            await asyncio.gather(*(team_credits.random.choice(operations)() for _ in range(12)), team_credits.check())
        await service.wait_for_jobs()
        _, rows = await team_credits.check()
        async with team_credits.database.read() as tx:
            (counted,) = [
                row["used"] for row in await tx.many(select(usage_counters)) if row["counter"] == "ai_tokens"
            ] or [0]
            (account,) = await tx.many(select(billing_accounts))
        assert counted == team_credits.spent, "every call is counted once"
        taken = -sum(row["amount"] for row in rows if row["type"] == "usage")
        assert taken == max(0, team_credits.spent - team_credits.plan.ai_tokens), (
            "the allowance is used before the credits"
        )
        automatic = [row for row in rows if row["description"] == "Auto-recharge"]
        assert sum(row["price_cents"] for row in automatic) == account["recharge_spent_cents"] <= 700
        assert account["pending_recharge_id"] is None
        bought = [row for row in rows if row["type"] == "purchase" and row["price_cents"] > 0]
        assert {row["id"] for row in bought} == {*team_credits.bought, *(row["id"] for row in automatic)}


@pytest.mark.parametrize("credits", [0, 500])
async def test_concurrent_calls_never_exceed_the_token_limit(service: Service, plans_file: str, credits: int) -> None:
    owner = await service.owner()
    team_credits = TeamCredits(service, owner, plans_file, 1)
    if credits:
        async with team_credits.database.write() as tx:
            await ledger.credit_purchase(tx, team_credits.scope, SMALL, ids.new("ctx"))
    meters = [TeamMeter(team_credits.database, team_credits.scope, team_credits.plan, "prj_x") for _ in range(100)]

    async def call(meter: TeamMeter) -> bool:
        try:
            reservation = await meter.reserve(8)
        except CapReached:
            return False
        await meter.spent(reservation, Usage(8, 0))
        async with team_credits.database.write() as tx:
            await meter.charge(tx)
        return True

    accepted = sum(await asyncio.gather(*(call(meter) for meter in meters)))
    assert accepted == (team_credits.plan.ai_tokens + credits) // 8
    balance, rows = await team_credits.check() if credits else (0, [])
    assert (await used(service))["ai_tokens"] == accepted * 8
    assert balance == (credits - (accepted * 8 - team_credits.plan.ai_tokens) if credits else 0)
    assert -sum(row["amount"] for row in rows if row["type"] == "usage") == (
        accepted * 8 - team_credits.plan.ai_tokens
    ) * bool(rows)


async def test_concurrent_questions_stay_within_the_token_limit(database_url: str, tmp_path: Path) -> None:
    """Each call reserves its maximum cost, so together they cannot exceed the limit."""
    with ScriptedModel() as model:
        overrides = settings_with(model, LOREMARK_PLANS_FILE=plan_with(tmp_path, 10_000))
        async with run_service(settings_for(tmp_path, database_url, **overrides)) as service:
            memory = await project_with_facts(service)
            before = (await used(service)).get("ai_tokens", 0)
            model.always(Say("The payment worker retries a failed charge three times [1].", each_s=0.01))
            tickets = [await ticket_for(memory.owner, memory.tool.project_id) for _ in range(24)]
            answers = await asyncio.gather(
                *(ask(service.http, one["workerUrl"] + "/ask", one["ticket"]) for one in tickets)
            )
            refused = [one for one in answers if one.done.get("error") == "AI token limit reached"]
            spent = (await used(service))["ai_tokens"] - before
            assert spent <= 10_000
            assert 0 < len(refused) < 24
