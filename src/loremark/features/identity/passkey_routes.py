"""/api/auth/passkeys. Only for browsers: an API key must not change how its user signs in."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.crypto import Sealer
from loremark.features.identity import passkeys, second_factor
from loremark.features.identity.cookies import LoginCookie
from loremark.features.identity.login_limits import check_sign_in_limit
from loremark.features.identity.passkeys import Passkeys
from loremark.features.identity.second_factor_routes import after_password
from loremark.web.authentication import ANYONE, LOGIN, Origins, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.identity import CurrentUser
from loremark.wire.passkeys import (
    NewPasskey,
    PasskeyEntry,
    PasskeyOptions,
    PasskeyRename,
    PasskeySignIn,
    PasskeyStart,
)

routes = Routes("auth")


@routes.add("GET", "/api/auth/passkeys", needs(LOGIN), name="passkeys")
async def list_passkeys(call: Call) -> list[PasskeyEntry]:
    """List the caller's passkeys, oldest first."""
    return await passkeys.list_passkeys(call.tx, call.caller)


@routes.add(
    "POST",
    "/api/auth/passkeys/options",
    needs(LOGIN),
    name="passkey_options",
    tx=TxMode.NONE,
    errors=(
        errors.WRONG_PASSWORD,
        errors.NO_PASSWORD,
        errors.CODE_REQUIRED,
        errors.WRONG_CODE,
        errors.PASSKEY_LIMIT,
        errors.PASSKEYS_NEED_A_NAME,
    ),
)
async def start_registration(call: Call, body: PasskeyStart) -> PasskeyOptions:
    """Get what the browser needs to create a passkey, with the password and, if two-factor is on, a code."""
    async with after_password(call, body.password, has_code=body.code is not None) as tx:
        await second_factor.check_code(tx, call.use(Sealer), call.caller, body.code)
        return await passkeys.start_registration(tx, call.use(Passkeys), call.caller)


@routes.add(
    "POST",
    "/api/auth/passkeys",
    needs(LOGIN),
    name="add_passkey",
    status=201,
    tx=TxMode.NONE,
    errors=(errors.PASSKEY_REFUSED, errors.PASSKEY_LIMIT, errors.PASSKEYS_NEED_A_NAME),
)
async def add_passkey(call: Call, body: NewPasskey) -> PasskeyEntry:
    """Add a passkey that the browser has created."""
    config = call.use(Passkeys)
    async with call.write() as tx:
        challenge = await passkeys.use_registration_challenge(tx, config, call.caller, body)
    created = await passkeys.verify_registration(config, body, challenge)
    async with call.write() as tx:
        return await passkeys.add_passkey(tx, call.caller, created, body.name)


@routes.add("PATCH", "/api/auth/passkeys/{id}", needs(LOGIN), name="rename_passkey", errors=(errors.PASSKEY_NOT_FOUND,))
async def rename_passkey(call: Call, id: str, body: PasskeyRename) -> PasskeyEntry:
    """Rename a passkey."""
    return await passkeys.rename_passkey(call.tx, call.caller, id, body.name)


@routes.add(
    "DELETE",
    "/api/auth/passkeys/{id}",
    needs(LOGIN),
    name="remove_passkey",
    status=204,
    errors=(errors.PASSKEY_NOT_FOUND,),
)
async def remove_passkey(call: Call, id: str) -> None:
    """Remove a passkey and end all other logins. It takes effect immediately."""
    await passkeys.remove_passkey(call.tx, call.caller, id)


@routes.add(
    "POST",
    "/api/auth/passkeys/sign-in/options",
    ANYONE,
    name="passkey_sign_in_options",
    tx=TxMode.NONE,
    errors=(errors.PASSKEYS_NEED_A_NAME, errors.CROSS_SITE),
)
async def start_sign_in(call: Call) -> PasskeyOptions:
    """Get what the browser needs to sign in with a passkey."""
    call.use(Origins).refuse_cross_site(call.request)
    return passkeys.start_sign_in(call.use(Passkeys))


@routes.add(
    "POST",
    "/api/auth/passkeys/sign-in",
    ANYONE,
    name="passkey_sign_in",
    tx=TxMode.NONE,
    errors=(errors.PASSKEY_REFUSED, errors.PASSKEYS_NEED_A_NAME, errors.CROSS_SITE),
)
async def sign_in(call: Call, body: PasskeySignIn) -> CurrentUser:
    """Sign in with a passkey, which replaces password and two-factor code."""
    call.use(Origins).refuse_cross_site(call.request)
    await check_sign_in_limit(call)
    signed_in = await passkeys.sign_in(call.database, call.use(Passkeys), body, call.request.origin)
    call.use(LoginCookie).set(call, signed_in.token)
    return signed_in.me
