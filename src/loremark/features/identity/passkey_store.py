"""Passkeys of accounts, and challenges that were answered. An account belongs to no team, so these are not scoped."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, delete, select, update

from loremark.base import clock, ids
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import passkeys, used_challenges

_MINE = and_(passkeys.c.user_id == bindparam("of_user"), passkeys.c.id == bindparam("passkey_id"))
_LIST = Sql(select(passkeys).where(passkeys.c.user_id == bindparam("of_user")).order_by(passkeys.c.id))
_FIND_MINE = Sql(select(passkeys).where(_MINE))
_FIND = Sql(select(passkeys).where(passkeys.c.credential_id == bindparam("credential")))
_INSERT = Sql(lambda new: new(passkeys).on_conflict_do_nothing(index_elements=["credential_id"]))
_RENAME = Sql(update(passkeys).where(_MINE).values(name=bindparam("new_name")))
_DELETE = Sql(delete(passkeys).where(_MINE))
_USE = Sql(
    update(passkeys)
    .where(passkeys.c.id == bindparam("passkey_id"), passkeys.c.sign_count == bindparam("known_count"))
    .values(sign_count=bindparam("new_count"), last_used_ms=bindparam("now_ms"))
)
_USE_CHALLENGE = Sql(lambda new: new(used_challenges).on_conflict_do_nothing(index_elements=["challenge"]))
_FORGET_CHALLENGES = Sql(delete(used_challenges).where(used_challenges.c.expires_at_ms <= bindparam("now_ms")))


async def list_passkeys(tx: Tx, user_id: str) -> list[Row]:
    """List an account's passkeys, oldest first."""
    return await tx.many(_LIST, of_user=user_id)


async def find_passkey(tx: Tx, user_id: str, passkey_id: str) -> Row | None:
    return await tx.one(_FIND_MINE, of_user=user_id, passkey_id=passkey_id)


async def find_by_credential(tx: Tx, credential_id: str) -> Row | None:
    return await tx.one(_FIND, credential=credential_id)


async def create_passkey(
    tx: Tx, user_id: str, *, name: str, credential_id: str, public_key: bytes, sign_count: int
) -> str | None:
    """Create a passkey and return its id, or None if it is already an account's."""
    passkey_id = ids.new("psk")
    created = await tx.run(
        _INSERT,
        id=passkey_id,
        user_id=user_id,
        name=name,
        credential_id=credential_id,
        public_key=public_key,
        sign_count=sign_count,
        created_at_ms=clock.now_ms(),
        last_used_ms=None,
    )
    return passkey_id if created else None


async def rename_passkey(tx: Tx, user_id: str, passkey_id: str, name: str) -> None:
    await tx.run(_RENAME, of_user=user_id, passkey_id=passkey_id, new_name=name)


async def delete_passkey(tx: Tx, user_id: str, passkey_id: str) -> None:
    await tx.run(_DELETE, of_user=user_id, passkey_id=passkey_id)


async def record_use(tx: Tx, passkey: Row, sign_count: int) -> bool:
    """Record a use. Returns False if the passkey was used or removed since it was read."""
    used = await tx.run(
        _USE,
        passkey_id=passkey["id"],
        known_count=passkey["sign_count"],
        new_count=sign_count,
        now_ms=clock.now_ms(),
    )
    return used == 1


async def use_challenge(tx: Tx, challenge: str, expires_at_ms: int) -> bool:
    """Mark a challenge as answered. Returns False if it was before."""
    await tx.run(_FORGET_CHALLENGES, now_ms=clock.now_ms())
    return await tx.run(_USE_CHALLENGE, challenge=challenge, expires_at_ms=expires_at_ms) == 1
