"""However transactions interleave, the counters hold exactly what was committed."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import bindparam, insert, select, update

from loremark.base import ids
from loremark.storage.connect import open_database
from loremark.storage.database import Database
from loremark.storage.statements import Sql
from loremark.storage.tables import usage_counters
from tests.support.properties import examples

_COUNTERS = ("a", "b", "c")

_OF_TEAM = usage_counters.c.team_id == bindparam("team")
_ONE = usage_counters.c.counter == bindparam("of_counter")
_NEW = Sql(insert(usage_counters))
_ADD = Sql(update(usage_counters).where(_OF_TEAM, _ONE).values(used=usage_counters.c.used + bindparam("amount")))
_READ = Sql(select(usage_counters.c.used).where(_OF_TEAM, _ONE))
_ALL = Sql(select(usage_counters.c.counter, usage_counters.c.used).where(_OF_TEAM))


@dataclass(frozen=True)
class Plan:
    """One transaction: what it adds, how often it yields, and how it ends."""

    added: dict[str, int]
    pauses: int
    end: Literal["commit", "raise", "cancel"]


class Rollback(Exception):
    pass


_PLANS = st.lists(
    st.builds(
        Plan,
        added=st.dictionaries(st.sampled_from(_COUNTERS), st.integers(-5, 5), min_size=1),
        pauses=st.integers(0, 3),
        end=st.sampled_from(["commit", "commit", "raise", "cancel"]),
    ),
    min_size=1,
    max_size=12,
)


async def _run(database: Database, team: str, plan: Plan) -> None:
    async with database.write() as tx:
        for counter in sorted(plan.added):  # always lock rows in the same order
            for _ in range(plan.pauses):
                await asyncio.sleep(0)
            before = await tx.one(_READ, team=team, of_counter=counter)
            assert await tx.run(_ADD, team=team, of_counter=counter, amount=plan.added[counter]) == 1
            after = await tx.one(_READ, team=team, of_counter=counter)
            assert before is not None
            assert after is not None
            if database.engine.name == "sqlite":  # its transactions are serial
                assert after["used"] - before["used"] == plan.added[counter]
        if plan.end == "raise":
            raise Rollback
        if plan.end == "cancel":
            raise asyncio.CancelledError


async def _run_all(database: Database, plans: list[Plan]) -> None:
    team = ids.new("team")
    async with database.write() as tx:
        for counter in _COUNTERS:
            await tx.run(_NEW, team_id=team, period="p", counter=counter, slot="0", used=0)
    results = await asyncio.gather(*(_run(database, team, plan) for plan in plans), return_exceptions=True)
    expected = Counter(dict.fromkeys(_COUNTERS, 0))
    for plan, result in zip(plans, results, strict=True):
        kinds = {"commit": type(None), "raise": Rollback, "cancel": asyncio.CancelledError}
        assert isinstance(result, kinds[plan.end]), repr(result)
        if plan.end == "commit":
            expected.update(plan.added)
    async with database.read() as tx:
        found = {row["counter"]: row["used"] for row in await tx.many(_ALL, team=team)}
    assert found == expected


def test_counters_hold_the_committed_sum(address: str | Path) -> None:
    with asyncio.Runner() as runner:
        database = runner.run(open_database(address, pool=6))

        @settings(max_examples=examples(60), deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(_PLANS)
        def check(plans: list[Plan]) -> None:
            runner.run(_run_all(database, plans))

        try:
            check()
        finally:
            runner.run(database.close())
