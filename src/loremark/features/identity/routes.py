"""POST /api/auth/…: register, login, logout, password; GET /api/auth/me, door."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.signing import sha256_hex
from loremark.features.identity import service, store
from loremark.features.identity.cookies import LoginCookie
from loremark.features.identity.service import Door, SignedIn
from loremark.web.addresses import bucket
from loremark.web.call import Call
from loremark.web.needs import ANYONE, KEY, LOGIN, Origins, needs
from loremark.web.routes import Routes, TxMode
from loremark.wire.identity import DoorState, LoginRequest, Me, PasswordChange, Registration

routes = Routes("auth")


def _welcome(call: Call, signed_in: SignedIn) -> Me:
    call.use(LoginCookie).set(call, signed_in.token)
    return signed_in.me


@routes.add("GET", "/api/auth/door", ANYONE, name="door")
async def door(call: Call) -> DoorState:
    """Whether one may register here."""
    return await service.look_at_door(call.tx, call.use(Door).policy)


@routes.add(
    "POST",
    "/api/auth/register",
    ANYONE,
    name="register",
    status=201,
    tx=TxMode.NONE,
    errors=(errors.EMAIL_TAKEN, errors.REGISTRATION_BY_INVITATION, errors.REGISTRATION_CLOSED, errors.CROSS_SITE),
)
async def register(call: Call, body: Registration) -> Me:
    """Make an account with a team of its own, and sign in."""
    call.use(Origins).refuse_cross_site(call.request)
    return _welcome(call, await service.register(call.database, call.use(Door), body, call.request.origin))


@routes.add(
    "POST",
    "/api/auth/login",
    ANYONE,
    name="login",
    tx=TxMode.NONE,
    errors=(errors.WRONG_PASSWORD, errors.CROSS_SITE),
)
async def login(call: Call, body: LoginRequest) -> Me:
    """Sign in with e-mail and password."""
    call.use(Origins).refuse_cross_site(call.request)
    await call.spend("login", f"address:{bucket(call.request.address)}")
    await call.spend("login", f"account:{sha256_hex(store.email_key(body.email))}")
    return _welcome(call, await service.log_in(call.database, call.use(Door), body, call.request.origin))


@routes.add("POST", "/api/auth/logout", needs(LOGIN), name="logout", status=204)
async def logout(call: Call) -> None:
    """End this login."""
    await service.log_out(call.tx, call.caller)
    call.use(LoginCookie).clear(call)


@routes.add("GET", "/api/auth/me", needs(KEY | LOGIN), name="me")
async def me(call: Call) -> Me:
    """Who is asking, and in which team."""
    return await service.describe(call.tx, call.caller)


@routes.add(
    "POST",
    "/api/auth/password",
    needs(LOGIN),
    name="password",
    status=204,
    tx=TxMode.NONE,
    errors=(errors.WRONG_PASSWORD,),
)
async def change_password(call: Call, body: PasswordChange) -> None:
    """Set another password; all other logins of the account end."""
    await call.spend("login", f"account:{call.caller.user_id}")
    await service.change_password(call.database, call.use(Door), call.caller, body)
