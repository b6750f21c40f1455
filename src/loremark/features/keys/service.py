"""Creating and deleting API keys."""

from __future__ import annotations

from loremark.base import clock, errors, ids
from loremark.base.caller import Caller
from loremark.features.audit import store as audit
from loremark.features.keys import store
from loremark.jobs.notices import notify_access_changed, notify_changed
from loremark.storage.database import Tx
from loremark.wire.keys import KeyCreated, NewKey

KEY_PREFIX = "service_sk_"
_SHOWN_CHARS = len(KEY_PREFIX) + 6


async def create_key(tx: Tx, caller: Caller, wanted: NewKey) -> KeyCreated:
    """Create a key that acts as the caller. The full key is never shown again."""
    raw = KEY_PREFIX + ids.token(32)
    name = wanted.name.strip()
    key_id, created_at_ms = await store.create_key(tx, caller, name=name, prefix=raw[:_SHOWN_CHARS], raw=raw)
    await audit.record(tx, caller, "key.created", key_id, name=name)
    notify_changed(tx, caller.team_id, "keys")
    return KeyCreated(id=key_id, name=name, key=raw, created_at=clock.iso(created_at_ms))


async def delete_key(tx: Tx, caller: Caller, key_id: str) -> None:
    """Delete one of the caller's keys or, as owner or admin, any key of the team."""
    key = await store.find_key(tx, caller.scope, key_id)
    if key is None or (key["user_id"] != caller.user_id and not caller.manages):
        raise errors.KEY_NOT_FOUND()
    await store.delete_key(tx, caller.scope, key_id)
    await audit.record(tx, caller, "key.deleted", key_id, name=key["name"])
    notify_access_changed(tx, key["user_id"])
    notify_changed(tx, caller.team_id, "keys")
