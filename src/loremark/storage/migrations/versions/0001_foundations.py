"""The whole data model, as first laid down."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "audit_entries",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=True),
        sa.Column("actor_id", ID, nullable=False),
        sa.Column("actor_name", sa.Text(), nullable=False),
        sa.Column("auth_method", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("ip_address", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
    )
    op.create_index("ix_audit_entries_team_id_id", "audit_entries", ["team_id", "id"], unique=False)
    op.create_table(
        "billing_accounts",
        sa.Column("team_id", ID, nullable=False),
        sa.Column("balance", sa.BigInteger(), nullable=False),
        sa.Column("recharge_enabled", sa.Boolean(), nullable=False),
        sa.Column("recharge_threshold", sa.BigInteger(), nullable=True),
        sa.Column("recharge_pack_id", sa.Text(), nullable=True),
        sa.Column("spending_limit_cents", sa.BigInteger(), nullable=False),
        sa.Column("recharge_paused", sa.Boolean(), nullable=False),
        sa.Column("pending_recharge_id", sa.Text(), nullable=True),
        sa.Column("pending_recharge_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("recharge_spent_cents", sa.BigInteger(), nullable=False),
        sa.Column("recharge_period_ms", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("provider_customer", sa.Text(), nullable=True),
        sa.Column("provider_subscription", sa.Text(), nullable=True),
        sa.Column("plan_id", sa.Text(), nullable=True),
        sa.Column("seats", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("subscribed_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("period_start_ms", sa.BigInteger(), nullable=True),
        sa.Column("period_end_ms", sa.BigInteger(), nullable=True),
        sa.Column("cancel_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("team_id", name=op.f("pk_billing_accounts")),
        sa.UniqueConstraint("provider_customer", name=op.f("uq_billing_accounts_provider_customer")),
    )
    op.create_index(
        "ix_billing_accounts_recharge_enabled_team_id",
        "billing_accounts",
        ["recharge_enabled", "team_id"],
        unique=False,
    )
    op.create_index("ix_billing_accounts_period_end_ms", "billing_accounts", ["period_end_ms"], unique=False)
    op.create_table(
        "blobs",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("sha256", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "sha256", name=op.f("pk_blobs")),
    )
    op.create_table(
        "answer_streams",
        sa.Column("ticket", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("ticket", name=op.f("pk_answer_streams")),
    )
    op.create_index(op.f("ix_answer_streams_project_id"), "answer_streams", ["project_id"], unique=False)
    op.create_table(
        "brains",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("variant", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("memory_version", sa.BigInteger(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("item_count", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "variant", name=op.f("pk_brains")),
    )
    op.create_table(
        "brains_to_check",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_brains_to_check")),
    )
    op.create_table(
        "item_index",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("schema_key", sa.Text(), nullable=False),
        sa.Column("session_id", ID, nullable=True),
        sa.Column("branch", sa.Text(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("confidence", sa.Float(53), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "item_id", name=op.f("pk_item_index")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_item_index_project_id_version", "item_index", ["project_id", "version"], unique=False)
    op.create_table(
        "chat_favorites",
        sa.Column("chat_id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "user_id", name=op.f("pk_chat_favorites")),
    )
    op.create_index(op.f("ix_chat_favorites_project_id"), "chat_favorites", ["project_id"], unique=False)
    op.create_table(
        "chat_messages",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("chat_id", ID, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_messages")),
    )
    op.create_index("ix_chat_messages_chat_id_id", "chat_messages", ["chat_id", "id"], unique=False)
    op.create_index(op.f("ix_chat_messages_project_id"), "chat_messages", ["project_id"], unique=False)
    op.create_table(
        "chats",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_words", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("message_count", sa.BigInteger(), nullable=False),
        sa.Column("ai_tokens_used", sa.BigInteger(), nullable=False),
        sa.Column("storage_tokens", sa.BigInteger(), nullable=False),
        sa.Column("last_message_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chats")),
    )
    op.create_index(
        "ix_chats_project_id_last_message_at_ms", "chats", ["project_id", "last_message_at_ms"], unique=False
    )
    op.create_table(
        "contexts",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=True),
        sa.Column("project_key", sa.Text(), nullable=False),
        sa.Column("parent_id", ID, nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("schema_key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tier", sa.BigInteger(), nullable=False),
        sa.Column("context_type", sa.Text(), nullable=False),
        sa.Column("token_count", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contexts")),
        sa.UniqueConstraint(
            "team_id", "project_key", "schema_key", name=op.f("uq_contexts_team_id_project_key_schema_key")
        ),
    )
    op.create_index("ix_contexts_parent_id", "contexts", ["parent_id"], unique=False)
    op.create_index("ix_contexts_project_id", "contexts", ["project_id"], unique=False)
    op.create_table(
        "credit_transactions",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("price_cents", sa.BigInteger(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credit_transactions")),
        sa.UniqueConstraint("reference", name=op.f("uq_credit_transactions_reference")),
    )
    op.create_index(
        "ix_credit_transactions_team_id_created_at_ms",
        "credit_transactions",
        ["team_id", "created_at_ms", "id"],
        unique=False,
    )
    op.create_table(
        "events",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("session_id", ID, nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("enriched_by", ID, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("content_hash", name=op.f("uq_events_content_hash")),
    )
    op.create_index("ix_events_project_id", "events", ["project_id"], unique=False)
    op.create_index("ix_events_session_id_id", "events", ["session_id", "id"], unique=False)
    op.create_table(
        "findings",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("scan_id", ID, nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("layer", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("importance", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_findings")),
    )
    op.create_index(op.f("ix_findings_project_id"), "findings", ["project_id"], unique=False)
    op.create_index("ix_findings_scan_id_origin", "findings", ["scan_id", "origin"], unique=False)
    op.create_table(
        "hygiene_plans",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("actions", sa.Text(), nullable=False),
        sa.Column("versions", sa.Text(), nullable=False),
        sa.Column("items_analyzed", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hygiene_plans")),
    )
    op.create_index("ix_hygiene_plans_expires_at_ms", "hygiene_plans", ["expires_at_ms"], unique=False)
    op.create_index(op.f("ix_hygiene_plans_project_id"), "hygiene_plans", ["project_id"], unique=False)
    op.create_table(
        "installation",
        sa.Column("name", ID, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_installation")),
    )
    op.create_table(
        "item_files",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("path", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("project_id", "item_id", "path", name=op.f("pk_item_files")),
    )
    op.create_index("ix_item_files_project_id_path", "item_files", ["project_id", "path"], unique=False)
    op.create_table(
        "item_vectors",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("model", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "item_id", "model", name=op.f("pk_item_vectors")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "items_to_embed",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.PrimaryKeyConstraint("project_id", "item_id", name=op.f("pk_items_to_embed")),
    )
    op.create_table(
        "item_conflicts",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("other_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("found_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "item_id", "other_id", name=op.f("pk_item_conflicts")),
    )
    op.create_table(
        "vector_cache",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("model", ID, nullable=False),
        sa.Column("text_hash", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "model", "text_hash", name=op.f("pk_vector_cache")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "candidates",
        sa.Column("job_id", ID, nullable=False),
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("event_id", ID, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.Column("item_id", ID, nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("job_id", "position", name=op.f("pk_candidates")),
    )
    op.create_index(op.f("ix_candidates_project_id"), "candidates", ["project_id"], unique=False)
    op.create_table(
        "branch_commits",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("branch", ID, nullable=False),
        sa.Column("sha", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("event_id", ID, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "branch", "sha", name=op.f("pk_branch_commits")),
    )
    op.create_index("ix_branch_commits_project_id_sha", "branch_commits", ["project_id", "sha"], unique=False)
    op.create_table(
        "file_states",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("path", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("event_id", ID, nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "path", name=op.f("pk_file_states")),
    )
    op.create_table(
        "ai_reservations",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=True),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_reservations")),
    )
    op.create_index(op.f("ix_ai_reservations_team_id"), "ai_reservations", ["team_id"], unique=False)
    op.create_index(op.f("ix_ai_reservations_project_id"), "ai_reservations", ["project_id"], unique=False)
    op.create_table(
        "items",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("schema_key", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(precision=53), nullable=False),
        sa.Column("tier", sa.BigInteger(), nullable=False),
        sa.Column("source_ref", sa.Text(), nullable=True),
        sa.Column("session_id", ID, nullable=True),
        sa.Column("branch", sa.Text(), nullable=True),
        sa.Column("merged_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("flags", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("token_count", sa.BigInteger(), nullable=False),
        sa.Column("superseded_by", ID, nullable=True),
        sa.Column("merged_from", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
    )
    op.create_index("ix_items_project_id_content_hash", "items", ["project_id", "content_hash"], unique=False)
    op.create_index("ix_items_project_id_id", "items", ["project_id", "id"], unique=False)
    op.create_index("ix_items_project_id_schema_key", "items", ["project_id", "schema_key"], unique=False)
    op.create_index(
        "ix_items_project_id_status_tier",
        "items",
        ["project_id", "status", "tier", "flags", "token_count", "created_at_ms"],
        unique=False,
    )
    op.create_index("ix_items_session_id", "items", ["session_id"], unique=False)
    op.create_index("ix_items_project_id_superseded_by", "items", ["project_id", "superseded_by"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=True),
        sa.Column("project_id", ID, nullable=True),
        sa.Column("session_id", ID, nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("lane", ID, nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("stages", sa.Text(), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("max_attempts", sa.BigInteger(), nullable=False),
        sa.Column("run_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("lease_until_ms", sa.BigInteger(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("retried_from", ID, nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("finished_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index("ix_jobs_lane", "jobs", ["status", "lane", "run_at_ms"], unique=False)
    op.create_index("ix_jobs_lease", "jobs", ["status", "lease_until_ms"], unique=False)
    op.create_index(op.f("ix_jobs_project_id"), "jobs", ["project_id"], unique=False)
    op.create_index(op.f("ix_jobs_session_id"), "jobs", ["session_id"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=True),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_project_id"), "outbox", ["project_id"], unique=False)
    op.create_table(
        "payment_events",
        sa.Column("id", ID, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("occurred_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("received_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_events")),
    )
    op.create_table(
        "project_members",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("joined_id", ID, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("joined_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "user_id", name=op.f("pk_project_members")),
    )
    op.create_index(
        "ix_project_members_project_id_joined_id", "project_members", ["project_id", "joined_id"], unique=False
    )
    op.create_index("ix_project_members_team_id_user_id", "project_members", ["team_id", "user_id"], unique=False)
    op.create_table(
        "revisions",
        sa.Column("record_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=True),
        sa.Column("record_kind", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("actor_id", ID, nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("record_id", "version", name=op.f("pk_revisions")),
    )
    op.create_index("ix_revisions_project_id_created_at_ms", "revisions", ["project_id", "created_at_ms"], unique=False)
    op.create_table(
        "running_scans",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("scan_id", ID, nullable=False),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_running_scans")),
    )
    op.create_table(
        "scan_files",
        sa.Column("scan_id", ID, nullable=False),
        sa.Column("path", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("blob_hash", sa.Text(), nullable=False),
        sa.Column("chunk", sa.BigInteger(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("scan_id", "path", name=op.f("pk_scan_files")),
    )
    op.create_index(op.f("ix_scan_files_project_id"), "scan_files", ["project_id"], unique=False)
    op.create_index("ix_scan_files_scan_id_chunk", "scan_files", ["scan_id", "chunk"], unique=False)
    op.create_table(
        "scans",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("commit_sha", sa.Text(), nullable=True),
        sa.Column("max_files", sa.BigInteger(), nullable=False),
        sa.Column("selective", sa.Boolean(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("progress", sa.Float(precision=53), nullable=False),
        sa.Column("files_total", sa.BigInteger(), nullable=False),
        sa.Column("files_processed", sa.BigInteger(), nullable=False),
        sa.Column("chunks_total", sa.BigInteger(), nullable=False),
        sa.Column("chunks_processed", sa.BigInteger(), nullable=False),
        sa.Column("findings_count", sa.BigInteger(), nullable=False),
        sa.Column("tech_stack", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("base_scan_id", ID, nullable=True),
        sa.Column("job_id", ID, nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("completed_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("imports", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scans")),
    )
    op.create_index("ix_scans_project_id_id", "scans", ["project_id", "id"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("event_count", sa.BigInteger(), nullable=False),
        sa.Column("items_extracted", sa.BigInteger(), nullable=False),
        sa.Column("enrichment_model", sa.Text(), nullable=True),
        sa.Column("last_event_ms", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("completed_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
    )
    op.create_index(
        "ix_sessions_open", "sessions", ["project_id", "source", "status", "last_event_ms", "event_count"], unique=False
    )
    op.create_index("ix_sessions_project_id_id", "sessions", ["project_id", "id"], unique=False)
    op.create_index("ix_sessions_status_last_event_ms", "sessions", ["status", "last_event_ms"], unique=False)
    op.create_table(
        "teams",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("seats", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
    )
    op.create_table(
        "usage_counters",
        sa.Column("team_id", ID, nullable=False),
        sa.Column("period", ID, nullable=False),
        sa.Column("counter", ID, nullable=False),
        sa.Column("slot", ID, nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("team_id", "period", "counter", "slot", name=op.f("pk_usage_counters")),
    )
    op.create_table(
        "users",
        sa.Column("id", ID, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("email_key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email_key", name=op.f("uq_users_email_key")),
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("webhook_id", ID, nullable=False),
        sa.Column("event_id", ID, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("response_status", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("next_attempt_ms", sa.BigInteger(), nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("delivered_at_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
    )
    op.create_index(op.f("ix_webhook_deliveries_project_id"), "webhook_deliveries", ["project_id"], unique=False)
    op.create_index("ix_webhook_deliveries_webhook_id_id", "webhook_deliveries", ["webhook_id", "id"], unique=False)
    op.create_table(
        "webhooks",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("secret_sealed", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("consecutive_failures", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_index("ix_webhooks_project_id_id", "webhooks", ["project_id", "id"], unique=False)
    op.create_table(
        "api_keys",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_used_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_api_keys_team_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_api_keys_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_api_keys_key_hash")),
    )
    op.create_index("ix_api_keys_team_id_user_id", "api_keys", ["team_id", "user_id"], unique=False)
    op.create_table(
        "invitations",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("email_key", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("invited_by", ID, nullable=False),
        sa.Column("invited_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_invitations_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("team_id", "email_key", name=op.f("uq_invitations_team_id_email_key")),
    )
    op.create_table(
        "invitation_projects",
        sa.Column("invitation_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("invitation_id", "project_id", name=op.f("pk_invitation_projects")),
    )
    op.create_index("ix_invitation_projects_project_id", "invitation_projects", ["project_id"], unique=False)
    op.create_table(
        "logins",
        sa.Column("id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_logins_team_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_logins_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_logins")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_logins_token_hash")),
    )
    op.create_index("ix_logins_user_id_team_id", "logins", ["user_id", "team_id"], unique=False)
    op.create_table(
        "projects",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("visibility", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("ai_tier", sa.Text(), nullable=True),
        sa.Column("repo_url", sa.Text(), nullable=True),
        sa.Column("repo_host_username", sa.Text(), nullable=True),
        sa.Column("repo_token_sealed", sa.Text(), nullable=True),
        sa.Column("deep_enrich_enabled", sa.Boolean(), nullable=False),
        sa.Column("auto_approve_threshold", sa.Float(precision=53), nullable=False),
        sa.Column("hmac_secret_sealed", sa.Text(), nullable=False),
        sa.Column("hmac_previous_sealed", sa.Text(), nullable=True),
        sa.Column("hmac_previous_until_ms", sa.BigInteger(), nullable=True),
        sa.Column("memory_version", sa.BigInteger(), nullable=False),
        sa.Column("index_version", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_projects_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
    )
    op.create_index("ix_projects_team_id_id", "projects", ["team_id", "id"], unique=False)
    op.create_table(
        "signin_links",
        sa.Column("id", ID, nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("user_id", ID, nullable=True),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("used_at_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_signin_links_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signin_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_signin_links_token_hash")),
    )
    op.create_table(
        "team_members",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("joined_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_team_members_team_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_team_members_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team_members")),
        sa.UniqueConstraint("team_id", "user_id", name=op.f("uq_team_members_team_id_user_id")),
    )
    op.create_index(op.f("ix_team_members_user_id"), "team_members", ["user_id"], unique=False)
