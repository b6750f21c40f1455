"""Deletes the chats of a deleted project and releases their storage."""

from __future__ import annotations

from loremark.base.caller import Scope
from loremark.features.chats import store
from loremark.features.metering.service import count_chat_storage
from loremark.storage.database import Tx


async def clear_chats(tx: Tx, project_id: str, most: int) -> int:
    """Delete up to ``most`` chats and release their storage; return the number deleted."""
    deleted = await store.delete_some(tx, project_id, most)
    if deleted:
        scope = Scope(deleted[0]["team_id"])
        await count_chat_storage(tx, scope, -sum(row["storage_tokens"] for row in deleted))
    return len(deleted)
