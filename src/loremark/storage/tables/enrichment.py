"""On the way from events to items: candidates between the stages, what is known of branches and files, spending."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table

from loremark.storage.tables.columns import binary, flag, metadata, number, part, primary, ref, text

candidates = Table(
    "candidates",
    metadata,
    part("job_id"),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    ref("team_id"),
    ref("project_id", index=True),
    ref("event_id"),
    text("content"),
    binary("vector", null=True),
    # The item it became or was merged into, and whether it is new.
    ref("item_id", null=True),
    text("outcome", null=True),
)

branch_commits = Table(
    "branch_commits",
    metadata,
    part("project_id"),
    part("branch"),
    part("sha"),
    ref("team_id"),
    # Events in their order, and commits in theirs: the newest is the branch's head as far as we know.
    ref("event_id"),
    number("position"),
    Index("ix_branch_commits_project_id_sha", "project_id", "sha"),
)

file_states = Table(
    "file_states",
    metadata,
    part("project_id"),
    part("path"),
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
