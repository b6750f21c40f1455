"""Registration, login and password changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgspec import UNSET

from loremark.base import errors
from loremark.base.caller import NO_ORIGIN, OWNER, AuthMethod, Caller, Origin
from loremark.base.crypto import Sealer
from loremark.base.passwords import Passwords
from loremark.base.plans import Plans
from loremark.base.settings import Registration as Policy
from loremark.features.audit import store as audit
from loremark.features.identity import second_factor, store
from loremark.features.identity.email_address import canonical
from loremark.features.identity.second_factor import CountAttempt
from loremark.jobs.notices import notify_access_changed
from loremark.storage.database import Database, Row, Tx
from loremark.wire.identity import (
    CurrentUser,
    LoginRequest,
    PasswordChange,
    Registration,
    RegistrationStatus,
    TeamSummary,
)

LinkProblem = Literal["unknown", "used", "expired", "replaced"]
"""``replaced``: a later start printed another link, or somebody created the first account without it."""

FIRST_ACCOUNT = "first_account"
OPERATOR_OWNER = "operator_owner"
"""The owner whom the operator created, with a command or the printed token.

On this machine anybody may register the first account, so that account may be another user's.
"""
LOCAL_OWNER_EMAIL = "owner@localhost"


@dataclass(frozen=True)
class AuthConfig:
    """The registration policy, whether the server sends email, and what is needed to create accounts.

    ``is_public``: the base URL is not a loopback address, so a proxy may forward requests from anywhere as its own.
    """

    registration: Policy
    sends_email: bool
    is_public: bool
    passwords: Passwords
    plans: Plans
    sealer: Sealer


@dataclass(frozen=True)
class SignedIn:
    """A new login: the cookie token and the response body."""

    token: str
    me: CurrentUser


async def register(
    database: Database, config: AuthConfig, wanted: Registration, origin: Origin, *, is_local: bool
) -> SignedIn:
    """Create an account with its own team, if registration is allowed.

    ``is_local``: sent from this machine. It then needs no token, and is not the operator's account without it.
    """
    async with database.read() as tx:
        await _check_registration_allowed(tx, config.registration)
    hashed = await config.passwords.hash(wanted.password)
    async with database.write() as tx:
        user_id = await store.create_user(tx, email=wanted.email, name=wanted.name, password_hash=hashed)
        if user_id is None:
            raise errors.EMAIL_TAKEN()
        is_first = await store.claim(tx, FIRST_ACCOUNT, user_id)
        if config.registration != "open" and not is_first:
            raise errors.REGISTRATION_BY_INVITATION()
        if await _has_setup_token(tx, wanted.setup_token):
            await store.claim(tx, OPERATOR_OWNER, user_id)
        elif _needs_setup_token(config, is_local=is_local):
            raise errors.FIRST_ACCOUNT_TOKEN()
        await store.invalidate_setup_links(tx)
        team_name = wanted.team_name or f"{wanted.name.strip()}'s team"
        email = canonical(wanted.email)
        caller = await create_owner(tx, config.plans, user_id, wanted.name, email, team_name, origin=origin)
        return await sign_in(tx, caller, origin)


async def _check_registration_allowed(tx: Tx, policy: Policy) -> None:
    if policy == "closed":
        raise errors.REGISTRATION_CLOSED()
    if policy == "invite" and await store.find_claim(tx, FIRST_ACCOUNT) is not None:
        raise errors.REGISTRATION_BY_INVITATION()


def _needs_setup_token(config: AuthConfig, *, is_local: bool) -> bool:
    return config.registration != "open" and (config.is_public or not is_local)


async def _has_setup_token(tx: Tx, token: str | None) -> bool:
    """Whether this is the printed token, which only the operator sees. It is used up."""
    link = await store.consume_link(tx, token) if token else None
    return link is not None and link["user_id"] is None


async def registration_status(tx: Tx, config: AuthConfig, *, is_local: bool) -> RegistrationStatus:
    """The registration mode, how the first account can still be created, and whether invitations are emailed."""
    unclaimed = config.registration != "closed" and await store.find_claim(tx, FIRST_ACCOUNT) is None
    return RegistrationStatus(
        mode=config.registration,
        first_account=unclaimed,
        needs_setup_token=unclaimed and _needs_setup_token(config, is_local=is_local),
        sends_email=config.sends_email,
    )


async def create_owner(
    tx: Tx,
    plans: Plans,
    user_id: str,
    name: str,
    email: str,
    team_name: str,
    auth_method: AuthMethod = AuthMethod.LOGIN,
    origin: Origin = NO_ORIGIN,
) -> Caller:
    """Create a team owned by a new account."""
    team_id = await store.create_team(tx, team_name, plans.default)
    member_id = await store.add_member(tx, team_id=team_id, user_id=user_id, role=OWNER)
    assert member_id is not None
    caller = Caller(
        user_id=user_id,
        team_id=team_id,
        role=OWNER,
        auth_method=auth_method,
        credential_id="",
        name=name.strip(),
        email=email.strip(),
        address=origin.address,
        request_id=origin.request_id,
    )
    await audit.record(tx, caller, "team.created", team_id, name=team_name)
    return caller


async def create_local_owner(
    tx: Tx, plans: Plans, claimed_by: str, auth_method: AuthMethod, origin: Origin = NO_ORIGIN
) -> Caller | None:
    """Create the owner of a fresh installation. Returns None if it has an account already."""
    if not await store.claim(tx, FIRST_ACCOUNT, claimed_by):
        return None
    user_id = await store.create_user(tx, email=LOCAL_OWNER_EMAIL, name="Owner", password_hash=None)
    assert user_id is not None
    await store.claim(tx, OPERATOR_OWNER, user_id)
    return await create_owner(tx, plans, user_id, "Owner", LOCAL_OWNER_EMAIL, "My team", auth_method, origin)


async def find_operator_owner(tx: Tx) -> Caller | None:
    """The owner whom the operator created: the only account that commands on this machine use without being told to."""
    user_id = await store.find_claim(tx, OPERATOR_OWNER)
    memberships = await store.list_memberships(tx, user_id) if user_id else []
    owned = next((row for row in memberships if row["role"] == OWNER), None)
    if user_id is None or owned is None:
        return None
    user = await store.get_user(tx, user_id)
    return Caller(
        user_id=user_id,
        team_id=owned["id"],
        role=OWNER,
        auth_method=AuthMethod.OPERATOR,
        credential_id="",
        name=user["name"],
        email=user["email"],
    )


async def sign_in(tx: Tx, caller: Caller, origin: Origin) -> SignedIn:
    token = await store.create_login(tx, user_id=caller.user_id, team_id=caller.team_id, origin=origin)
    return SignedIn(token, await get_current_user(tx, caller))


async def log_in(
    database: Database, config: AuthConfig, request: LoginRequest, origin: Origin, count_code: CountAttempt
) -> SignedIn:
    """Check the password, then the second factor. An unknown address takes equally long and gets the same error.

    Codes are counted per account, because only who knows the password can try one.
    """
    async with database.read() as tx:
        user = await store.find_user(tx, request.email)
        memberships = await store.list_memberships(tx, user["id"]) if user else []
    matches = await config.passwords.matches(request.password, user["password_hash"] if user else None)
    chosen = next((row for row in memberships if request.team_id in (None, row["id"])), None)
    if user is None or not matches or chosen is None:
        raise errors.WRONG_PASSWORD()
    caller = Caller(
        user_id=user["id"],
        team_id=chosen["id"],
        role=chosen["role"],
        auth_method=AuthMethod.LOGIN,
        credential_id="",
        name=user["name"],
        email=user["email"],
        address=origin.address,
        request_id=origin.request_id,
    )
    if request.code is not None:
        await count_code(caller.user_id)
    async with database.write() as tx:
        await require_same_password(tx, user)
        method = await second_factor.check_code(tx, config.sealer, caller, request.code)
        details = {} if method is None else {"method": f"password and {method}"}
        await audit.record(tx, caller, "login.created", caller.user_id, **details)
        return await sign_in(tx, caller, origin)


async def require_same_password(tx: Tx, checked: Row) -> None:
    """Raise if the password has been changed since it was checked, which has ended all other logins.

    Locks the account: a change that is under way waits, and ends the login that this transaction creates.
    """
    if (await store.lock_user(tx, checked["id"]))["password_hash"] != checked["password_hash"]:
        raise errors.WRONG_PASSWORD()


async def check_own_password(database: Database, config: AuthConfig, caller: Caller, password: str) -> Row:
    """Raise unless this is the caller's password. Returns the account."""
    async with database.read() as tx:
        user = await store.get_user(tx, caller.user_id)
    if user["password_hash"] is None:
        raise errors.NO_PASSWORD()
    if not await config.passwords.matches(password, user["password_hash"]):
        raise errors.WRONG_PASSWORD()
    return user


async def log_out(tx: Tx, caller: Caller) -> None:
    await store.delete_login(tx, caller.credential_id)
    await audit.record(tx, caller, "login.ended", caller.user_id)
    notify_access_changed(tx, caller.user_id)


async def get_current_user(tx: Tx, caller: Caller) -> CurrentUser:
    user = await store.get_user(tx, caller.user_id)
    memberships = await store.list_memberships(tx, caller.user_id)
    team = next(row for row in memberships if row["id"] == caller.team_id)
    return CurrentUser(
        user_id=user["id"],
        name=user["name"],
        email=user["email"],
        role=caller.role,
        team_id=team["id"],
        team_name=team["name"],
        plan=team["plan"],
        auth_method=caller.auth_method.value,
        # The user's other teams are none of the business of a limited key.
        teams=[TeamSummary(id=row["id"], name=row["name"]) for row in ([team] if caller.is_limited else memberships)],
        has_password=user["password_hash"] is not None,
        key_id=caller.credential_id if caller.auth_method is AuthMethod.KEY else UNSET,
    )


async def change_password(database: Database, config: AuthConfig, caller: Caller, change: PasswordChange) -> None:
    """Set a password and end all other logins and sign-in links.

    Accounts created by a sign-in link have no password at first.
    """
    async with database.read() as tx:
        user = await store.get_user(tx, caller.user_id)
    known = user["password_hash"]
    if known is not None and not await config.passwords.matches(change.current_password or "", known):
        raise errors.WRONG_PASSWORD()
    hashed = await config.passwords.hash(change.new_password)
    async with database.write() as tx:
        if not await store.set_password(tx, caller.user_id, known, hashed):
            raise errors.WRONG_PASSWORD()  # the password was changed concurrently
        await store.delete_other_logins(tx, caller.user_id, keep=caller.credential_id)
        await store.invalidate_links(tx, caller.user_id)
        await audit.record(tx, caller, "password.changed", caller.user_id)
        notify_access_changed(tx, caller.user_id)


async def explain_link(tx: Tx, token: str) -> LinkProblem:
    """Why a one-time link did not sign in."""
    link = await store.find_link(tx, token)
    if link is None or (link["user_id"] and not await store.list_memberships(tx, link["user_id"])):
        return "unknown"
    if link["used_at_ms"] is None:
        return "expired"
    is_replaced = link["user_id"] is None and await store.find_claim(tx, FIRST_ACCOUNT) != link["id"]
    return "replaced" if is_replaced else "used"


async def sign_in_with_link(tx: Tx, config: AuthConfig, token: str, origin: Origin) -> SignedIn | None:
    """Sign in with a one-time link. On a fresh installation this creates the local owner."""
    link = await store.consume_link(tx, token)
    if link is None:
        return None
    user_id = link["user_id"]
    if user_id is None:
        caller = await create_local_owner(tx, config.plans, link["id"], AuthMethod.LOGIN, origin)
        return await sign_in(tx, caller, origin) if caller is not None else None
    user = await store.get_user(tx, user_id)
    memberships = await store.list_memberships(tx, user_id)
    if not memberships:
        return None
    first = memberships[0]
    caller = Caller(
        user_id=user_id,
        team_id=first["id"],
        role=first["role"],
        auth_method=AuthMethod.LOGIN,
        credential_id="",
        name=user["name"],
        email=user["email"],
        address=origin.address,
        request_id=origin.request_id,
    )
    await audit.record(tx, caller, "login.created", user_id, method="sign-in link")
    return await sign_in(tx, caller, origin)
