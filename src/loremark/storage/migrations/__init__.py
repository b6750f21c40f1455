"""Alembic migrations, run by ``loremark.storage.schema``."""
