"""Authenticator apps and recovery codes of accounts. An account belongs to no team, so these are not scoped to one."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Executable, and_, bindparam, delete, func, insert, select, update

from loremark.base import clock
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InsertMaker, Sql
from loremark.storage.tables import recovery_codes, totp

_FIND = Sql(select(totp).where(totp.c.user_id == bindparam("of_user")))


def _replace_unconfirmed(new: InsertMaker) -> Executable:
    insert = new(totp)
    renewed = {name: insert.excluded[name] for name in ("secret_sealed", "created_at_ms")}
    statement: Executable = insert.on_conflict_do_update(
        index_elements=["user_id"], set_=renewed, where=totp.c.confirmed_at_ms.is_(None)
    )
    return statement


_REPLACE_UNCONFIRMED = Sql(_replace_unconfirmed)
_CONFIRM = Sql(
    update(totp)
    .where(totp.c.user_id == bindparam("of_user"), totp.c.confirmed_at_ms.is_(None))
    .values(confirmed_at_ms=bindparam("now_ms"), last_step=bindparam("step"))
)
_USE_STEP = Sql(
    update(totp)
    .where(totp.c.user_id == bindparam("of_user"), totp.c.last_step < bindparam("step"))
    .values(last_step=bindparam("step"))
)
_DELETE = Sql(delete(totp).where(totp.c.user_id == bindparam("of_user")))
_INSERT_CODE = Sql(insert(recovery_codes))
_COUNT_CODES = Sql(
    select(func.count().label("found"))
    .select_from(recovery_codes)
    .where(recovery_codes.c.user_id == bindparam("of_user"))
)
_DELETE_CODE = Sql(
    delete(recovery_codes).where(
        and_(recovery_codes.c.user_id == bindparam("of_user"), recovery_codes.c.code_hash == bindparam("hashed"))
    )
)
_DELETE_CODES = Sql(delete(recovery_codes).where(recovery_codes.c.user_id == bindparam("of_user")))


async def find_totp(tx: Tx, user_id: str) -> Row | None:
    """Find the account's authenticator app, confirmed or not."""
    return await tx.one(_FIND, of_user=user_id)


async def set_unconfirmed_totp(tx: Tx, user_id: str, secret_sealed: str) -> bool:
    """Store a new secret that waits for its first code. Returns False if the account has a confirmed one."""
    stored = await tx.run(
        _REPLACE_UNCONFIRMED,
        user_id=user_id,
        secret_sealed=secret_sealed,
        confirmed_at_ms=None,
        last_step=0,
        created_at_ms=clock.now_ms(),
    )
    return stored == 1


async def confirm_totp(tx: Tx, user_id: str, step: int) -> bool:
    return await tx.run(_CONFIRM, of_user=user_id, step=step, now_ms=clock.now_ms()) == 1


async def use_step(tx: Tx, user_id: str, step: int) -> bool:
    """Mark the code of a time step as used. Returns False if it or a later one was used before."""
    return await tx.run(_USE_STEP, of_user=user_id, step=step) == 1


async def delete_totp(tx: Tx, user_id: str) -> bool:
    return await tx.run(_DELETE, of_user=user_id) == 1


async def replace_recovery_codes(tx: Tx, user_id: str, hashes: Sequence[str]) -> None:
    await tx.run(_DELETE_CODES, of_user=user_id)
    for hashed in hashes:
        await tx.run(_INSERT_CODE, user_id=user_id, code_hash=hashed, created_at_ms=clock.now_ms())


async def count_recovery_codes(tx: Tx, user_id: str) -> int:
    row = await tx.one(_COUNT_CODES, of_user=user_id)
    assert row is not None
    return int(row["found"])


async def use_recovery_code(tx: Tx, user_id: str, hashed: str) -> bool:
    """Delete a recovery code. Returns False if there is none."""
    return await tx.run(_DELETE_CODE, of_user=user_id, hashed=hashed) == 1
