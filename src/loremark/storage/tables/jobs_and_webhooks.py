"""Jobs, the outbox, webhooks and their deliveries."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table

from loremark.storage.tables.columns import Id, flag, metadata, number, primary, ref, text

jobs = Table(
    "jobs",
    metadata,
    primary(),
    ref("team_id", null=True),
    ref("project_id", null=True, index=True),
    ref("session_id", null=True, index=True),
    text("kind"),
    # Team and kind: jobs queue only behind others of the same lane.
    Column("lane", Id, nullable=False),
    text("payload"),
    text("status"),
    text("stages"),
    number("attempt"),
    number("max_attempts"),
    number("run_at_ms"),
    number("lease_until_ms", null=True),
    text("lease_owner", null=True),
    flag("cancel_requested"),
    text("error", null=True),
    text("result", null=True),
    ref("retried_from", null=True),
    number("created_at_ms"),
    number("started_at_ms", null=True),
    number("finished_at_ms", null=True),
    Index("ix_jobs_lane", "status", "lane", "run_at_ms"),
    Index("ix_jobs_lease", "status", "lease_until_ms"),
)

outbox = Table(
    "outbox",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id", null=True, index=True),
    text("type"),
    text("data"),
    number("created_at_ms"),
)

webhooks = Table(
    "webhooks",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    text("url"),
    text("events"),
    text("secret_sealed", null=True),
    text("status"),
    number("consecutive_failures"),
    number("created_at_ms"),
    number("updated_at_ms"),
    Index("ix_webhooks_project_id_id", "project_id", "id"),
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id", index=True),
    ref("webhook_id"),
    ref("event_id"),
    text("type"),
    text("body"),
    text("status"),
    number("attempts"),
    number("response_status", null=True),
    text("error", null=True),
    number("next_attempt_ms", null=True),
    number("created_at_ms"),
    number("delivered_at_ms", null=True),
    Index("ix_webhook_deliveries_webhook_id_id", "webhook_id", "id"),
)
