"""Challenges for passkeys: short-lived, for one purpose, and each accepted once.

A challenge carries its expiry and a code that only this installation can compute, so that asking for one stores
nothing: anybody may ask. Only accepted ones are remembered, until they expire.
"""

from __future__ import annotations

import hmac

from loremark.base import clock, ids, limits
from loremark.base.crypto import Sealer

_NONCE_BYTES = 16
_TIME_BYTES = 8
_CODE_BYTES = 32
SIGN_IN = "sign-in"


def registration_of(user_id: str) -> str:
    """The purpose of adding a passkey to an account."""
    return f"register:{user_id}"


class Challenges:
    def __init__(self, sealer: Sealer) -> None:
        self._key = sealer.derive("passkey challenges")

    def create(self, purpose: str) -> bytes:
        expires_at_ms = clock.now_ms() + limits.PASSKEY_CHALLENGE_VALID_MS
        start = ids.token_bytes(_NONCE_BYTES) + expires_at_ms.to_bytes(_TIME_BYTES)
        return start + self._code(start, purpose)

    def find_expiry(self, challenge: bytes, purpose: str) -> int | None:
        """Return when a challenge of ours expires, in milliseconds; None if it is not ours, or has expired."""
        start, code = challenge[: _NONCE_BYTES + _TIME_BYTES], challenge[_NONCE_BYTES + _TIME_BYTES :]
        if not hmac.compare_digest(code, self._code(start, purpose)):
            return None
        expires_at_ms = int.from_bytes(start[_NONCE_BYTES:])
        return expires_at_ms if expires_at_ms > clock.now_ms() else None

    def _code(self, start: bytes, purpose: str) -> bytes:
        return hmac.digest(self._key, start + purpose.encode(), "sha256")[:_CODE_BYTES]
