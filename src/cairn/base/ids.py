"""The only place that makes identifiers and random tokens.

An identifier is a short prefix, an underscore and 26 characters of Crockford's base 32: 48 bits of time in
milliseconds, then 80 random bits. They sort by the time they were made, also as text, and within one
process strictly so.
"""

from __future__ import annotations

import re
import secrets
import threading

from cairn.base import clock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = tuple(high + low for high in _ALPHABET for low in _ALPHABET)
_SHAPE = re.compile(r"[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}")
_RANDOM_BITS = 80
_POOL_BYTES = 4_000
_SHIFTS = tuple(range(120, -1, -10))

_lock = threading.Lock()
_last = 0
_pool = b""
_used = 0


def _random_bytes() -> bytes:
    """Ten bytes of a larger piece: the system is asked once for many identifiers."""
    global _pool, _used
    if _used >= len(_pool):
        _pool, _used = secrets.token_bytes(_POOL_BYTES), 0
    _used += _RANDOM_BITS // 8
    return _pool[_used - _RANDOM_BITS // 8 : _used]


def _next_number() -> int:
    """128 bits: the time and 80 random bits, always more than the number given before."""
    global _last
    now = clock.now_ms() << _RANDOM_BITS
    with _lock:
        fresh = now | int.from_bytes(_random_bytes())
        if fresh >> _RANDOM_BITS <= _last >> _RANDOM_BITS:
            # Same millisecond, or the clock went back: stay above, by a step nobody can guess.
            fresh = _last + 1 + secrets.randbits(64)
        _last = fresh
    return fresh


def new(prefix: str) -> str:
    """A new identifier such as ``prj_01jd…``."""
    number = _next_number()
    text = "".join([_PAIRS[(number >> shift) & 1023] for shift in _SHIFTS])
    return f"{prefix}_{text}"


def looks_valid(text: str, prefix: str | None = None) -> bool:
    """Whether the text has the shape of an identifier; anything else can be refused without a query."""
    return _SHAPE.fullmatch(text) is not None and (prefix is None or text.startswith(prefix + "_"))


def token(size: int = 32) -> str:
    """A random secret in URL-safe characters."""
    return secrets.token_urlsafe(size)


def token_bytes(size: int) -> bytes:
    return secrets.token_bytes(size)


def fraction() -> float:
    """A random number from 0 up to 1, for jitter."""
    return secrets.randbits(53) / (1 << 53)
