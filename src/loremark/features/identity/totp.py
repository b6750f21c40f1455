"""One-time codes of authenticator apps: six digits every 30 seconds (RFC 6238), which every app supports."""

from __future__ import annotations

import base64
import hmac

import pyotp

from loremark.base import ids
from loremark.base.clock import SECOND_MS

_ISSUER = "Loremark"
_SECRET_BYTES = 20
_STEP_MS = 30 * SECOND_MS
_TOLERATED_STEPS = 1
"""How far the clock of a phone may be off, in either direction."""


def new_secret() -> str:
    return base64.b32encode(ids.token_bytes(_SECRET_BYTES)).decode()


def setup_uri(secret: str, email: str) -> str:
    """Return what the QR code for an app contains."""
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=_ISSUER)


def code_at(secret: str, at_ms: int) -> str:
    return pyotp.TOTP(secret).generate_otp(at_ms // _STEP_MS)


def find_step(secret: str, code: str, *, after_step: int, now_ms: int) -> int | None:
    """Return the time step of a valid code that is newer than ``after_step``."""
    now, otp = now_ms // _STEP_MS, pyotp.TOTP(secret)
    for step in range(max(now - _TOLERATED_STEPS, after_step + 1), now + _TOLERATED_STEPS + 1):
        if hmac.compare_digest(otp.generate_otp(step).encode(), code.encode()):
            return step
    return None
