"""Passkeys: adding, naming and removing them, and signing in with one.

A passkey is a device and the verification of its user, so it replaces both password and two-factor code.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from loremark.base import clock, errors, limits
from loremark.base.caller import AuthMethod, Caller, Origin
from loremark.base.slow_work import refuse_while_writing
from loremark.features.audit import store as audit
from loremark.features.identity import passkey_ceremonies as ceremonies
from loremark.features.identity import passkey_store, service, store
from loremark.features.identity.passkey_ceremonies import Registered, RelyingParty
from loremark.features.identity.passkey_challenges import SIGN_IN, Challenges, registration_of
from loremark.features.identity.service import SignedIn
from loremark.jobs import queue
from loremark.jobs.notices import notify_access_changed
from loremark.storage.database import Database, Row, Tx
from loremark.wire.passkeys import NewPasskey, PasskeyEntry, PasskeyOptions, PasskeySignIn

METHOD = "passkey"
PASSKEY_EMAIL = "identity.passkey_email"


@dataclass(frozen=True)
class Passkeys:
    """Where passkeys are valid, and the challenges of this installation."""

    party: RelyingParty
    challenges: Challenges


async def list_passkeys(tx: Tx, caller: Caller) -> list[PasskeyEntry]:
    return [_shape(row) for row in await passkey_store.list_passkeys(tx, caller.user_id)]


async def start_registration(tx: Tx, config: Passkeys, caller: Caller) -> PasskeyOptions:
    """Return what the browser needs to create a passkey."""
    known = await passkey_store.list_passkeys(tx, caller.user_id)
    if len(known) >= limits.PASSKEYS:
        raise errors.PASSKEY_LIMIT()
    challenge = config.challenges.create(registration_of(caller.user_id))
    options = ceremonies.registration_options(
        config.party,
        challenge,
        user_id=caller.user_id,
        email=caller.email,
        name=caller.name,
        known=[row["credential_id"] for row in known],
    )
    return PasskeyOptions(options=options)


async def use_registration_challenge(tx: Tx, config: Passkeys, caller: Caller, new: NewPasskey) -> bytes:
    """Return the challenge that the browser answers. It is used up even if the answer is refused."""
    config.party.require_id()
    challenge = ceremonies.challenge_in(new.credential.response.client_data_json)
    await _use_challenge(tx, config, challenge, registration_of(caller.user_id))
    return challenge


async def verify_registration(config: Passkeys, new: NewPasskey, challenge: bytes) -> Registered:
    """Verify what the browser has created, in a thread."""
    refuse_while_writing("verifying a passkey")
    return await asyncio.to_thread(ceremonies.verify_registration, config.party, new.credential, challenge)


async def add_passkey(tx: Tx, caller: Caller, created: Registered, name: str) -> PasskeyEntry:
    """Store a verified passkey."""
    await store.lock_user(tx, caller.user_id)  # so that the limit holds
    if len(await passkey_store.list_passkeys(tx, caller.user_id)) >= limits.PASSKEYS:
        raise errors.PASSKEY_LIMIT()
    name = name.strip()
    passkey_id = await passkey_store.create_passkey(
        tx,
        caller.user_id,
        name=name,
        credential_id=created.credential_id,
        public_key=created.public_key,
        sign_count=created.sign_count,
    )
    if passkey_id is None:
        raise errors.PASSKEY_REFUSED()
    await audit.record(tx, caller, "passkey.added", passkey_id, name=name)
    await queue.enqueue(tx, PASSKEY_EMAIL, {"userId": caller.user_id}, team_id=caller.team_id)
    return _shape(await _get_passkey(tx, caller, passkey_id))


async def rename_passkey(tx: Tx, caller: Caller, passkey_id: str, name: str) -> PasskeyEntry:
    await _get_passkey(tx, caller, passkey_id)
    await passkey_store.rename_passkey(tx, caller.user_id, passkey_id, name.strip())
    await audit.record(tx, caller, "passkey.renamed", passkey_id, name=name.strip())
    return _shape(await _get_passkey(tx, caller, passkey_id))


async def remove_passkey(tx: Tx, caller: Caller, passkey_id: str) -> None:
    """Remove a passkey and end all other logins, any of which may have been made with it."""
    passkey = await _get_passkey(tx, caller, passkey_id)
    await passkey_store.delete_passkey(tx, caller.user_id, passkey_id)
    await store.delete_other_logins(tx, caller.user_id, keep=caller.credential_id)
    await audit.record(tx, caller, "passkey.removed", passkey_id, name=passkey["name"])
    notify_access_changed(tx, caller.user_id)


def start_sign_in(config: Passkeys) -> PasskeyOptions:
    """Return what the browser needs to sign in. Stores nothing, because anybody may ask."""
    return PasskeyOptions(options=ceremonies.sign_in_options(config.party, config.challenges.create(SIGN_IN)))


async def sign_in(database: Database, config: Passkeys, request: PasskeySignIn, origin: Origin) -> SignedIn:
    """Sign in to the account that the passkey belongs to."""
    config.party.require_id()
    credential = request.credential
    challenge = ceremonies.challenge_in(credential.response.client_data_json)
    if config.challenges.find_expiry(challenge, SIGN_IN) is None:
        raise errors.PASSKEY_REFUSED()
    async with database.read() as tx:
        passkey = await passkey_store.find_by_credential(tx, credential.raw_id)
        if passkey is None:
            raise errors.PASSKEY_REFUSED()
        user = await store.get_user(tx, passkey["user_id"])
        memberships = await store.list_memberships(tx, user["id"])
    handle = credential.response.user_handle
    chosen = next((row for row in memberships if request.team_id in (None, row["id"])), None)
    if chosen is None or (handle is not None and handle != ceremonies.encode(user["id"].encode())):
        raise errors.PASSKEY_REFUSED()
    async with database.write() as tx:
        await _use_challenge(tx, config, challenge, SIGN_IN)
    refuse_while_writing("verifying a passkey")
    sign_count = await asyncio.to_thread(
        ceremonies.verify_assertion,
        config.party,
        credential,
        challenge,
        public_key=bytes(passkey["public_key"]),
        sign_count=passkey["sign_count"],
    )
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
    async with database.write() as tx:
        if not await passkey_store.record_use(tx, passkey, sign_count):
            raise errors.PASSKEY_REFUSED()
        await audit.record(tx, caller, "login.created", caller.user_id, method=METHOD)
        return await service.sign_in(tx, caller, origin)


async def _use_challenge(tx: Tx, config: Passkeys, challenge: bytes, purpose: str) -> None:
    expires_at_ms = config.challenges.find_expiry(challenge, purpose)
    if expires_at_ms is None or not await passkey_store.use_challenge(tx, ceremonies.encode(challenge), expires_at_ms):
        raise errors.PASSKEY_REFUSED()


async def _get_passkey(tx: Tx, caller: Caller, passkey_id: str) -> Row:
    found = await passkey_store.find_passkey(tx, caller.user_id, passkey_id)
    if found is None:
        raise errors.PASSKEY_NOT_FOUND()
    return found


def _shape(row: Row) -> PasskeyEntry:
    return PasskeyEntry(
        id=row["id"],
        name=row["name"],
        created_at=clock.iso(row["created_at_ms"]),
        last_used=clock.iso_or_none(row["last_used_ms"]),
    )
