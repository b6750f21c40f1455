"""When conflicts were resolved, so that undoing the change restores them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("item_conflicts", sa.Column("resolved_at_ms", sa.BigInteger(), nullable=True))
