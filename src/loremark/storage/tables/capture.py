"""Capture sessions, their events, and blobs."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, Table

from loremark.storage.tables.columns import key_part, metadata, number, primary, ref, text

sessions = Table(
    "sessions",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    text("source"),
    text("status"),
    number("event_count"),
    number("items_extracted"),
    text("enrichment_model", null=True),
    number("last_event_ms"),
    number("created_at_ms"),
    number("completed_at_ms", null=True),
    Index("ix_sessions_project_id_id", "project_id", "id"),
    Index("ix_sessions_open", "project_id", "source", "status", "last_event_ms", "event_count"),
    Index("ix_sessions_status_last_event_ms", "status", "last_event_ms"),
)

events = Table(
    "events",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    ref("session_id"),
    text("event"),
    text("payload"),
    # SHA-256 of project, event and payload: globally unique, and small in the index.
    Column("content_hash", LargeBinary, nullable=False, unique=True),
    number("size_bytes"),
    number("created_at_ms"),
    ref("enriched_by", null=True),
    # Who sent it; null if only the project's signature vouches for it.
    ref("actor_id", null=True),
    Index("ix_events_session_id_id", "session_id", "id"),
    Index("ix_events_project_id_id", "project_id", "id"),
)

blobs = Table(
    "blobs",
    metadata,
    key_part("project_id"),
    key_part("sha256"),
    ref("team_id"),
    number("size_bytes"),
    number("created_at_ms"),
)

# Which events refer to a blob, so that deleting events finds the blobs that nothing needs any more.
event_blobs = Table(
    "event_blobs",
    metadata,
    key_part("project_id"),
    key_part("sha256"),
    key_part("event_id"),
    ref("team_id"),
    Index("ix_event_blobs_project_id_event_id", "project_id", "event_id"),
)
