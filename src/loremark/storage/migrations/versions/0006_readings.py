"""Readings: what a model said about a session, and the items that came from it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "readings",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("session_id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=True),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_version", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("from_event", ID, nullable=False),
        sa.Column("up_to_event", ID, nullable=False),
        sa.Column("known", sa.Text(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("parts", sa.BigInteger(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_readings")),
    )
    op.create_index("ix_readings_session_id_id", "readings", ["session_id", "id"], unique=False)
    op.create_index("ix_readings_project_id_id", "readings", ["project_id", "id"], unique=False)
    op.create_index(
        "ix_readings_team_id_user_id_created_at_ms", "readings", ["team_id", "user_id", "created_at_ms"], unique=False
    )
    op.create_table(
        "reading_items",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("item_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("session_id", ID, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_version", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "item_id", name=op.f("pk_reading_items")),
    )
    op.create_index("ix_reading_items_session_id", "reading_items", ["session_id"], unique=False)
