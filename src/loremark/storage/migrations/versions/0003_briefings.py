"""Briefings: what was served, and two settings of a project."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "briefings",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_briefings")),
    )
    op.create_index("ix_briefings_project_id_created_at_ms", "briefings", ["project_id", "created_at_ms"], unique=False)
    op.create_index("ix_briefings_project_id_source", "briefings", ["project_id", "source"], unique=False)
    op.create_table(
        "briefing_entries",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("briefing_id", ID, nullable=False),
        sa.Column("entry_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "briefing_id", "entry_id", name=op.f("pk_briefing_entries")),
    )
    op.create_index(
        "ix_briefing_entries_project_id_entry_id", "briefing_entries", ["project_id", "entry_id"], unique=False
    )
    for name in ("show_unreviewed", "briefings_enabled"):
        op.add_column("projects", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.true()))
