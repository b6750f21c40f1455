"""What is left of a deleted project's conversations: nothing, and what they held is the team's again."""

from __future__ import annotations

from loremark.base.caller import Scope
from loremark.features.chats import store
from loremark.features.metering.service import count_chat_storage
from loremark.storage.database import Tx


async def clear_chats(tx: Tx, project_id: str, most: int) -> int:
    """Up to so many of them, and their storage in the same transaction; returns how many."""
    gone = await store.delete_some(tx, project_id, most)
    if gone:
        scope = Scope(gone[0]["team_id"])
        await count_chat_storage(tx, scope, -sum(row["storage_tokens"] for row in gone))
    return len(gone)
