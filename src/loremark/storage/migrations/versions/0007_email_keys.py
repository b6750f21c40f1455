"""Email addresses with international domains are compared by the domain's ASCII form."""

from __future__ import annotations

import idna
import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    connection = op.get_bind()
    for table in ("users", "invitations"):
        rows = connection.execute(sa.text(f"SELECT id, email FROM {table}")).all()  # noqa: S608
        for row_id, email in rows:
            if not email.isascii():
                _rewrite(connection, table, row_id, email)


def _rewrite(connection: sa.Connection, table: str, row_id: str, email: str) -> None:
    local, _, domain = email.strip().rpartition("@")
    try:
        address = f"{local}@{idna.encode(domain, uts46=True, transitional=False).decode()}"
    except UnicodeError:
        return
    # The old key was coarser, so no two rows get the same new one.
    statement = sa.text(f"UPDATE {table} SET email = :email, email_key = :key WHERE id = :id")  # noqa: S608
    connection.execute(statement, {"email": address, "key": address.lower(), "id": row_id})
