"""Requests about two-factor authentication, with the caller's account in the state that each one needs."""

from __future__ import annotations

from sqlalchemy import insert

from loremark.base import clock
from loremark.features.identity import totp
from loremark.features.identity.second_factor import secret_context
from loremark.storage.tables import totp as totp_table
from tests.contract.cast import Actor, Ask, Cast, Example
from tests.support.service import PASSWORD

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def current_code() -> str:
    return totp.code_at(SECRET, clock.now_ms())


async def set_up(cast: Cast, actor: Actor, *, confirmed: bool) -> None:
    """Give the actor's account an authenticator app."""
    user_id = actor.person.user_id
    if not user_id:
        return
    await cast.reset_two_factor(actor)
    sealed = cast.service.runtime.sealer.seal(SECRET, secret_context(user_id))
    confirmed_at_ms = clock.now_ms() if confirmed else None
    row = {"user_id": user_id, "secret_sealed": sealed, "last_step": 0, "created_at_ms": clock.now_ms()}
    async with cast.service.runtime.database.write() as tx:
        await tx.run(insert(totp_table).values(**row, confirmed_at_ms=confirmed_at_ms))


async def _status(cast: Cast, actor: Actor) -> Ask:
    return Ask()


async def _start(cast: Cast, actor: Actor) -> Ask:
    await cast.reset_two_factor(actor)
    return Ask(json={"password": PASSWORD})


async def _confirm(cast: Cast, actor: Actor) -> Ask:
    await set_up(cast, actor, confirmed=False)
    return Ask(json={"code": current_code()})


async def _prove(cast: Cast, actor: Actor) -> Ask:
    await set_up(cast, actor, confirmed=True)
    return Ask(json={"password": PASSWORD, "code": current_code()})


async def _log_in(cast: Cast, actor: Actor) -> Ask:
    await set_up(cast, cast["owner"], confirmed=True)
    return Ask(json={"email": cast.owner.email, "password": PASSWORD, "code": current_code()})


TWO_FACTOR: dict[str, Example] = {
    "auth.two_factor": _status,
    "auth.start_totp": _start,
    "auth.confirm_totp": _confirm,
    "auth.recovery_codes": _prove,
    "auth.end_two_factor": _prove,
    "auth.login (with a code)": _log_in,
}
