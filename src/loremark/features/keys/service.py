"""Creating and deleting API keys."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from loremark.base import clock, errors, ids
from loremark.base.caller import KEY_SCOPES, Caller
from loremark.features.audit import store as audit
from loremark.features.identity.limited_keys import require_unlimited
from loremark.features.keys import networks, store
from loremark.features.projects.access import Access, get_project
from loremark.jobs.notices import notify_access_changed, notify_changed
from loremark.storage.database import Row, Tx
from loremark.wire.keys import KeyCreated, KeyLimits, NewKey

KEY_PREFIX = "service_sk_"
_SHOWN_CHARS = len(KEY_PREFIX) + 6


async def create_key(tx: Tx, caller: Caller, wanted: NewKey) -> KeyCreated:
    """Create a key that acts as the caller, within its limits. The full key is never shown again."""
    require_unlimited(caller)
    expires_at_ms = None if wanted.expires_at is UNSET else clock.epoch_ms(wanted.expires_at)
    if expires_at_ms is not None and expires_at_ms <= clock.now_ms():
        raise errors.invalid("expiresAt must be in the future")
    if expires_at_ms is not None and expires_at_ms > clock.LAST_MS:
        raise errors.invalid("expiresAt must be before the year 10000")
    if wanted.project_id is not UNSET:
        await get_project(tx, caller, wanted.project_id, Access.READ)
    given = KeyLimits(
        scopes=UNSET if wanted.scopes is UNSET else [scope for scope in KEY_SCOPES if scope in wanted.scopes],
        project_id=wanted.project_id,
        expires_at=clock.iso_or_none(expires_at_ms) or UNSET,
        allowed_addresses=UNSET if wanted.allowed_addresses is UNSET else networks.canonical(wanted.allowed_addresses),
    )
    raw = KEY_PREFIX + ids.token(32)
    name = wanted.name.strip()
    key_id, created_at_ms = await store.create_key(
        tx,
        caller,
        name=name,
        prefix=raw[:_SHOWN_CHARS],
        raw=raw,
        scopes=given.scopes or None,
        project_id=given.project_id or None,
        expires_at_ms=expires_at_ms,
        allowed_addresses=given.allowed_addresses or None,
    )
    limits = msgspec.to_builtins(given)
    await audit.record(tx, caller, "key.created", key_id, project_id=given.project_id or None, name=name, **limits)
    notify_changed(tx, caller.team_id, "keys")
    return KeyCreated(
        id=key_id, name=name, key=raw, created_at=clock.iso(created_at_ms), **msgspec.structs.asdict(given)
    )


def limits_of(row: Row) -> KeyLimits:
    """The limits of a stored key."""
    scopes, addresses = row["scopes"], row["allowed_addresses"]
    return KeyLimits(
        scopes=UNSET if scopes is None else scopes.split(),
        project_id=row["project_id"] or UNSET,
        expires_at=clock.iso_or_none(row["expires_at_ms"]) or UNSET,
        allowed_addresses=UNSET if addresses is None else addresses.split(),
    )


async def delete_key(tx: Tx, caller: Caller, key_id: str) -> None:
    """Delete one of the caller's keys or, as owner or admin, any key of the team. A limited key deletes only itself."""
    if key_id != caller.credential_id:
        require_unlimited(caller)
    key = await store.find_key(tx, caller.scope, key_id)
    if key is None or (key["user_id"] != caller.user_id and not caller.manages):
        raise errors.KEY_NOT_FOUND()
    await store.delete_key(tx, caller.scope, key_id)
    await audit.record(tx, caller, "key.deleted", key_id, name=key["name"])
    notify_access_changed(tx, key["user_id"])
    notify_changed(tx, caller.team_id, "keys")
