"""Retrieval: what ranks items, what the brains were last, and conversations with the memory."""

from __future__ import annotations

from sqlalchemy import Index, Table

from loremark.storage.tables.columns import binary, metadata, number, part, primary, real, ref, text

# What ranks an item, without its text. An item that has gone keeps its row for a while (status ``gone``), so that
# every process which knows it hears of it.
item_index = Table(
    "item_index",
    metadata,
    part("project_id"),
    part("item_id"),
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

# The entity tag of each brain that was asked for, at a version of the memory.
brains = Table(
    "brains",
    metadata,
    part("project_id"),
    part("variant"),
    ref("team_id"),
    number("memory_version"),
    text("etag"),
    number("item_count"),
    number("updated_at_ms"),
)

# Projects whose memory has changed since their brain was last looked at.
memory_touched = Table(
    "memory_touched",
    metadata,
    primary("project_id"),
    ref("team_id"),
)

# Tickets that are being answered: each has one stream at a time, in whichever process.
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
    # The title's words made comparable, for the search.
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
    part("chat_id"),
    part("user_id"),
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
