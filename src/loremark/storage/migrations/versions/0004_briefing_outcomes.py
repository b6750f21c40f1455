"""Briefings: how far their sessions were looked at, what was quoted, and when a project switched them on or off."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("briefings", sa.Column("looked_at_turn", ID, nullable=True))
    op.add_column("briefings", sa.Column("served", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("briefing_entries", sa.Column("turn_ids", sa.Text(), nullable=False, server_default="[]"))
    op.create_table(
        "briefing_switches",
        sa.Column("id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_briefing_switches")),
    )
    op.create_index(
        "ix_briefing_switches_project_id_created_at_ms",
        "briefing_switches",
        ["project_id", "created_at_ms"],
        unique=False,
    )
