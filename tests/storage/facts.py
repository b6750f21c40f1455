"""Read and write rows of the ``installation`` table, each a name and a value."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import asyncpg
from sqlalchemy import bindparam, insert, select, update

from loremark.storage.database import Database, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import installation

_INSERT = Sql(insert(installation))
_UPDATE = Sql(
    update(installation).where(installation.c.name == bindparam("of_name")).values(value=bindparam("new_value"))
)
_FIND = Sql(select(installation.c.value).where(installation.c.name == bindparam("of_name")))
_NAMES = Sql(select(installation.c.name).order_by(installation.c.name))
_FEW = Sql(select(installation.c.name).where(InList(installation.c.name, "of_names")).order_by(installation.c.name))


async def put(tx: Tx, name: str, value: str = "") -> None:
    """Insert a row; an existing name violates the primary key."""
    assert await tx.run(_INSERT, name=name, value=value) == 1


async def change(tx: Tx, name: str, value: str) -> int:
    return await tx.run(_UPDATE, of_name=name, new_value=value)


async def find(tx: Tx, name: str) -> str | None:
    row = await tx.one(_FIND, of_name=name)
    return None if row is None else str(row["value"])


async def few(tx: Tx, *names: str) -> list[str]:
    return [row["name"] for row in await tx.few(_FEW, of_names=list(names))]


async def names(database: Database) -> list[str]:
    async with database.read() as tx:
        return [row["name"] for row in await tx.many(_NAMES)]


async def names_on_disk(address: str | Path) -> list[str]:
    """The names that a new connection sees right now."""
    query = "SELECT name FROM installation ORDER BY name"
    if isinstance(address, Path):
        file = sqlite3.connect(address)
        try:
            return [row[0] for row in file.execute(query)]
        finally:
            file.close()
    connection = await asyncpg.connect(address)
    try:
        return [row["name"] for row in await connection.fetch(query)]
    finally:
        await connection.close()
