"""Recall: the turns of sessions and the commits of digests, as they were said, with their search index."""

from __future__ import annotations

from sqlalchemy import Index, Table

from loremark.storage.tables.columns import binary, key_part, metadata, number, primary, ref, text

# What was said, without secrets. An event without text has one empty row, which marks it as read.
turns = Table(
    "turns",
    metadata,
    key_part("project_id"),
    key_part("id"),
    ref("team_id"),
    ref("session_id"),
    ref("event_id"),
    text("kind"),
    # The end of what was said before it in the session.
    text("before"),
    text("messages"),
    text("files"),
    text("commands"),
    text("agent"),
    text("branch", null=True),
    text("commit_sha", null=True),
    number("said_at_ms"),
    Index("ix_turns_project_id_session_id_id", "project_id", "session_id", "id"),
    Index("ix_turns_project_id_event_id", "project_id", "event_id"),
)

# Ranking data of turns, apart from their text, so that loading a project's index reads no text.
turn_index = Table(
    "turn_index",
    metadata,
    key_part("project_id"),
    key_part("turn_id"),
    ref("team_id"),
    number("version"),
    ref("session_id"),
    text("kind"),
    text("branch", null=True),
    number("said_at_ms"),
    binary("terms"),
    text("model", null=True),
    binary("vector", null=True),
    Index("ix_turn_index_project_id_version", "project_id", "version"),
    Index("ix_turn_index_project_id_session_id", "project_id", "session_id"),
    sqlite_with_rowid=False,
)

# Queue of turns whose vector is missing or of another model, newest first.
turns_to_embed = Table(
    "turns_to_embed",
    metadata,
    key_part("turn_id"),
    ref("team_id"),
    ref("project_id", index=True),
)

# The version of a project's turns, and the version of the last deletion: an index older than that is loaded again.
recall_versions = Table(
    "recall_versions",
    metadata,
    primary("project_id"),
    ref("team_id"),
    number("version"),
    number("deleted_at_version"),
)
