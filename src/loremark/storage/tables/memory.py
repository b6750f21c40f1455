"""Items with their files, vectors and revisions, and contexts."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table, UniqueConstraint

from loremark.storage.tables.columns import binary, flag, key_part, metadata, number, primary, real, ref, text

items = Table(
    "items",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id"),
    text("title"),
    text("content"),
    text("type"),
    text("schema_key"),
    text("status"),
    real("confidence"),
    number("tier"),
    text("source_ref", null=True),
    ref("session_id", null=True),
    text("branch", null=True),
    number("merged_at_ms", null=True),
    text("tags"),
    text("evidence"),
    text("flags"),
    text("content_hash"),
    number("token_count"),
    ref("superseded_by", null=True),
    text("merged_from"),
    number("version"),
    number("created_at_ms"),
    number("updated_at_ms"),
    # Whether a person has approved this text.
    flag("reviewed", default=False),
    Index("ix_items_project_id_id", "project_id", "id"),
    # The last three columns let the index alone answer counts over many projects.
    Index("ix_items_project_id_status_tier", "project_id", "status", "tier", "flags", "token_count", "created_at_ms"),
    Index("ix_items_project_id_schema_key", "project_id", "schema_key"),
    Index("ix_items_project_id_content_hash", "project_id", "content_hash"),
    Index("ix_items_session_id", "session_id"),
    Index("ix_items_project_id_superseded_by", "project_id", "superseded_by"),
)

item_files = Table(
    "item_files",
    metadata,
    key_part("project_id"),
    key_part("item_id"),
    key_part("path"),
    ref("team_id"),
    text("fingerprint", null=True),
    Index("ix_item_files_project_id_path", "project_id", "path"),
)

item_vectors = Table(
    "item_vectors",
    metadata,
    key_part("project_id"),
    key_part("item_id"),
    key_part("model"),
    ref("team_id"),
    text("text_hash"),
    binary("vector"),
    sqlite_with_rowid=False,
)

# Queue of items whose vector is missing or outdated.
items_to_embed = Table(
    "items_to_embed",
    metadata,
    key_part("project_id"),
    key_part("item_id"),
    ref("team_id"),
)

item_conflicts = Table(
    "item_conflicts",
    metadata,
    key_part("project_id"),
    key_part("item_id"),
    key_part("other_id"),
    ref("team_id"),
    text("reason"),
    number("found_at_ms"),
    number("resolved_at_ms", null=True),
)

# Vectors by text hash, so the same text is embedded only once.
vector_cache = Table(
    "vector_cache",
    metadata,
    key_part("project_id"),
    key_part("model"),
    key_part("text_hash"),
    ref("team_id"),
    binary("vector"),
    sqlite_with_rowid=False,
)

contexts = Table(
    "contexts",
    metadata,
    primary(),
    ref("team_id"),
    ref("project_id", null=True),
    text("project_key"),
    ref("parent_id", null=True),
    text("name"),
    text("description"),
    text("content"),
    text("schema_key"),
    text("state"),
    number("tier"),
    text("context_type"),
    number("token_count"),
    number("version"),
    number("created_at_ms"),
    number("updated_at_ms"),
    UniqueConstraint("team_id", "project_key", "schema_key"),
    Index("ix_contexts_project_id", "project_id"),
    Index("ix_contexts_parent_id", "parent_id"),
)

revisions = Table(
    "revisions",
    metadata,
    key_part("record_id"),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    ref("team_id"),
    ref("project_id", null=True),
    text("record_kind"),
    text("snapshot"),
    text("reason"),
    ref("actor_id", null=True),
    number("created_at_ms"),
    Index("ix_revisions_project_id_created_at_ms", "project_id", "created_at_ms"),
)
