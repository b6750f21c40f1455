"""Accounts and logins: who may register, and how somebody proves who they are."""

from __future__ import annotations

from dataclasses import dataclass

from loremark.base import errors
from loremark.base.caller import NOWHERE, OWNER, Caller, Origin, Via
from loremark.base.passwords import Passwords
from loremark.base.plans import Plans
from loremark.base.settings import Registration as Policy
from loremark.features.audit import store as audit
from loremark.features.identity import store
from loremark.jobs.notices import tell_access_changed
from loremark.storage.database import Database, Tx
from loremark.wire.identity import DoorState, LoginRequest, Me, PasswordChange, Registration, TeamShape

FIRST_ACCOUNT = "first_account"
LOCAL_OWNER_EMAIL = "owner@localhost"


@dataclass(frozen=True)
class Door:
    """What decides who may come in."""

    policy: Policy
    passwords: Passwords
    plans: Plans


@dataclass(frozen=True)
class SignedIn:
    """A new login: the cookie's token and what to tell the browser."""

    token: str
    me: Me


async def register(database: Database, door: Door, wanted: Registration, origin: Origin) -> SignedIn:
    """A new account with a team of its own, if the installation lets people register."""
    async with database.read() as tx:
        await _refuse_registration(tx, door.policy)
    hashed = await door.passwords.hash(wanted.password)
    async with database.write() as tx:
        user_id = await store.create_user(tx, email=wanted.email, name=wanted.name, password_hash=hashed)
        if user_id is None:
            raise errors.EMAIL_TAKEN()
        is_first = await store.claim(tx, FIRST_ACCOUNT, user_id)
        if door.policy != "open" and not is_first:
            raise errors.REGISTRATION_BY_INVITATION()
        await store.end_open_links(tx)
        team_name = wanted.team_name or f"{wanted.name.strip()}'s team"
        caller = await create_owner(tx, door.plans, user_id, wanted.name, wanted.email, team_name, origin=origin)
        return await sign_in(tx, caller)


async def _refuse_registration(tx: Tx, policy: Policy) -> None:
    if policy == "closed":
        raise errors.REGISTRATION_CLOSED()
    if policy == "invite" and await store.find_claim(tx, FIRST_ACCOUNT) is not None:
        raise errors.REGISTRATION_BY_INVITATION()


async def look_at_door(tx: Tx, policy: Policy) -> DoorState:
    """What ``register`` would say by now, without asking for anything."""
    unclaimed = policy != "closed" and await store.find_claim(tx, FIRST_ACCOUNT) is None
    return DoorState(registration=policy, first_account=unclaimed)


async def create_owner(
    tx: Tx,
    plans: Plans,
    user_id: str,
    name: str,
    email: str,
    team_name: str,
    via: Via = Via.LOGIN,
    origin: Origin = NOWHERE,
) -> Caller:
    """A team for a new account, owned by it."""
    team_id = await store.create_team(tx, team_name, plans.default)
    member_id = await store.add_member(tx, team_id=team_id, user_id=user_id, role=OWNER)
    assert member_id is not None
    caller = Caller(
        user_id=user_id,
        team_id=team_id,
        role=OWNER,
        via=via,
        credential_id="",
        name=name.strip(),
        email=email.strip(),
        address=origin.address,
        request_id=origin.request_id,
    )
    await audit.record(tx, caller, "team.created", team_id, name=team_name)
    return caller


async def sign_in(tx: Tx, caller: Caller) -> SignedIn:
    token = await store.create_login(tx, user_id=caller.user_id, team_id=caller.team_id)
    return SignedIn(token, await describe(tx, caller))


async def log_in(database: Database, door: Door, given: LoginRequest, origin: Origin) -> SignedIn:
    """Check the password; an unknown address takes as long and gets the same words."""
    async with database.read() as tx:
        user = await store.find_user(tx, given.email)
        memberships = await store.list_memberships(tx, user["id"]) if user else []
    matches = await door.passwords.matches(given.password, user["password_hash"] if user else None)
    chosen = next((row for row in memberships if given.team_id in (None, row["id"])), None)
    if user is None or not matches or chosen is None:
        raise errors.WRONG_PASSWORD()
    caller = Caller(
        user_id=user["id"],
        team_id=chosen["id"],
        role=chosen["role"],
        via=Via.LOGIN,
        credential_id="",
        name=user["name"],
        email=user["email"],
        address=origin.address,
        request_id=origin.request_id,
    )
    async with database.write() as tx:
        await audit.record(tx, caller, "login.created", caller.user_id)
        return await sign_in(tx, caller)


async def log_out(tx: Tx, caller: Caller) -> None:
    await store.delete_login(tx, caller.credential_id)
    await audit.record(tx, caller, "login.ended", caller.user_id)
    tell_access_changed(tx, caller.user_id)


async def describe(tx: Tx, caller: Caller) -> Me:
    user = await store.get_user(tx, caller.user_id)
    memberships = await store.list_memberships(tx, caller.user_id)
    here = next(row for row in memberships if row["id"] == caller.team_id)
    return Me(
        user_id=user["id"],
        name=user["name"],
        email=user["email"],
        role=caller.role,
        team_id=here["id"],
        team_name=here["name"],
        plan=here["plan"],
        via=caller.via.value,
        teams=[TeamShape(id=row["id"], name=row["name"]) for row in memberships],
        has_password=user["password_hash"] is not None,
    )


async def change_password(database: Database, door: Door, caller: Caller, change: PasswordChange) -> None:
    """Set a password and end all other logins of the account. Who came by a link has none to show at first."""
    async with database.read() as tx:
        user = await store.get_user(tx, caller.user_id)
    known = user["password_hash"]
    if known is not None and not await door.passwords.matches(change.current_password or "", known):
        raise errors.WRONG_PASSWORD()
    hashed = await door.passwords.hash(change.new_password)
    async with database.write() as tx:
        if not await store.set_password(tx, caller.user_id, known, hashed):
            raise errors.WRONG_PASSWORD()  # another one was set meanwhile
        await store.delete_other_logins(tx, caller.user_id, but=caller.credential_id)
        await audit.record(tx, caller, "password.changed", caller.user_id)
        tell_access_changed(tx, caller.user_id)


async def use_signin_link(tx: Tx, door: Door, token: str, origin: Origin) -> SignedIn | None:
    """Sign in by a one-time link; on a fresh installation it makes the local owner."""
    link = await store.use_link(tx, token)
    if link is None:
        return None
    user_id = link["user_id"]
    if user_id is None:
        if not await store.claim(tx, FIRST_ACCOUNT, link["id"]):
            return None
        user_id = await store.create_user(tx, email=LOCAL_OWNER_EMAIL, name="Owner", password_hash=None)
        assert user_id is not None
        caller = await create_owner(tx, door.plans, user_id, "Owner", LOCAL_OWNER_EMAIL, "My team", origin=origin)
        return await sign_in(tx, caller)
    user = await store.get_user(tx, user_id)
    memberships = await store.list_memberships(tx, user_id)
    if not memberships:
        return None
    first = memberships[0]
    caller = Caller(
        user_id=user_id,
        team_id=first["id"],
        role=first["role"],
        via=Via.LOGIN,
        credential_id="",
        name=user["name"],
        email=user["email"],
        address=origin.address,
        request_id=origin.request_id,
    )
    await audit.record(tx, caller, "login.created", user_id, by="sign-in link")
    return await sign_in(tx, caller)
