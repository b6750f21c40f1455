"""Credits under kill -9: processes that sell, spend and auto-recharge concurrently are killed midway."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from loremark.base.caller import Scope
from loremark.base.plans import load_plans
from loremark.features.metering.service import TeamMeter
from loremark.ports.llm.model import CapReached, Usage
from loremark.storage.connect import open_database
from loremark.storage.database import Database, StorageUnavailable
from loremark.storage.tables import billing_accounts, credit_transactions, usage_counters
from tests.servers import lifetime
from tests.support import databases
from tests.support.forking import ForkedProcess
from tests.support.processes import Loremark, Process, free_port

pytestmark = pytest.mark.anyio

MAX_TOKENS = 400
ALLOWANCE = 300
LIMIT_CENTS = 1_200
PLANS = f"""
[pack.small]
tokens = 500
price_cents = 100
[plan.team]
ai_tokens = {ALLOWANCE}
projects = 50
sessions = 50
events = 50
enrichments = 50
storage_bytes = 500000
price_cents = 0
"""


def _run_spender(address: str, team: str, plans_file: str, seed: int) -> None:
    asyncio.run(_spend(address, team, plans_file, seed))


async def _spend(address: str, team: str, plans_file: str, seed: int) -> None:
    """Call a model repeatedly and print each charge once it is committed."""
    database = await open_database(databases.storage_address(address), pool=2)
    rng = random.Random(seed)
    plan = load_plans("team", plans_file).get("team")
    while True:
        meter = TeamMeter(database, Scope(team), plan, "prj_x")
        wanted = rng.randint(1, MAX_TOKENS)
        try:
            reservation = await meter.reserve(wanted)
            tokens = rng.randint(0, wanted)
            await meter.spent(reservation, Usage(tokens, 0))
            async with database.write() as tx:
                await meter.charge(tx)
            print(tokens, flush=True)
        except CapReached:
            await asyncio.sleep(0.02)
        except StorageUnavailable:
            await asyncio.sleep(0.1)


class Spender:
    """A process that spends tokens until it is killed."""

    def __init__(self, loremark: Loremark, team: str, seed: int) -> None:
        self._output = loremark.folder / f"spent-{seed}.txt"
        program = partial(_run_spender, loremark.database_url, team, loremark.settings["LOREMARK_PLANS_FILE"], seed)
        self._output.touch()
        self._child = ForkedProcess(
            program,
            [],
            env=lifetime.child_env(),
            cwd=loremark.folder,
            stdout=self._output,
            stderr=loremark.folder / f"spender-{seed}.log",
        )

    def kill(self) -> list[int]:
        """Kill the process and return the charges it printed."""
        if self._child.poll() is None:
            os.kill(self._child.pid, signal.SIGKILL)
            self._child.wait()
        complete = self._output.read_text().rpartition("\n")[0]
        return [int(line) for line in complete.split()]


class Buyers:
    """Purchases over HTTP, each retried until it is acknowledged."""

    def __init__(self, key: str) -> None:
        self.url = ""
        self.acknowledged: dict[str, dict[str, Any]] = {}
        self.stop = False
        self._key = key

    async def buy(self, http: httpx.AsyncClient, name: str) -> None:
        headers = {"Authorization": f"Bearer {self._key}", "Idempotency-Key": name}
        body = {"packId": "small"}
        while True:
            try:
                answer = await http.post(f"{self.url}/api/billing/credits/purchase", json=body, headers=headers)
                if answer.status_code == 200:
                    self.acknowledged[name] = answer.json()
                    return
                assert answer.status_code == 503, answer.text
            except httpx.HTTPError:
                pass
            await asyncio.sleep(0.05)

    async def keep_buying(self, http: httpx.AsyncClient, buyer: int) -> None:
        count = 0
        while not self.stop:
            await self.buy(http, f"{buyer}/{count}")
            count += 1
            await asyncio.sleep(0.05)


async def _snapshot(database: Database, team: str) -> tuple[Any, list[Any], int]:
    """Account, transactions and usage in one consistent snapshot."""
    async with database.write() as tx:
        await tx.lock(f"tokens/{team}")
        (account,) = await tx.many(select(billing_accounts).where(billing_accounts.c.team_id == team))
        rows = await tx.many(select(credit_transactions).where(credit_transactions.c.team_id == team))
        used = [row["used"] for row in await tx.many(select(usage_counters)) if row["counter"] == "ai_tokens"]
    return account, rows, sum(used)


async def test_killed_servers_and_spenders_lose_no_credits_and_count_none_twice(
    loremark: Loremark, tmp_path: Path
) -> None:
    plans = tmp_path / "packs.toml"
    plans.write_text(PLANS)
    loremark.settings["LOREMARK_PLANS_FILE"] = str(plans)
    owner = await asyncio.to_thread(loremark.create_owner)
    port = free_port()
    database = await open_database(databases.storage_address(loremark.database_url), pool=2)
    buyers = Buyers(owner["apiKey"])
    printed: list[int] = []
    kills = 0
    server: Process | None = None
    spenders: list[Spender] = []
    try:
        async with httpx.AsyncClient(timeout=60, verify=False) as http:
            server = loremark.start(port=port)
            await asyncio.to_thread(server.wait_ready, 90)
            buyers.url = server.url
            headers = {"Authorization": f"Bearer {owner['apiKey']}"}
            team = (await http.get(f"{server.url}/api/auth/me", headers=headers)).json()["teamId"]
            wanted = {"enabled": True, "threshold": 600, "packId": "small", "spendingLimit": LIMIT_CENTS}
            response = await http.put(f"{server.url}/api/billing/credits/auto-recharge", json=wanted, headers=headers)
            assert response.status_code == 200, response.text
            buying = [asyncio.create_task(buyers.keep_buying(http, buyer)) for buyer in range(3)]
            spenders += [Spender(loremark, team, seed) for seed in range(2)]
            for turn in range(2):
                await asyncio.sleep(3 + turn / 3)
                await asyncio.to_thread(server.kill)
                printed += await asyncio.to_thread(spenders[turn % 2].kill)
                kills += 1
                account, rows, _ = await _snapshot(database, team)
                assert account["balance"] == sum(row["amount"] for row in rows)
                assert account["balance"] >= 0
                server = loremark.start(port=port)
                await asyncio.to_thread(server.wait_ready, 90)
                spenders[turn % 2] = Spender(loremark, team, 10 + turn)
            await asyncio.sleep(1)
            for spender in spenders:
                printed += await asyncio.to_thread(spender.kill)
                kills += 1
            buyers.stop = True
            await asyncio.gather(*buying)
            async with asyncio.timeout(60):
                while (await _snapshot(database, team))[0]["pending_recharge_id"]:
                    await asyncio.sleep(0.2)
            account, rows, used = await _snapshot(database, team)
            await asyncio.to_thread(server.stop)
    finally:
        for spender in spenders:
            spender.kill()
        if server is not None:
            server.__exit__()
        await database.close()
    assert account["balance"] == sum(row["amount"] for row in rows) >= 0
    charged = -sum(row["amount"] for row in rows if row["type"] == "usage")
    assert charged == max(0, used - ALLOWANCE), (
        "the allowance is used first, then credits, and each call is charged once"
    )
    assert sum(printed) <= used <= sum(printed) + kills * MAX_TOKENS, (
        "all printed charges are stored, plus at most one per killed process"
    )
    assert used > ALLOWANCE
    bought = {row["id"]: row for row in rows if row["type"] == "purchase"}
    automatic = {name for name, row in bought.items() if row["description"] == "Auto-recharge"}
    assert set(bought) - automatic == {answer["transactionId"] for answer in buyers.acknowledged.values()}
    assert len(buyers.acknowledged) >= 10
    spent = sum(bought[name]["price_cents"] for name in automatic)
    assert spent == account["recharge_spent_cents"] <= LIMIT_CENTS
