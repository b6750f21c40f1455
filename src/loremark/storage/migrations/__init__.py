"""The steps by which a database comes up to the tables. Alembic runs them; ``loremark.storage.schema`` calls it."""
