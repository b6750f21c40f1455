"""The search index, brain ETags, and chats."""

from __future__ import annotations

from sqlalchemy import Index, Table

from loremark.storage.tables.columns import binary, key_part, metadata, number, primary, real, ref, text

# Ranking data of items, without their text. A deleted item keeps its row for a while (status ``gone``), so every
# process can remove it from its in-memory index.
item_index = Table(
    "item_index",
    metadata,
    key_part("project_id"),
    key_part("item_id"),
    ref("team_id"),
    number("version"),
    text("status"),
    text("type"),
    text("schema_key"),
    ref("session_id", null=True),
    text("branch", null=True),
    number("created_at_ms"),
    real("confidence"),
    binary("terms"),
    Index("ix_item_index_project_id_version", "project_id", "version"),
    sqlite_with_rowid=False,
)

# The ETag of each requested brain variant, at a memory version.
brains = Table(
    "brains",
    metadata,
    key_part("project_id"),
    key_part("variant"),
    ref("team_id"),
    number("memory_version"),
    text("etag"),
    number("item_count"),
    number("updated_at_ms"),
)

# Projects whose memory has changed since their brain was last checked.
brains_to_check = Table(
    "brains_to_check",
    metadata,
    primary("project_id"),
    ref("team_id"),
)

# Ask tickets being answered: each has at most one stream at a time across all processes.
answer_streams = Table(
    "answer_streams",
    metadata,
    primary("ticket"),
    ref("team_id"),
    ref("project_id", index=True),
    number("expires_at_ms"),
)

chats = Table(
    "chats",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    ref("user_id"),
    text("title"),
    # The normalized words of the title, for search.
    text("title_words"),
    text("status"),
    text("model", null=True),
    number("message_count"),
    number("ai_tokens_used"),
    number("storage_tokens"),
    number("last_message_at_ms"),
    number("created_at_ms"),
    Index("ix_chats_project_id_last_message_at_ms", "project_id", "last_message_at_ms"),
)

chat_favorites = Table(
    "chat_favorites",
    metadata,
    key_part("chat_id"),
    key_part("user_id"),
    ref("team_id"),
    ref("project_id", index=True),
    number("created_at_ms"),
)

chat_messages = Table(
    "chat_messages",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id", index=True),
    ref("chat_id"),
    text("role"),
    text("content"),
    text("sources"),
    number("prompt_tokens"),
    number("completion_tokens"),
    text("model", null=True),
    number("created_at_ms"),
    Index("ix_chat_messages_chat_id_id", "chat_id", "id"),
)
