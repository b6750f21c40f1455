"""The schema: migrations match the table definitions, and any other version is refused at startup."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Text, create_engine
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from loremark.storage import migrations, schema, sqlite_connection
from loremark.storage.tables import metadata
from tests.servers import lifetime
from tests.support import databases
from tests.support.forking import ForkedProcess
from tests.support.selection import NIGHTLY

pytestmark = pytest.mark.anyio

T = TypeVar("T")

SchemaDescription = dict[str, list[tuple[Any, ...]]]

_VERSIONS = "alembic_version"


async def _with_connection(address: str | Path, work: Callable[[Connection], T]) -> T:
    """Run a function with a SQLAlchemy connection, on either engine."""
    if isinstance(address, Path):
        engine = create_engine("sqlite://", creator=lambda: sqlite_connection.connect(address), poolclass=NullPool)
        with engine.begin() as connection:
            return work(connection)
    async_engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(address), poolclass=NullPool
    )
    async with async_engine.begin() as async_connection:
        return await async_connection.run_sync(work)


async def _set_version(address: str | Path, version: str) -> None:
    await _with_connection(
        address, lambda connection: connection.exec_driver_sql(f"UPDATE {_VERSIONS} SET version_num = '{version}'")
    )


def _parts(ddl: str) -> tuple[str, ...]:
    """Normalize a CREATE statement: ignore whitespace, quotes and the order of its definitions."""
    plain = re.sub(r"\s+", " ", ddl.replace('"', "")).strip()
    head, _, rest = plain.partition("(")
    body, _, tail = rest.rpartition(")")
    pieces = re.split(r",(?![^(]*\))", body)
    return (head.strip(), *sorted(re.sub(r" ?([()]) ?", r"\1", piece).strip() for piece in pieces), tail.strip())


def _describe_sqlite(connection: Connection) -> SchemaDescription:
    rows = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master").all()
    return {
        f"{kind} {name}": [_parts(ddl) if ddl else (table,)]
        for kind, name, table, ddl in rows
        if not table.startswith((_VERSIONS, "sqlite_"))
    }


_POSTGRES_QUERIES = {
    "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name, is_identity "
    "FROM information_schema.columns WHERE table_schema = 'public'",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE connamespace = 'public'::regnamespace",
}


def _describe_postgres(connection: Connection) -> SchemaDescription:
    return {
        name: sorted((tuple(row) for row in connection.exec_driver_sql(query) if row[0] != _VERSIONS), key=repr)
        for name, query in _POSTGRES_QUERIES.items()
    }


def _differences(connection: Connection) -> list[Any]:
    options = {"compare_type": True, "compare_server_default": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


async def test_alembic_finds_no_differences_after_migrating(address: str | Path) -> None:
    assert await _with_connection(address, _differences) == []


async def test_migrated_schema_equals_the_table_definitions(engine: str, address: str | Path, tmp_path: Path) -> None:
    direct = databases.empty(engine, tmp_path)
    await _with_connection(direct, metadata.create_all)
    describe = _describe_sqlite if engine == "sqlite" else _describe_postgres
    migrated = await _with_connection(address, describe)
    created = await _with_connection(direct, describe)
    assert migrated == created
    described = str(created)
    assert all(table in described for table in metadata.tables)


async def test_id_columns_use_the_c_collation_on_postgresql() -> None:
    rows = (await _with_connection(databases.fresh_postgres(), _describe_postgres))["columns"]
    collations = {(table, column): collation for table, column, _, _, _, collation, _ in rows}
    references = {"team_id", "project_id", "user_id", "session_id", "item_id", "webhook_id"}
    compared = {
        (table.name, column.name)
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, Text) and (column.primary_key or column.name in references)
    }
    assert {key: collations[key] for key in compared if collations[key] != "C"} == {}
    assert ("projects", "id") in compared
    assert ("item_files", "path") in compared
    assert ("logins", "team_id") in compared


def test_single_migration_head_matches_the_code() -> None:
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert scripts.get_heads() == [schema.HEAD]
    history = [script.revision for script in scripts.walk_revisions()][::-1]
    assert history == sorted(history), "versions are compared as text, so revisions must sort in order"


async def test_migrating_an_empty_database_is_idempotent(engine: str, tmp_path: Path) -> None:
    address = databases.empty(engine, tmp_path)
    assert await schema.version(address) is None
    assert await schema.migrate(address) is True
    assert await schema.version(address) == schema.HEAD
    assert await schema.migrate(address) is False
    await schema.require_current(address)


def _migrate(address: str | Path) -> int:
    asyncio.run(schema.migrate(address))
    return 0


async def test_three_processes_may_migrate_concurrently(engine: str, tmp_path: Path) -> None:
    for number in range(4 if NIGHTLY else 1):
        address = databases.empty(engine, tmp_path / str(number))
        log = tmp_path / "migrations.log"
        migrations = [
            ForkedProcess(partial(_migrate, address), [], env=lifetime.child_env(), cwd=tmp_path, stderr=log)
            for _ in range(3)
        ]
        assert [migration.wait(120) for migration in migrations] == [0] * 3, log.read_text()
        assert await schema.version(address) == schema.HEAD
        assert await _with_connection(address, _differences) == []


async def test_empty_database_error_names_the_command_to_run(engine: str, tmp_path: Path) -> None:
    with pytest.raises(schema.SchemaError) as refused:
        await schema.require_current(databases.empty(engine, tmp_path))
    assert str(refused.value) == (
        f"The database is empty, but this version needs {schema.HEAD}. Run: loremark admin migrate"
    )


async def test_old_and_newer_schemas_get_distinct_errors(address: str | Path) -> None:
    await _set_version(address, "0000")
    with pytest.raises(schema.SchemaError) as refused:
        await schema.require_current(address)
    assert str(refused.value) == (
        f"The database is at schema 0000, but this version needs {schema.HEAD}. Run: loremark admin migrate"
    )
    await _set_version(address, "9999")
    newer = f"The database is at schema 9999, newer than this version's {schema.HEAD}. Update Loremark."
    for attempt in (schema.require_current, schema.migrate):
        with pytest.raises(schema.SchemaError) as refused:
            await attempt(address)
        assert str(refused.value) == newer
    assert await schema.version(address) == "9999"


async def test_failed_migration_is_rolled_back(engine: str, tmp_path: Path) -> None:
    """An existing table makes the migration fail halfway; once it is dropped, the migration succeeds."""
    address = databases.empty(engine, tmp_path)
    last = list(metadata.sorted_tables)[-1].name
    await _with_connection(address, lambda connection: connection.exec_driver_sql(f"CREATE TABLE {last} (x int)"))
    with pytest.raises(Exception, match="already exists"):
        await schema.migrate(address)
    assert await schema.version(address) is None
    await _with_connection(address, lambda connection: connection.exec_driver_sql(f"DROP TABLE {last}"))
    assert await schema.migrate(address) is True
    assert await _with_connection(address, _differences) == []
