"""The steps by which a database comes up to the tables. Alembic runs them; ``cairn.storage.schema`` calls it."""
