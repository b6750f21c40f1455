"""Recall: the turns of sessions and their index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "turns",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("session_id", ID, nullable=False),
        sa.Column("event_id", ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("messages", sa.Text(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("commands", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=True),
        sa.Column("commit_sha", sa.Text(), nullable=True),
        sa.Column("said_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_turns")),
    )
    op.create_index("ix_turns_project_id_session_id_id", "turns", ["project_id", "session_id", "id"], unique=False)
    op.create_index("ix_turns_project_id_event_id", "turns", ["project_id", "event_id"], unique=False)
    op.create_table(
        "turn_index",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("turn_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("session_id", ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=True),
        sa.Column("said_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("project_id", "turn_id", name=op.f("pk_turn_index")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_turn_index_project_id_version", "turn_index", ["project_id", "version"], unique=False)
    op.create_index("ix_turn_index_project_id_session_id", "turn_index", ["project_id", "session_id"], unique=False)
    op.create_table(
        "turns_to_embed",
        sa.Column("turn_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_turns_to_embed")),
    )
    op.create_index(op.f("ix_turns_to_embed_project_id"), "turns_to_embed", ["project_id"], unique=False)
    op.create_table(
        "recall_versions",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at_version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_recall_versions")),
    )
