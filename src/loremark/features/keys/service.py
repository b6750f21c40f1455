"""Making and ending API keys."""

from __future__ import annotations

from loremark.base import clock, errors, ids
from loremark.base.caller import Caller
from loremark.features.audit import store as audit
from loremark.features.keys import store
from loremark.jobs.notices import tell_access_changed, tell_changed
from loremark.storage.database import Tx
from loremark.wire.keys import KeyCreated, NewKey

KEY_PREFIX = "service_sk_"
_SHOWN_CHARS = len(KEY_PREFIX) + 6


async def create_key(tx: Tx, caller: Caller, wanted: NewKey) -> KeyCreated:
    """A new key that acts as the caller; this answer is the only place where it is ever shown."""
    raw = KEY_PREFIX + ids.token(32)
    name = wanted.name.strip()
    key_id, created_at_ms = await store.create_key(tx, caller, name=name, prefix=raw[:_SHOWN_CHARS], raw=raw)
    await audit.record(tx, caller, "key.created", key_id, name=name)
    tell_changed(tx, caller.team_id, "keys")
    return KeyCreated(id=key_id, name=name, key=raw, created_at=clock.iso(created_at_ms))


async def delete_key(tx: Tx, caller: Caller, key_id: str) -> None:
    """End a key at once: one's own, or as owner or admin anyone's of the team."""
    key = await store.find_key(tx, caller.scope, key_id)
    if key is None or (key["user_id"] != caller.user_id and not caller.manages):
        raise errors.KEY_NOT_FOUND()
    await store.delete_key(tx, caller.scope, key_id)
    await audit.record(tx, caller, "key.deleted", key_id, name=key["name"])
    tell_access_changed(tx, key["user_id"])
    tell_changed(tx, caller.team_id, "keys")
