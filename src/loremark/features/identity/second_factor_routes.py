"""/api/auth/two-factor. Only for browsers: an API key must not weaken how its user signs in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loremark.base import errors
from loremark.base.crypto import Sealer
from loremark.features.identity import second_factor, service
from loremark.features.identity.login_limits import LIMIT, check_code_limit
from loremark.features.identity.service import AuthConfig
from loremark.storage.database import Tx
from loremark.web.authentication import LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.two_factor import (
    RecoveryCodes,
    TotpConfirmation,
    TotpSetup,
    TotpStart,
    TwoFactorProof,
    TwoFactorStatus,
)

routes = Routes("auth")

_PASSWORD = (errors.WRONG_PASSWORD, errors.NO_PASSWORD)
_PROVEN = (*_PASSWORD, errors.WRONG_CODE, errors.TWO_FACTOR_OFF)


@routes.add("GET", "/api/auth/two-factor", needs(LOGIN), name="two_factor")
async def status(call: Call) -> TwoFactorStatus:
    """Get whether two-factor authentication is on, and how many recovery codes are left."""
    return await second_factor.get_status(call.tx, call.caller)


@routes.add(
    "POST",
    "/api/auth/two-factor/totp",
    needs(LOGIN),
    name="start_totp",
    status=201,
    tx=TxMode.NONE,
    errors=(*_PASSWORD, errors.TWO_FACTOR_ON),
)
async def start_totp(call: Call, body: TotpStart) -> TotpSetup:
    """Create a secret for an authenticator app, as text and QR code. It has no effect until a code is confirmed."""
    async with after_password(call, body.password) as tx:
        return await second_factor.start_totp(tx, call.use(Sealer), call.caller)


@routes.add(
    "POST",
    "/api/auth/two-factor/totp/confirm",
    needs(LOGIN),
    name="confirm_totp",
    tx=TxMode.NONE,
    errors=(errors.WRONG_CODE, errors.TWO_FACTOR_ON, errors.TWO_FACTOR_OFF),
)
async def confirm_totp(call: Call, body: TotpConfirmation) -> RecoveryCodes:
    """Turn two-factor authentication on with the app's first code. Ends the account's other logins."""
    await check_code_limit(call, call.caller.user_id)
    async with call.write() as tx:
        return await second_factor.confirm_totp(tx, call.use(Sealer), call.caller, body.code)


@routes.add(
    "POST",
    "/api/auth/two-factor/recovery-codes",
    needs(LOGIN),
    name="recovery_codes",
    tx=TxMode.NONE,
    errors=_PROVEN,
)
async def replace_recovery_codes(call: Call, body: TwoFactorProof) -> RecoveryCodes:
    """Create new recovery codes. The old ones no longer work."""
    async with after_password(call, body.password, has_code=True) as tx:
        return await second_factor.replace_recovery_codes(tx, call.use(Sealer), call.caller, body.code)


@routes.add(
    "DELETE",
    "/api/auth/two-factor",
    needs(LOGIN),
    name="end_two_factor",
    status=204,
    tx=TxMode.NONE,
    errors=_PROVEN,
)
async def disable(call: Call, body: TwoFactorProof) -> None:
    """Turn two-factor authentication off, with the password and a code."""
    async with after_password(call, body.password, has_code=True) as tx:
        await second_factor.disable(tx, call.use(Sealer), call.caller, body.code)


@asynccontextmanager
async def after_password(call: Call, password: str, *, has_code: bool = False) -> AsyncIterator[Tx]:
    """Check the caller's password, and open a transaction in which it is still the account's.

    ``has_code``: a code comes with it, which is counted once the password is known to be right.
    """
    await call.check_rate_limit(LIMIT, f"account:{call.caller.user_id}")
    checked = await service.check_own_password(call.database, call.use(AuthConfig), call.caller, password)
    if has_code:
        await check_code_limit(call, call.caller.user_id)
    async with call.write() as tx:
        await service.require_same_password(tx, checked)
        yield tx
