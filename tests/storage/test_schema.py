"""The schema: what the migrations build is what the tables say, and nobody starts on another one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
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

pytestmark = pytest.mark.anyio

T = TypeVar("T")

Facts = dict[str, list[tuple[Any, ...]]]

_VERSIONS = "alembic_version"


async def _with_connection(address: str | Path, work: Callable[[Connection], T]) -> T:
    """Run work that SQLAlchemy does, on either engine."""
    if isinstance(address, Path):
        engine = create_engine("sqlite://", creator=lambda: sqlite_connection.connect(address), poolclass=NullPool)
        with engine.begin() as connection:
            return work(connection)
    many = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(address), poolclass=NullPool
    )
    async with many.begin() as remote:
        return await remote.run_sync(work)


async def _set_version(address: str | Path, version: str) -> None:
    await _with_connection(
        address, lambda connection: connection.exec_driver_sql(f"UPDATE {_VERSIONS} SET version_num = '{version}'")
    )


def _parts(ddl: str) -> tuple[str, ...]:
    """A CREATE statement in a form that does not depend on blanks, quotes, or the order of its definitions."""
    plain = re.sub(r"\s+", " ", ddl.replace('"', "")).strip()
    head, _, rest = plain.partition("(")
    body, _, tail = rest.rpartition(")")
    pieces = re.split(r",(?![^(]*\))", body)
    return (head.strip(), *sorted(re.sub(r" ?([()]) ?", r"\1", piece).strip() for piece in pieces), tail.strip())


def _sqlite_facts(connection: Connection) -> Facts:
    rows = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master").all()
    return {
        f"{kind} {name}": [_parts(ddl) if ddl else (table,)]
        for kind, name, table, ddl in rows
        if not table.startswith((_VERSIONS, "sqlite_"))
    }


_POSTGRES_FACTS = {
    "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name, is_identity "
    "FROM information_schema.columns WHERE table_schema = 'public'",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE connamespace = 'public'::regnamespace",
}


def _postgres_facts(connection: Connection) -> Facts:
    return {
        name: sorted((tuple(row) for row in connection.exec_driver_sql(query) if row[0] != _VERSIONS), key=repr)
        for name, query in _POSTGRES_FACTS.items()
    }


def _differences(connection: Connection) -> list[Any]:
    options = {"compare_type": True, "compare_server_default": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


async def test_alembic_finds_nothing_to_change_after_the_migrations(address: str | Path) -> None:
    assert await _with_connection(address, _differences) == []


async def test_migrated_and_made_from_the_tables_are_the_same(engine: str, address: str | Path, tmp_path: Path) -> None:
    direct = databases.empty(engine, tmp_path)
    await _with_connection(direct, metadata.create_all)
    facts = _sqlite_facts if engine == "sqlite" else _postgres_facts
    migrated = await _with_connection(address, facts)
    made = await _with_connection(direct, facts)
    assert migrated == made
    described = str(made)
    assert all(table in described for table in metadata.tables)


async def test_identifiers_compare_byte_by_byte_on_postgresql() -> None:
    rows = (await _with_connection(databases.fresh_postgres(), _postgres_facts))["columns"]
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


def test_there_is_one_head_and_the_code_names_it() -> None:
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert scripts.get_heads() == [schema.HEAD]
    history = [script.revision for script in scripts.walk_revisions()][::-1]
    assert history == sorted(history), "versions are compared as text, so the steps must sort"


async def test_migrating_an_empty_database_once_is_enough(engine: str, tmp_path: Path) -> None:
    address = databases.empty(engine, tmp_path)
    assert await schema.version(address) is None
    assert await schema.migrate(address) is True
    assert await schema.version(address) == schema.HEAD
    assert await schema.migrate(address) is False
    await schema.require_current(address)


_RACER = """
import asyncio, sys
from pathlib import Path
from loremark.storage import schema
print("ready", flush=True)
for line in sys.stdin:
    address = line.strip()
    try:
        asyncio.run(schema.migrate(address if address.startswith("postgresql:") else Path(address)))
        print("done", flush=True)
    except BaseException as error:
        print(repr(error), flush=True)
"""


async def test_three_processes_may_migrate_the_same_empty_database_at_once(engine: str, tmp_path: Path) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", _RACER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=lifetime.child_env(),
        )
        for _ in range(3)
    ]
    try:
        assert [_answer(racer) for racer in racers] == ["ready"] * 3
        for number in range(4):
            address = databases.empty(engine, tmp_path / str(number))
            for racer in racers:
                assert racer.stdin is not None
                racer.stdin.write(f"{address}\n")
                racer.stdin.flush()
            assert [_answer(racer) for racer in racers] == ["done"] * 3
            assert await schema.version(address) == schema.HEAD
            assert await _with_connection(address, _differences) == []
    finally:
        for racer in racers:
            racer.communicate(timeout=20)


def _answer(racer: subprocess.Popen[str]) -> str:
    assert racer.stdout is not None
    return racer.stdout.readline().strip()


async def test_an_empty_database_is_refused_with_the_command_to_run(engine: str, tmp_path: Path) -> None:
    with pytest.raises(schema.SchemaError) as refused:
        await schema.require_current(databases.empty(engine, tmp_path))
    assert str(refused.value) == (
        f"The database is empty, but this version needs {schema.HEAD}. Run: loremark admin migrate"
    )


async def test_an_old_and_a_newer_schema_are_refused_in_their_own_words(address: str | Path) -> None:
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


async def test_a_step_that_fails_leaves_nothing_behind(engine: str, tmp_path: Path) -> None:
    """A table in the way makes the first step fail halfway; taken away, the migration runs as on an empty one."""
    address = databases.empty(engine, tmp_path)
    last = list(metadata.sorted_tables)[-1].name
    await _with_connection(address, lambda connection: connection.exec_driver_sql(f"CREATE TABLE {last} (x int)"))
    with pytest.raises(Exception, match="already exists"):
        await schema.migrate(address)
    assert await schema.version(address) is None
    await _with_connection(address, lambda connection: connection.exec_driver_sql(f"DROP TABLE {last}"))
    assert await schema.migrate(address) is True
    assert await _with_connection(address, _differences) == []
