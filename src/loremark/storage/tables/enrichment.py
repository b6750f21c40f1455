"""Enrichment: candidates between stages, model readings, branch and file state, and token reservations."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table

from loremark.storage.tables.columns import binary, flag, key_part, metadata, number, primary, ref, text

candidates = Table(
    "candidates",
    metadata,
    key_part("job_id"),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    ref("team_id"),
    ref("project_id", index=True),
    ref("event_id"),
    text("content"),
    binary("vector", null=True),
    # The item it was saved as or merged into, and which of the two.
    ref("item_id", null=True),
    text("outcome", null=True),
)

# What a language model, of the server or of a developer's coding agent, said about a session.
readings = Table(
    "readings",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    ref("session_id"),
    # Who asked their coding agent; empty for the server's model.
    ref("user_id", null=True),
    text("agent"),
    text("model"),
    text("prompt_version"),
    # ``open`` until the last part is answered, then ``answered``, then ``applied``; or ``failed``.
    text("status"),
    # The first and the last event that was read, and the items that the model was shown.
    ref("from_event"),
    ref("up_to_event"),
    text("known"),
    text("answers"),
    number("parts"),
    number("prompt_tokens"),
    number("completion_tokens"),
    text("error"),
    number("created_at_ms"),
    number("updated_at_ms"),
    Index("ix_readings_session_id_id", "session_id", "id"),
    Index("ix_readings_project_id_id", "project_id", "id"),
    Index("ix_readings_team_id_user_id_created_at_ms", "team_id", "user_id", "created_at_ms"),
)

# The items that came from readings. A model's keep rate is the share of them that reviewers approved.
reading_items = Table(
    "reading_items",
    metadata,
    key_part("project_id"),
    key_part("item_id"),
    ref("team_id"),
    ref("session_id"),
    text("model"),
    text("prompt_version"),
    Index("ix_reading_items_session_id", "session_id"),
)

branch_commits = Table(
    "branch_commits",
    metadata,
    key_part("project_id"),
    key_part("branch"),
    key_part("sha"),
    ref("team_id"),
    # Ordered by event, then by commit: the last one is the branch head as far as we know.
    ref("event_id"),
    number("position"),
    Index("ix_branch_commits_project_id_sha", "project_id", "sha"),
)

file_states = Table(
    "file_states",
    metadata,
    key_part("project_id"),
    key_part("path"),
    ref("team_id"),
    text("fingerprint", null=True),
    flag("deleted"),
    ref("event_id"),
    number("updated_at_ms"),
)

ai_reservations = Table(
    "ai_reservations",
    metadata,
    primary(),
    ref("team_id", index=True),
    ref("project_id", null=True, index=True),
    number("tokens"),
    number("expires_at_ms"),
)
