"""Alembic's entry point: runs the migrations on the connection from ``loremark.storage.schema``."""

from __future__ import annotations

from alembic import context

from loremark.storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    compare_type=True,
    render_as_batch=False,
)
with context.begin_transaction():
    context.run_migrations()
