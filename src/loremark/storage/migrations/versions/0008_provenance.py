"""Events keep their signed-in sender, and items whether a person has reviewed them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("events", sa.Column("actor_id", ID, nullable=True))
    op.add_column("items", sa.Column("reviewed", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(
        "UPDATE items SET reviewed = true WHERE status = 'approved' AND EXISTS (SELECT 1 FROM revisions"
        " WHERE revisions.record_id = items.id AND revisions.actor_id IS NOT NULL"
        " AND revisions.reason IN ('approved', 'edited', 'reverted'))"
    )
    # The text of brains changes, so their ETags must.
    op.execute("UPDATE projects SET memory_version = memory_version + 1")
