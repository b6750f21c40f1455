"""Rate limits shared by several processes in a real Redis, and the fallback while it is unavailable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from loremark.base import clock, ids
from loremark.storage.database import Database
from loremark.web.rate_limits import Limit, RateLimits, open_counter
from tests.servers import lifetime
from tests.support.processes import free_port
from tests.web.kit import NOON_MS, client_for, make_app
from tests.web.test_rate_limits import routes

pytestmark = pytest.mark.anyio


@pytest.fixture
async def pair() -> AsyncIterator[tuple[RateLimits, RateLimits]]:
    """The limits of two processes that share a Redis."""
    one, two = (
        RateLimits(open_counter(lifetime.redis().address), per_minute=5, routes={"login": Limit(2, 60)})
        for _ in range(2)
    )
    yield one, two
    await one.close()
    await two.close()


async def test_two_processes_share_one_count(pair: tuple[RateLimits, RateLimits]) -> None:
    one, two = pair
    address = ids.new("addr")
    with clock.use(lambda: NOON_MS):
        decisions = [await limits.hit_global(address) for limits in (one, two, one, two, one, two)]
    assert [decision.remaining for decision in decisions if decision] == [4, 3, 2, 1, 0, 0]
    assert [decision.allowed for decision in decisions if decision] == [True] * 5 + [False]


async def test_concurrent_hits_from_two_processes_are_all_counted(pair: tuple[RateLimits, RateLimits]) -> None:
    address = ids.new("addr")
    with clock.use(lambda: NOON_MS):
        decisions = await asyncio.gather(*(limits.hit_global(address) for _ in range(20) for limits in pair))
    assert sum(decision.allowed for decision in decisions if decision) == 5


async def test_names_subjects_and_windows_are_counted_separately(pair: tuple[RateLimits, RateLimits]) -> None:
    one, two = pair
    subject = ids.new("team")

    async def allowed(limits: RateLimits, who: str) -> bool:
        decision = await limits.hit_route("login", who)
        assert decision is not None
        return decision.allowed

    with clock.use(lambda: NOON_MS):
        assert [await allowed(one, subject), await allowed(two, subject), await allowed(one, subject)] == [
            True,
            True,
            False,
        ]
        assert await allowed(one, subject + "x")
        assert await one.hit_route("unknown", subject) is None
    with clock.use(lambda: NOON_MS + 60_000):
        assert await allowed(two, subject)


async def test_redis_keys_expire(pair: tuple[RateLimits, RateLimits]) -> None:
    address = ids.new("addr")
    await pair[0].hit_global(address)
    async with Redis.from_url(lifetime.redis().address) as redis:
        names = [name async for name in redis.scan_iter(match=f"*{address}*")]
        assert len(names) == 1
        assert 0 < await redis.ttl(names[0]) <= 61


async def test_processes_count_in_memory_while_redis_is_unavailable(sqlite: Database) -> None:
    unreachable = f"redis://127.0.0.1:{free_port()}/0"
    app = make_app(routes, sqlite, counter=open_counter(unreachable), per_minute=3)
    with capture_logs() as logs:
        async with client_for(app) as http:
            with clock.use(lambda: NOON_MS):
                responses = [await http.get("/note") for _ in range(5)]
    assert [response.status_code for response in responses] == [200, 200, 200, 429, 429]
    assert [response.headers["x-ratelimit-remaining"] for response in responses] == ["2", "1", "0", "0", "0"]
    warnings = [entry for entry in logs if entry["event"] == "redis unavailable, counting in memory"]
    assert len(warnings) == 1, "logged once, then Redis is not retried for a while"


async def test_redis_is_retried_after_a_pause() -> None:
    counter = open_counter(f"redis://127.0.0.1:{free_port()}/0")
    with capture_logs() as logs:
        for at_ms in (NOON_MS, NOON_MS + 4_999, NOON_MS + 5_000, NOON_MS + 9_999):
            with clock.use(lambda at_ms=at_ms: at_ms):  # type: ignore[misc]
                await counter.hit("x", 60, NOON_MS // 60_000)
    assert len([entry for entry in logs if entry["log_level"] == "warning"]) == 2
    await counter.close()


async def test_wrong_redis_password_falls_back_to_memory() -> None:
    address = lifetime.redis().address.replace("redis://:", "redis://:not-")
    counter = open_counter(address)
    assert [await counter.hit("x", 60, 1) for _ in range(3)] == [1, 2, 3]
    await counter.close()


async def test_limits_are_in_memory_without_a_redis_url() -> None:
    one, two = (RateLimits(open_counter(""), per_minute=1, routes={}) for _ in range(2))
    with clock.use(lambda: NOON_MS):
        decisions = [await limits.hit_global("a") for limits in (one, one, two)]
    assert [decision.allowed for decision in decisions if decision] == [True, False, True]
