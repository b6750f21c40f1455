"""Codebase scans and memory hygiene."""

from __future__ import annotations

from sqlalchemy import Index, Table

from loremark.storage.tables.columns import flag, metadata, number, part, primary, real, ref, text

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
    # What else is to be told of it: files left out and why, a model that failed.
    text("notes"),
    # What its facts were made by; those of another engine are not carried over.
    text("engine"),
    # The scan that a selective one goes on from.
    ref("after_scan_id", null=True),
    ref("job_id"),
    flag("cancel_requested"),
    number("started_at_ms"),
    number("completed_at_ms", null=True),
    # The picture of what imports what, as JSON; last, since few read it.
    text("imports", null=True),
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
    ref("scan_id"),
    # Where it comes from: a look at all files, the audit, or a model's look at a chunk of them.
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
    part("scan_id"),
    part("path"),
    ref("team_id"),
    ref("project_id", index=True),
    text("blob_hash"),
    # The files of a chunk are read together; below zero: it was carried over, nobody has to read it.
    number("chunk"),
    # What was found in it, as JSON; null until then.
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
    # The version of each item that the plan is about, as the plan knows it.
    text("versions"),
    number("items_analyzed"),
    number("created_at_ms"),
    number("expires_at_ms"),
    Index("ix_hygiene_plans_expires_at_ms", "expires_at_ms"),
)
