"""Two-factor authentication: what an account needs besides its password."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from loremark.base import clock, errors
from loremark.base.caller import Caller
from loremark.base.crypto import Sealer
from loremark.features.audit import store as audit
from loremark.features.identity import qr_code, store, totp
from loremark.features.identity import second_factor_store as factors
from loremark.features.identity.recovery_codes import hash_code, new_codes
from loremark.jobs.notices import notify_access_changed
from loremark.storage.database import Row, Tx
from loremark.wire.two_factor import RecoveryCodes, TotpSetup, TwoFactorStatus

CountAttempt = Callable[[str], Awaitable[None]]
"""Counts an attempt for this account, and raises after too many."""
APP_CODE = "two-factor code"
RECOVERY_CODE = "recovery code"
_DIGITS = re.compile(r"[0-9]{6}")


def secret_context(user_id: str) -> str:
    return f"totp:{user_id}"


async def is_required(tx: Tx, user_id: str) -> bool:
    """Return whether a password alone does not open this account."""
    found = await factors.find_totp(tx, user_id)
    return found is not None and found["confirmed_at_ms"] is not None


async def get_status(tx: Tx, caller: Caller) -> TwoFactorStatus:
    return TwoFactorStatus(
        enabled=await is_required(tx, caller.user_id),
        recovery_codes=await factors.count_recovery_codes(tx, caller.user_id),
    )


async def check_code(tx: Tx, sealer: Sealer, caller: Caller, code: str | None) -> str | None:
    """Raise unless the code is right, and use it up. Return how the second factor was given, if one is required.

    The caller of this function has locked the account.
    """
    found = await factors.find_totp(tx, caller.user_id)
    if found is None or found["confirmed_at_ms"] is None:
        return None
    if code is None:
        raise errors.CODE_REQUIRED()
    if await _use_app_code(tx, sealer, found, code):
        return APP_CODE
    if await factors.use_recovery_code(tx, caller.user_id, hash_code(caller.user_id, code)):
        left = await factors.count_recovery_codes(tx, caller.user_id)
        await audit.record(tx, caller, "two_factor.recovery_code_used", caller.user_id, left=left)
        return RECOVERY_CODE
    raise errors.WRONG_CODE()


async def _use_app_code(tx: Tx, sealer: Sealer, found: Row, code: str) -> bool:
    digits = re.sub(r"[\s-]", "", code)
    if not _DIGITS.fullmatch(digits):
        return False
    secret = sealer.open(found["secret_sealed"], secret_context(found["user_id"]))
    step = totp.find_step(secret, digits, after_step=found["last_step"], now_ms=clock.now_ms())
    return step is not None and await factors.use_step(tx, found["user_id"], step)


async def start_totp(tx: Tx, sealer: Sealer, caller: Caller) -> TotpSetup:
    """Create a secret for an authenticator app. It replaces one that was never confirmed."""
    secret = totp.new_secret()
    sealed = sealer.seal(secret, secret_context(caller.user_id))
    if not await factors.set_unconfirmed_totp(tx, caller.user_id, sealed):
        raise errors.TWO_FACTOR_ON()
    uri = totp.setup_uri(secret, caller.email)
    return TotpSetup(secret=secret, uri=uri, qr=qr_code.draw(uri))


async def confirm_totp(tx: Tx, sealer: Sealer, caller: Caller, code: str) -> RecoveryCodes:
    """Turn two-factor authentication on and end all other logins, which have only proven a password."""
    await store.lock_user(tx, caller.user_id)  # a login with the password alone must not slip through
    found = await factors.find_totp(tx, caller.user_id)
    if found is None:
        raise errors.TWO_FACTOR_OFF()
    if found["confirmed_at_ms"] is not None:
        raise errors.TWO_FACTOR_ON()
    secret = sealer.open(found["secret_sealed"], secret_context(caller.user_id))
    step = totp.find_step(secret, re.sub(r"[\s-]", "", code), after_step=0, now_ms=clock.now_ms())
    if step is None:
        raise errors.WRONG_CODE()
    if not await factors.confirm_totp(tx, caller.user_id, step):
        raise errors.TWO_FACTOR_ON()
    await store.delete_other_logins(tx, caller.user_id, keep=caller.credential_id)
    await audit.record(tx, caller, "two_factor.enabled", caller.user_id)
    notify_access_changed(tx, caller.user_id)
    return await _new_recovery_codes(tx, caller)


async def replace_recovery_codes(tx: Tx, sealer: Sealer, caller: Caller, code: str) -> RecoveryCodes:
    """Create new recovery codes; the old ones no longer work."""
    await _require_code(tx, sealer, caller, code)
    await audit.record(tx, caller, "two_factor.recovery_codes_replaced", caller.user_id)
    return await _new_recovery_codes(tx, caller)


async def disable(tx: Tx, sealer: Sealer, caller: Caller, code: str) -> None:
    """Turn two-factor authentication off."""
    await _require_code(tx, sealer, caller, code)
    await remove(tx, caller)


async def remove(tx: Tx, caller: Caller) -> bool:
    """Remove the second factor of an account without asking for it. Returns whether there was one."""
    removed = await factors.delete_totp(tx, caller.user_id)
    await factors.replace_recovery_codes(tx, caller.user_id, [])
    if removed:
        await audit.record(tx, caller, "two_factor.disabled", caller.user_id)
    return removed


async def _require_code(tx: Tx, sealer: Sealer, caller: Caller, code: str) -> None:
    if await check_code(tx, sealer, caller, code) is None:
        raise errors.TWO_FACTOR_OFF()


async def _new_recovery_codes(tx: Tx, caller: Caller) -> RecoveryCodes:
    codes = new_codes()
    await factors.replace_recovery_codes(tx, caller.user_id, [hash_code(caller.user_id, code) for code in codes])
    return RecoveryCodes(codes=codes)
