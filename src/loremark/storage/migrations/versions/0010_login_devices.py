"""Logins record their device, address and last use."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("logins", sa.Column("user_agent", sa.Text(), nullable=True))
    op.add_column("logins", sa.Column("address", sa.Text(), nullable=True))
    op.add_column("logins", sa.Column("last_used_ms", sa.BigInteger(), nullable=True))
