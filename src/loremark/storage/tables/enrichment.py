"""Enrichment: candidates between stages, branch and file state, and token reservations."""

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
