"""Password hashing with Argon2id, in threads and with bounded concurrency."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from loremark.base import errors
from loremark.base.slow_work import refuse_while_writing

T = TypeVar("T")

_MOST_WAITING = 64


def _dummy_hash(memory_kib: int, rounds: int) -> str:
    """Return a hash that no password matches, with the same cost to verify as a real one."""
    salt, digest = "A" * 22, "A" * 43
    return f"$argon2id$v=19$m={memory_kib},t={rounds},p=1${salt}${digest}"


class Passwords:
    """Hashes and checks passwords in its own small thread pool, so logins cannot starve other work."""

    def __init__(self, *, memory_kib: int = 47_104, rounds: int = 1) -> None:
        self._hasher = PasswordHasher(time_cost=rounds, memory_cost=memory_kib, parallelism=1)
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="passwords")
        self._waiting = 0
        self._dummy = _dummy_hash(memory_kib, rounds)

    async def _run(self, work: Callable[[], T]) -> T:
        """Run in the pool. When too many are waiting, fail with 503 instead of queueing."""
        refuse_while_writing("hashing a password")
        if self._waiting >= _MOST_WAITING:
            raise errors.UNAVAILABLE({"Retry-After": "5"})
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1

    async def hash(self, password: str) -> str:
        return await self._run(lambda: self._hasher.hash(password))

    async def matches(self, password: str, hashed: str | None) -> bool:
        """Return whether the password matches. Without a hash it returns False after the same time."""
        return await self._run(lambda: self._check(password, hashed))

    def _check(self, password: str, hashed: str | None) -> bool:
        hashed = hashed or None
        try:
            self._hasher.verify(hashed or self._dummy, password)
        except (VerificationError, InvalidHashError):
            return False
        return hashed is not None

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
