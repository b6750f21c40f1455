"""Fixed-window rate limits, counted in memory or in Redis."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from loremark.base import clock, log

_WINDOWS_S = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
ROUTE_LIMITS = ("login", "code", "invite", "ask", "genesis.start")
"""The routes with their own limit."""
_PAIR = re.compile(r"\s*([a-z.]+)\s*=\s*(\d+)\s*/\s*(second|minute|hour|day)\s*|\s*([a-z.]+)\s*=\s*0\s*")
_REDIS_SECONDS = 0.5
_REDIS_PAUSE_MS = 5_000

_log = log.logger("ratelimit")


@dataclass(frozen=True, slots=True)
class Limit:
    """Requests per window. A count of 0 means no limit."""

    count: int
    window_s: int


class Decision(msgspec.Struct, frozen=True):
    """The result of counting a request against a limit."""

    allowed: bool
    limit: int
    remaining: int
    reset_at_s: int

    @property
    def retry_after_s(self) -> int:
        return max(1, self.reset_at_s - clock.now_ms() // 1000)


class Counter(Protocol):
    """Counts hits per key and window."""

    async def hit(self, key: str, window_s: int, window: int) -> int:
        """Add one and return the new count."""

    async def close(self) -> None: ...


class MemoryCounter:
    """Counts in this process."""

    def __init__(self) -> None:
        self._windows: dict[tuple[int, int], dict[str, int]] = {}

    async def hit(self, key: str, window_s: int, window: int) -> int:
        counts = self._windows.get((window_s, window))
        if counts is None:
            for old in [known for known in self._windows if known[0] == window_s and known[1] < window]:
                del self._windows[old]
            counts = self._windows[(window_s, window)] = {}
        count = counts.get(key, 0) + 1
        counts[key] = count
        return count

    async def close(self) -> None:
        self._windows.clear()


class RedisCounter:
    """Counts in Redis. While Redis is unavailable, each process counts on its own and limits are approximate."""

    def __init__(self, client: Any) -> None:
        self._redis = client
        self._fallback = MemoryCounter()
        self._paused_until_ms = 0

    async def hit(self, key: str, window_s: int, window: int) -> int:
        from redis.exceptions import RedisError

        if clock.now_ms() < self._paused_until_ms:
            return await self._fallback.hit(key, window_s, window)
        name = f"loremark:limit:{window_s}:{window}:{key}"
        try:
            async with self._redis.pipeline(transaction=True) as pipe:
                count, _ = await pipe.incr(name).expire(name, window_s + 1).execute()
            return int(count)
        except (RedisError, OSError, TimeoutError) as error:
            self._paused_until_ms = clock.now_ms() + _REDIS_PAUSE_MS
            _log.warning("redis unavailable, counting in memory", error=str(error))
            return await self._fallback.hit(key, window_s, window)

    async def close(self) -> None:
        await self._redis.aclose()


def open_counter(redis_url: str) -> Counter:
    if not redis_url:
        return MemoryCounter()
    from redis.asyncio import Redis

    client = Redis.from_url(redis_url, socket_timeout=_REDIS_SECONDS, socket_connect_timeout=_REDIS_SECONDS)
    return RedisCounter(client)


class RateLimits:
    """The global limit and the per-route limits."""

    def __init__(self, counter: Counter, *, per_minute: int, routes: dict[str, Limit]) -> None:
        self._counter = counter
        self._global = Limit(per_minute, 60)
        self._routes = routes

    async def hit_global(self, address: str) -> Decision | None:
        return await self._hit(self._global, f"ip:{address}")

    async def hit_route(self, name: str, subject: str, *, times: int = 1) -> Decision | None:
        """Count a call by a team, an account or an address. Return None if the route has no limit."""
        limit = self._routes.get(name)
        if limit is None:
            return None
        return await self._hit(Limit(limit.count * times, limit.window_s), f"{name}:{subject}")

    async def _hit(self, limit: Limit, key: str) -> Decision | None:
        if limit.count == 0:
            return None
        window = clock.now_ms() // (limit.window_s * 1000)
        count = await self._counter.hit(key, limit.window_s, window)
        reset_at_s = (window + 1) * limit.window_s
        return Decision(count <= limit.count, limit.count, max(0, limit.count - count), reset_at_s)

    async def close(self) -> None:
        await self._counter.close()


def parse_route_limits(text: str) -> dict[str, Limit]:
    """Parse comma-separated ``name=count/window`` pairs; ``name=0`` disables a limit."""
    found: dict[str, Limit] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        match = _PAIR.fullmatch(pair)
        if match is None:
            raise ValueError(f"{pair!r} must have the form name=count/window")
        name, count, window, switched_off = match.groups()
        if (name or switched_off) not in ROUTE_LIMITS:
            raise ValueError(f"unknown limit {name or switched_off!r}; use one of {', '.join(ROUTE_LIMITS)}")
        found[name or switched_off] = Limit(int(count or 0), _WINDOWS_S[window or "minute"])
    return found
