"""/api/auth: registration, login, logout, password, current user."""

from __future__ import annotations

from functools import partial

from loremark.base import errors
from loremark.features.identity import logins, service
from loremark.features.identity.cookies import LoginCookie
from loremark.features.identity.last_use import LoginUse
from loremark.features.identity.login_limits import LIMIT, check_code_limit, check_password_limit
from loremark.features.identity.service import AuthConfig, SignedIn
from loremark.web.authentication import ANY_SCOPE, ANYONE, KEY, LOGIN, Origins, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.identity import (
    CurrentUser,
    LoginEntry,
    LoginRequest,
    LoginsEnded,
    PasswordChange,
    Registration,
    RegistrationStatus,
)

routes = Routes("auth")


def _set_cookie(call: Call, signed_in: SignedIn) -> CurrentUser:
    call.use(LoginCookie).set(call, signed_in.token)
    return signed_in.me


@routes.add("GET", "/api/auth/registration", ANYONE, name="registration")
async def registration_status(call: Call) -> RegistrationStatus:
    """Get the registration mode, whether and how the first account can be created, and whether email is set up."""
    return await service.registration_status(call.tx, call.use(AuthConfig), is_local=call.request.is_from_this_machine)


@routes.add(
    "POST",
    "/api/auth/register",
    ANYONE,
    name="register",
    status=201,
    tx=TxMode.NONE,
    errors=(
        errors.EMAIL_TAKEN,
        errors.FIRST_ACCOUNT_TOKEN,
        errors.REGISTRATION_BY_INVITATION,
        errors.REGISTRATION_CLOSED,
        errors.CROSS_SITE,
    ),
)
async def register(call: Call, body: Registration) -> CurrentUser:
    """Create an account with its own team, and sign in."""
    call.use(Origins).refuse_cross_site(call.request)
    config, request = call.use(AuthConfig), call.request
    signed_in = await service.register(
        call.database, config, body, request.origin, is_local=request.is_from_this_machine
    )
    return _set_cookie(call, signed_in)


@routes.add(
    "POST",
    "/api/auth/login",
    ANYONE,
    name="login",
    tx=TxMode.NONE,
    errors=(errors.WRONG_PASSWORD, errors.CODE_REQUIRED, errors.WRONG_CODE, errors.CROSS_SITE),
)
async def login(call: Call, body: LoginRequest) -> CurrentUser:
    """Sign in with email and password, and a code if two-factor authentication is on."""
    call.use(Origins).refuse_cross_site(call.request)
    await check_password_limit(call, body.email)
    count_code = partial(check_code_limit, call)
    config, origin = call.use(AuthConfig), call.request.origin
    return _set_cookie(call, await service.log_in(call.database, config, body, origin, count_code))


@routes.add("POST", "/api/auth/logout", needs(LOGIN), name="logout", status=204)
async def logout(call: Call) -> None:
    """Sign out."""
    await service.log_out(call.tx, call.caller)
    call.use(LoginCookie).clear(call)


@routes.add("GET", "/api/auth/me", needs(KEY | LOGIN, *ANY_SCOPE), name="me")
async def me(call: Call) -> CurrentUser:
    """Get the current user and team."""
    return await service.get_current_user(call.tx, call.caller)


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
    """Change the password and end the account's other logins."""
    await call.check_rate_limit(LIMIT, f"account:{call.caller.user_id}")
    await service.change_password(call.database, call.use(AuthConfig), call.caller, body)


@routes.add("GET", "/api/auth/logins", needs(KEY | LOGIN, "admin"), name="logins", errors=(errors.FORBIDDEN,))
async def list_logins(call: Call) -> list[LoginEntry]:
    """List the browsers the caller is signed in on, in all teams, newest first."""
    return await logins.list_logins(call.tx, call.caller, call.use(LoginUse))


@routes.add(
    "DELETE",
    "/api/auth/logins/{id}",
    needs(KEY | LOGIN, "admin"),
    name="end_login",
    status=204,
    errors=(errors.LOGIN_NOT_FOUND, errors.FORBIDDEN),
)
async def end_login(call: Call, id: str) -> None:
    """Sign one of the caller's browsers out. It takes effect immediately."""
    await logins.end_login(call.tx, call.caller, id)


@routes.add("DELETE", "/api/auth/logins", needs(LOGIN), name="end_logins")
async def end_other_logins(call: Call) -> LoginsEnded:
    """Sign all of the caller's other browsers out."""
    return LoginsEnded(ended=await logins.end_other_logins(call.tx, call.caller))
