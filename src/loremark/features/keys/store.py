"""API keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import and_, bindparam, delete, insert, select, update

from loremark.base import clock, errors, ids
from loremark.base.caller import AuthMethod, Caller, KeyScope, Scope
from loremark.base.signing import sha256_hex
from loremark.features.keys import networks
from loremark.storage.database import Row, Tx
from loremark.storage.last_use import Use
from loremark.storage.statements import Sql
from loremark.storage.tables import api_keys, team_members, users

_INSERT = Sql(insert(api_keys))
_FIND_CALLER = Sql(
    select(
        api_keys.c.id,
        api_keys.c.user_id,
        api_keys.c.team_id,
        api_keys.c.scopes,
        api_keys.c.project_id,
        api_keys.c.expires_at_ms,
        api_keys.c.allowed_addresses,
        team_members.c.role,
        users.c.name,
        users.c.email,
    )
    .join(users, users.c.id == api_keys.c.user_id)
    .join(
        team_members,
        and_(team_members.c.team_id == api_keys.c.team_id, team_members.c.user_id == api_keys.c.user_id),
    )
    .where(api_keys.c.key_hash == bindparam("hashed"))
)
_OF_TEAM = and_(api_keys.c.team_id == bindparam("scope"), api_keys.c.id < bindparam("before"))
_NEWEST_FIRST = select(api_keys).order_by(api_keys.c.id.desc()).limit(bindparam("take"))
_LIST_TEAM = Sql(_NEWEST_FIRST.where(_OF_TEAM))
_LIST_OWN = Sql(_NEWEST_FIRST.where(_OF_TEAM, api_keys.c.user_id == bindparam("user_id")))
_FIND = Sql(select(api_keys).where(api_keys.c.team_id == bindparam("scope"), api_keys.c.id == bindparam("key_id")))
_DELETE = Sql(delete(api_keys).where(api_keys.c.team_id == bindparam("scope"), api_keys.c.id == bindparam("key_id")))
_RECORD_USE = Sql(
    update(api_keys)
    .where(
        api_keys.c.id == bindparam("key_id"),
        (api_keys.c.last_used_ms.is_(None)) | (api_keys.c.last_used_ms < bindparam("used_ms")),
    )
    .values(last_used_ms=bindparam("used_ms"))
)
_AFTER_ALL_IDS = "\uffff"


async def create_key(
    tx: Tx,
    caller: Caller,
    *,
    name: str,
    prefix: str,
    raw: str,
    scopes: Sequence[KeyScope] | None,
    project_id: str | None,
    expires_at_ms: int | None,
    allowed_addresses: Sequence[str] | None,
) -> tuple[str, int]:
    """Create a key and return its id and creation time."""
    key_id = ids.new("key")
    now_ms = clock.now_ms()
    await tx.run(
        _INSERT,
        id=key_id,
        team_id=caller.team_id,
        user_id=caller.user_id,
        name=name,
        prefix=prefix,
        key_hash=sha256_hex(raw),
        created_at_ms=now_ms,
        last_used_ms=None,
        scopes=None if scopes is None else " ".join(scopes),
        project_id=project_id,
        expires_at_ms=expires_at_ms,
        allowed_addresses=None if allowed_addresses is None else " ".join(allowed_addresses),
    )
    return key_id, now_ms


async def find_by_key(tx: Tx, raw: str, address: str) -> Caller | None:
    """Find the caller a key belongs to, or None if it is unknown or expired. Raise if the address is not allowed.

    Unscoped: the key determines the team.
    """
    row = await tx.one(_FIND_CALLER, hashed=sha256_hex(raw))
    if row is None:
        return None
    scopes, project_id, expires_at_ms = row["scopes"], row["project_id"], row["expires_at_ms"]
    if expires_at_ms is not None and expires_at_ms <= clock.now_ms():
        return None
    allowed = row["allowed_addresses"]
    if allowed is not None and not networks.includes(allowed, address):
        raise errors.FORBIDDEN()
    return Caller(
        user_id=row["user_id"],
        team_id=row["team_id"],
        role=row["role"],
        auth_method=AuthMethod.KEY,
        credential_id=row["id"],
        name=row["name"],
        email=row["email"],
        key_scopes=_scopes(scopes),
        only_project=project_id,
        is_limited=not (scopes is None and project_id is None and expires_at_ms is None and allowed is None),
    )


@lru_cache(maxsize=64)
def _scopes(stored: str | None) -> frozenset[KeyScope] | None:
    return None if stored is None else frozenset(stored.split())  # type: ignore[arg-type]


async def list_keys(tx: Tx, scope: Scope, *, user_id: str | None, before: str | None, take: int) -> list[Row]:
    """List the keys of one user or of the whole team, newest first."""
    start = before or _AFTER_ALL_IDS
    if user_id is None:
        return await tx.many(_LIST_TEAM, scope=scope, before=start, take=take)
    return await tx.many(_LIST_OWN, scope=scope, user_id=user_id, before=start, take=take)


async def find_key(tx: Tx, scope: Scope, key_id: str) -> Row | None:
    return await tx.one(_FIND, scope=scope, key_id=key_id)


async def delete_key(tx: Tx, scope: Scope, key_id: str) -> None:
    await tx.run(_DELETE, scope=scope, key_id=key_id)


async def record_use(tx: Tx, key_id: str, use: Use) -> None:
    """Unscoped: only called for keys that were just authenticated."""
    await tx.run(_RECORD_USE, key_id=key_id, used_ms=use.at_ms)
