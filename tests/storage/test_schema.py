"""The schema: migrations match the table definitions, and any other version is refused at startup."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import msgspec
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Text, create_engine, insert, select
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from loremark.storage import migrations, schema, sqlite_connection
from loremark.storage.tables import event_blobs, events, metadata
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


def _migrate_to(revision: str, connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


async def test_blob_references_of_stored_events_are_found(engine: str, tmp_path: Path) -> None:
    address = databases.empty(engine, tmp_path)
    await _with_connection(address, partial(_migrate_to, "0010"))
    large = {"$blob": "a" * 64, "size": 9_000}
    payloads = {
        "evt_1": {"summary": "short"},
        "evt_2": {"notes": large, "more": [large, {"$blob": "b" * 64, "size": 9_000}]},
        "evt_3": {"$$blob": "c" * 64, "quoted": '"$blob":"' + "d" * 64 + '"'},
        "evt_4": {"notes": large},
    }
    shared = {"team_id": "team_1", "project_id": "prj_1", "session_id": "ses_1", "event": "session_save"}
    rows = [
        {
            **shared,
            "id": event_id,
            "payload": msgspec.json.encode(payload).decode(),
            "content_hash": event_id.encode(),
            "size_bytes": 1,
            "created_at_ms": 1,
        }
        for event_id, payload in payloads.items()
    ]
    await _with_connection(address, lambda connection: connection.execute(insert(events), rows))
    assert await schema.migrate(address) is True
    found = await _with_connection(address, lambda connection: connection.execute(select(event_blobs)).all())
    assert {(row.event_id, row.sha256, row.project_id, row.team_id) for row in found} == {
        ("evt_2", "a" * 64, "prj_1", "team_1"),
        ("evt_2", "b" * 64, "prj_1", "team_1"),
        ("evt_4", "a" * 64, "prj_1", "team_1"),
    }
