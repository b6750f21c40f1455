"""Projects and their members."""

from __future__ import annotations

from sqlalchemy import Index, Table

from loremark.storage.tables.columns import flag, key_part, metadata, number, primary, real, ref, text

projects = Table(
    "projects",
    metadata,
    primary(),
    ref("team_id", "teams.id"),
    text("name"),
    text("description"),
    text("visibility"),
    text("status"),
    text("ai_tier", null=True),
    text("repo_url", null=True),
    text("repo_host_username", null=True),
    text("repo_token_sealed", null=True),
    flag("deep_enrich_enabled"),
    real("auto_approve_threshold"),
    # Whether briefings and answers may use drafts and what sessions say, marked as unreviewed.
    flag("show_unreviewed", default=True),
    flag("briefings_enabled", default=True),
    # After how many days data is deleted; null for never.
    number("event_retention_days", null=True),
    number("session_retention_days", null=True),
    number("chat_retention_days", null=True),
    text("hmac_secret_sealed"),
    text("hmac_previous_sealed", null=True),
    number("hmac_previous_until_ms", null=True),
    number("memory_version"),
    number("index_version"),
    number("created_at_ms"),
    number("updated_at_ms"),
    number("deleted_at_ms", null=True),
    Index("ix_projects_team_id_id", "team_id", "id"),
)

project_members = Table(
    "project_members",
    metadata,
    key_part("project_id"),
    key_part("user_id"),
    ref("team_id"),
    # Sorts by joining time, so pagination can continue after a member who has been removed.
    ref("joined_id"),
    text("role"),
    number("joined_at_ms"),
    Index("ix_project_members_team_id_user_id", "team_id", "user_id"),
    Index("ix_project_members_project_id_joined_id", "project_id", "joined_id"),
)
