"""Conversations with the memory."""

from __future__ import annotations

from sqlalchemy import Index, Table

from cairn.storage.tables.columns import metadata, number, part, primary, ref, text

chats = Table(
    "chats",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    ref("user_id"),
    text("title"),
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
