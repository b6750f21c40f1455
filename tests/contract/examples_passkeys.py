"""Requests about passkeys, each with a fresh device."""

from __future__ import annotations

import msgspec
from sqlalchemy import delete

from loremark.base.crypto import Sealer
from loremark.features.identity import passkey_ceremonies as ceremonies
from loremark.features.identity import passkey_store
from loremark.features.identity.passkey_ceremonies import RelyingParty, encode
from loremark.features.identity.passkey_challenges import SIGN_IN, Challenges, registration_of
from loremark.storage.tables import passkeys
from loremark.wire.passkeys import NewCredential
from tests.contract.cast import TEAM, Actor, Ask, Cast, Example
from tests.contract.examples_two_factor import current_code, set_up
from tests.support.passkeys import Device
from tests.support.service import BASE_URL, PASSWORD


def challenge_for(sealer: Sealer, purpose: str) -> dict[str, object]:
    """The part of the options that a device answers."""
    return {"challenge": encode(Challenges(sealer).create(purpose)), "user": {"id": encode(b"usr_example")}}


async def add_passkey(cast: Cast, actor: Actor, *, keep: bool = False) -> tuple[Device, str]:
    """Give the actor's account a passkey, by default its only one; return the device and the passkey's id."""
    device, user_id = Device(), actor.person.user_id
    options = challenge_for(cast.service.runtime.sealer, SIGN_IN)
    credential = msgspec.convert(device.create(options), NewCredential)
    created = ceremonies.verify_registration(
        RelyingParty.of(BASE_URL), credential, ceremonies.decode(str(options["challenge"]))
    )
    device.user_handle = encode(user_id.encode())
    async with cast.service.runtime.database.write() as tx:
        if not keep:
            await tx.run(delete(passkeys).where(passkeys.c.user_id == user_id))
        passkey_id = await passkey_store.create_passkey(
            tx,
            user_id,
            name="Laptop",
            credential_id=created.credential_id,
            public_key=created.public_key,
            sign_count=0,
        )
    assert passkey_id is not None
    return device, passkey_id


def _with_account(cast: Cast, actor: Actor) -> Actor:
    return actor if actor.name in (*TEAM, "stranger") else cast["owner"]


async def _list(cast: Cast, actor: Actor) -> Ask:
    await add_passkey(cast, _with_account(cast, actor))
    return Ask()


async def _options(cast: Cast, actor: Actor) -> Ask:
    await add_passkey(cast, _with_account(cast, actor))
    await cast.reset_two_factor(actor)
    return Ask(json={"password": PASSWORD})


async def _options_with_code(cast: Cast, actor: Actor) -> Ask:
    await add_passkey(cast, _with_account(cast, actor))
    await set_up(cast, actor, confirmed=True)
    return Ask(json={"password": PASSWORD, "code": current_code()})


async def _add(cast: Cast, actor: Actor) -> Ask:
    await add_passkey(cast, _with_account(cast, actor))
    options = challenge_for(cast.service.runtime.sealer, registration_of(actor.person.user_id))
    return Ask(json={"name": "Phone", "credential": Device().create(options)})


async def _rename_own(cast: Cast, actor: Actor) -> Ask:
    _, passkey_id = await add_passkey(cast, _with_account(cast, actor))
    return Ask({"id": passkey_id}, {"name": "Renamed"}, target=passkey_id)


async def _rename_the_owners(cast: Cast, actor: Actor) -> Ask:
    return await _rename_own(cast, cast["owner"])


async def _remove_own(cast: Cast, actor: Actor) -> Ask:
    _, passkey_id = await add_passkey(cast, _with_account(cast, actor))
    return Ask({"id": passkey_id}, target=passkey_id)


async def _remove_the_owners(cast: Cast, actor: Actor) -> Ask:
    return await _remove_own(cast, cast["owner"])


async def _sign_in_options(cast: Cast, actor: Actor) -> Ask:
    return Ask()


async def _sign_in(cast: Cast, actor: Actor) -> Ask:
    device, _ = await add_passkey(cast, cast["owner"])
    return Ask(json={"credential": device.sign(challenge_for(cast.service.runtime.sealer, SIGN_IN))})


PASSKEYS: dict[str, Example] = {
    "auth.passkeys": _list,
    "auth.passkey_options": _options,
    "auth.passkey_options (with a code)": _options_with_code,
    "auth.add_passkey": _add,
    "auth.rename_passkey": _rename_own,
    "auth.rename_passkey (the owner's)": _rename_the_owners,
    "auth.remove_passkey": _remove_own,
    "auth.remove_passkey (the owner's)": _remove_the_owners,
    "auth.passkey_sign_in_options": _sign_in_options,
    "auth.passkey_sign_in": _sign_in,
}
