"""Projects can limit how long data is kept, and events name the blobs they refer to."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

ID = sa.Text().with_variant(sa.TEXT(collation="C"), "postgresql")
_BLOB = re.compile(r'"\$blob":"([0-9a-f]{64})"')
_EVENTS_AT_ONCE = 200


def upgrade() -> None:
    for kind in ("event", "session", "chat"):
        op.add_column("projects", sa.Column(f"{kind}_retention_days", sa.BigInteger(), nullable=True))
    op.create_index("ix_events_project_id_id", "events", ["project_id", "id"], unique=False)
    op.drop_index("ix_events_project_id", table_name="events")
    references = op.create_table(
        "event_blobs",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("sha256", ID, nullable=False),
        sa.Column("event_id", ID, nullable=False),
        sa.Column("team_id", ID, nullable=False),
        sa.PrimaryKeyConstraint("project_id", "sha256", "event_id", name=op.f("pk_event_blobs")),
    )
    op.create_index("ix_event_blobs_project_id_event_id", "event_blobs", ["project_id", "event_id"], unique=False)
    _find_references(op.get_bind(), references)


def _find_references(connection: sa.Connection, references: sa.Table) -> None:
    some = sa.text(
        "SELECT id, project_id, team_id, payload FROM events"
        " WHERE id > :after AND payload LIKE '%\"$blob\"%' ORDER BY id LIMIT :take"
    )
    after = ""
    while rows := connection.execute(some, {"after": after, "take": _EVENTS_AT_ONCE}).all():
        found = [
            {"project_id": project_id, "sha256": sha256, "event_id": event_id, "team_id": team_id}
            for event_id, project_id, team_id, payload in rows
            for sha256 in sorted(set(_BLOB.findall(payload)))
        ]
        if found:
            connection.execute(references.insert(), found)
        after = rows[-1][0]
