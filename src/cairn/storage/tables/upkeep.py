"""Codebase scans and memory hygiene."""

from __future__ import annotations

from sqlalchemy import Index, Table

from cairn.storage.tables.columns import flag, metadata, number, part, primary, real, ref, text

scans = Table(
    "scans",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    text("branch"),
    text("commit_sha", null=True),
    number("max_files"),
    flag("selective"),
    text("phase"),
    real("progress"),
    number("files_total"),
    number("files_processed"),
    number("chunks_total"),
    number("chunks_processed"),
    number("findings_count"),
    text("tech_stack"),
    text("error", null=True),
    flag("cancel_requested"),
    number("started_at_ms"),
    number("completed_at_ms", null=True),
    Index("ix_scans_project_id_id", "project_id", "id"),
)

# One row for each project with a scan under way: the database itself allows one scan at a time.
running_scans = Table(
    "running_scans",
    metadata,
    primary("project_id"),
    ref("team_id"),
    ref("scan_id"),
)

findings = Table(
    "findings",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id", index=True),
    ref("scan_id", index=True),
    text("layer"),
    text("title"),
    text("content"),
    number("importance"),
    text("files"),
    text("tags"),
    number("created_at_ms"),
)

scan_files = Table(
    "scan_files",
    metadata,
    part("project_id"),
    part("path"),
    ref("team_id"),
    text("blob_hash"),
    ref("scan_id"),
)

hygiene_plans = Table(
    "hygiene_plans",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id", index=True),
    text("mode"),
    text("actions"),
    number("items_analyzed"),
    number("created_at_ms"),
    number("expires_at_ms"),
)
