"""Two-factor authentication: authenticator apps and recovery codes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "totp",
        sa.Column("user_id", ID, nullable=False),
        sa.Column("secret_sealed", sa.Text(), nullable=False),
        sa.Column("confirmed_at_ms", sa.BigInteger(), nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_totp_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_totp")),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("user_id", ID, nullable=False),
        sa.Column("code_hash", ID, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_recovery_codes_user_id")),
        sa.PrimaryKeyConstraint("user_id", "code_hash", name=op.f("pk_recovery_codes")),
    )
