"""API keys can be limited to scopes, one project, a period and networks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("scopes", sa.Text(), nullable=True))
    op.add_column("api_keys", sa.Column("project_id", ID, nullable=True))
    op.add_column("api_keys", sa.Column("expires_at_ms", sa.BigInteger(), nullable=True))
    op.add_column("api_keys", sa.Column("allowed_addresses", sa.Text(), nullable=True))
    op.create_index("ix_api_keys_project_id", "api_keys", ["project_id"], unique=False)
