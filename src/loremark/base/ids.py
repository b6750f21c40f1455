"""The only module that creates identifiers and random tokens.

An identifier is a short prefix, an underscore and 26 characters of Crockford base 32: 48 bits of time in milliseconds,
then 80 random bits. As text they sort by creation time, strictly so within one process.
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import threading
from functools import lru_cache

from loremark.base import clock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = tuple(high + low for high in _ALPHABET for low in _ALPHABET)
_SHAPE = re.compile(r"[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}")
_RANDOM_BITS = 80
_RANDOM_BYTES = _RANDOM_BITS // 8
_STEP_BYTES = 8
_POOL_BYTES = 4_000

_SERIAL = "".join(secrets.choice(_ALPHABET) for _ in range(16))
_count = itertools.count(1)

_lock = threading.Lock()
_last = 0
_pool = b""
_used = 0


def _random(size: int) -> int:
    """Return a random number of ``size`` bytes, from a pool that saves one system call per identifier."""
    global _pool, _used
    if _used + size > len(_pool):
        _pool, _used = secrets.token_bytes(_POOL_BYTES), 0
    _used += size
    return int.from_bytes(_pool[_used - size : _used])


def _forget_pool() -> None:
    """Drop the pool: a forked child must not reuse its parent's random bytes."""
    global _pool
    _pool = b""


os.register_at_fork(after_in_child=_forget_pool)


def _next_number() -> int:
    """Return 128 bits (time, then 80 random bits), always greater than the previous number."""
    global _last
    now_ms = clock.now_ms()
    with _lock:
        if now_ms > _last >> _RANDOM_BITS:
            _last = now_ms << _RANDOM_BITS | _random(_RANDOM_BYTES)
        else:
            # Same millisecond, or the clock went back: increase by an unpredictable step.
            _last += 1 + _random(_STEP_BYTES)
        return _last


@lru_cache(maxsize=4)
def _time_text(at_ms: int) -> str:
    return "".join([_PAIRS[at_ms >> shift & 1023] for shift in (40, 30, 20, 10, 0)])


def new(prefix: str) -> str:
    """Return a new identifier such as ``prj_01jd…``."""
    number = _next_number()
    pairs = _PAIRS
    return (
        f"{prefix}_{_time_text(number >> 80)}{pairs[number >> 70 & 1023]}{pairs[number >> 60 & 1023]}"
        f"{pairs[number >> 50 & 1023]}{pairs[number >> 40 & 1023]}{pairs[number >> 30 & 1023]}"
        f"{pairs[number >> 20 & 1023]}{pairs[number >> 10 & 1023]}{pairs[number & 1023]}"
    )


def new_after(prefix: str, last: str) -> str:
    """Return a new identifier that sorts after ``last``, even if another process's clock runs ahead."""
    made = new(prefix)
    if made > last:
        return made
    number = 0
    for character in last.rpartition("_")[2]:
        number = number << 5 | _ALPHABET.index(character)
    with _lock:
        number += 1 + _random(_STEP_BYTES)
    return f"{prefix}_" + "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def earlier(identifier: str, by_ms: int) -> str:
    """Return the first identifier that could have been made this long before."""
    return first_at(identifier.rpartition("_")[0], max(0, created_at_ms(identifier) - by_ms))


def first_at(prefix: str, at_ms: int) -> str:
    """Return the first identifier that could have been made at this time."""
    return f"{prefix}_{_time_text(at_ms)}"


def created_at_ms(identifier: str) -> int:
    """Return the time that an identifier contains."""
    at_ms = 0
    for character in identifier.rpartition("_")[2][:10]:
        at_ms = at_ms << 5 | _ALPHABET.index(character)
    return at_ms


def serial(prefix: str) -> str:
    """Return a cheap, predictable identifier for values that are not stored, such as request ids."""
    return f"{prefix}_{_SERIAL}{next(_count):010x}"


def looks_valid(text: str, prefix: str | None = None) -> bool:
    """Return whether the text is formatted like an identifier; anything else can be rejected without a query."""
    return _SHAPE.fullmatch(text) is not None and (prefix is None or text.startswith(prefix + "_"))


def token(size: int = 32) -> str:
    """Return a random URL-safe secret."""
    return secrets.token_urlsafe(size)


def token_bytes(size: int) -> bytes:
    return secrets.token_bytes(size)


def fraction() -> float:
    """Return a random number in [0, 1), for jitter."""
    return secrets.randbits(53) / (1 << 53)
