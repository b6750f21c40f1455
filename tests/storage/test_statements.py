"""Every module-level statement is valid on both engines with the current schema."""

from __future__ import annotations

import importlib
import pkgutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import Executable, bindparam, insert, select, update

import loremark
from loremark.storage.statements import POSTGRES, SQLITE, Engine, Sql
from loremark.storage.tables import installation, users
from tests.support import databases

pytestmark = pytest.mark.anyio


def _statements() -> Iterator[tuple[str, Sql]]:
    """All statements with their names, including those in a module's tuples, lists and dicts."""
    for info in pkgutil.walk_packages(loremark.__path__, "loremark."):
        if info.name.endswith("__main__") or ".migrations" in info.name:
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            inside = (
                value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
            )
            for number, entry in enumerate(inside):
                if isinstance(entry, Sql):
                    yield f"{info.name}.{name}[{number}]", entry


def test_statements_are_discovered() -> None:
    names = {name for name, _ in _statements()}
    assert len(names) > 50
    assert "loremark.jobs.queue._CLAIM[0]" in names
    assert "loremark.features.team.store._CREDENTIALS[1]" in names


async def test_postgresql_accepts_every_statement() -> None:
    connection = await asyncpg.connect(databases.fresh_postgres())
    refused: dict[str, str] = {}
    try:
        for name, statement in _statements():
            compiled = statement.on(POSTGRES)
            try:
                prepared = await connection.prepare(compiled.text)
                assert len(prepared.get_parameters()) == len(compiled.order)
            except asyncpg.PostgresError as error:
                refused[name] = str(error)
    finally:
        await connection.close()
    assert refused == {}


def test_sqlite_accepts_every_statement(sqlite_path: Path) -> None:
    refused: dict[str, str] = {}
    with closing(sqlite3.connect(sqlite_path)) as connection:
        for name, statement in _statements():
            compiled = statement.on(SQLITE)
            try:
                connection.execute(f"EXPLAIN {compiled.text}", [None] * len(compiled.order))
            except sqlite3.Error as error:
                refused[name] = str(error)
    assert refused == {}


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRES], ids=lambda dialect: dialect.name)
def test_fixed_values_are_combined_with_call_arguments(dialect: Engine) -> None:
    statement = Sql(
        select(installation.c.value).where(installation.c.name == bindparam("name"), users.c.name == "fixed")
    )
    compiled = statement.on(dialect)
    assert sorted(compiled.arguments({"name": "given"})) == ["fixed", "given"]
    assert statement.on(dialect) is compiled
    with pytest.raises(KeyError):
        compiled.arguments({})


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRES], ids=lambda dialect: dialect.name)
def test_missing_insert_column_is_an_error_not_null(dialect: Engine) -> None:
    compiled = Sql(insert(installation)).on(dialect)
    with pytest.raises(KeyError):
        compiled.arguments({"name": "only the name"})


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRES], ids=lambda dialect: dialect.name)
def test_statements_of_one_shape_share_only_their_text(dialect: Engine) -> None:
    def build(name: str | None, take: int, *roles: str) -> Executable:
        statement = select(users.c.id).where(users.c.name != name).limit(take)
        return statement.where(users.c.id.in_(roles) if roles else users.c.email == bindparam("email"))

    for values in (("ada", 3), ("bob", 5), (None, 7), ("eve", 3, "a", "b"), ("eve", 3, "c"), ("ada", 3)):
        cached, fresh = dialect.compile_built(build(*values)), dialect.compile(build(*values))
        assert (cached.text, cached.order, cached.fixed) == (fresh.text, fresh.order, fresh.fixed)
    for value in ("first", None, "second"):
        change = update(users).where(users.c.id == "usr_1").values(name=value)
        cached, fresh = dialect.compile_built(change), dialect.compile(change)
        assert (cached.text, cached.arguments({})) == (fresh.text, fresh.arguments({}))
    with pytest.raises(KeyError):
        dialect.compile_built(build("ada", 3)).arguments({})
