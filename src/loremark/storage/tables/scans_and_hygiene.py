"""Codebase scans and memory hygiene."""

from __future__ import annotations

from sqlalchemy import Index, Table

from loremark.storage.tables.columns import flag, key_part, metadata, number, primary, real, ref, text

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
    # Remarks for the user: skipped files and why, model failures.
    text("notes"),
    # The engine that produced the facts; facts of another engine are not reused.
    text("engine"),
    # The scan that a selective scan is based on.
    ref("base_scan_id", null=True),
    ref("job_id"),
    flag("cancel_requested"),
    number("started_at_ms"),
    number("completed_at_ms", null=True),
    # The import graph as JSON; last, because it is rarely read.
    text("imports", null=True),
    Index("ix_scans_project_id_id", "project_id", "id"),
)

# One row per project with a running scan; the primary key prevents concurrent scans.
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
    ref("scan_id"),
    # The source: the codebase analysis, the audit, or a model's reading of a chunk.
    text("origin"),
    text("layer"),
    text("title"),
    text("content"),
    number("importance"),
    text("files"),
    text("tags"),
    number("created_at_ms"),
    Index("ix_findings_scan_id_origin", "scan_id", "origin"),
)

scan_files = Table(
    "scan_files",
    metadata,
    key_part("scan_id"),
    key_part("path"),
    ref("team_id"),
    ref("project_id", index=True),
    text("blob_hash"),
    # Files of a chunk are analyzed together. Negative: reused from the base scan.
    number("chunk"),
    # The facts found in it, as JSON; null until analyzed.
    text("facts", null=True),
    Index("ix_scan_files_scan_id_chunk", "scan_id", "chunk"),
)

hygiene_plans = Table(
    "hygiene_plans",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id", index=True),
    text("mode"),
    text("actions"),
    # The version of each item when the plan was made.
    text("versions"),
    number("items_analyzed"),
    number("created_at_ms"),
    number("expires_at_ms"),
    Index("ix_hygiene_plans_expires_at_ms", "expires_at_ms"),
)
