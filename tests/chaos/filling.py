"""Inserts thousands of rows into every table that belongs to a project, inside the database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    LargeBinary,
    Table,
    Text,
    cast,
    exists,
    false,
    func,
    insert,
    literal,
    null,
    select,
)

from loremark.base import ids
from loremark.features.projects.jobs import project_tables
from loremark.storage.database import Database
from loremark.storage.tables import users


async def fill(database: Database, team_id: str, project_id: str, rows: int) -> None:
    """Insert this many rows into each table of the project (one where the project is the key)."""
    for table in project_tables():
        await fill_table(database, table, team_id, project_id, 1 if _has_single_row(table) else rows)


def _has_single_row(table: Table) -> bool:
    return table.primary_key.columns.keys() == ["project_id"]


async def fill_table(database: Database, table: Table, team_id: str, project_id: str, rows: int) -> None:
    first = select(literal(1, BigInteger).label("x")).cte("numbers", recursive=True)
    numbers = first.union_all(select(first.c.x + 1).where(first.c.x < rows))
    fixed = {"team_id": cast(literal(team_id), Text), "project_id": cast(literal(project_id), Text)}
    unique_text = literal(ids.new("fill"), Text).concat(cast(numbers.c.x, Text))
    values = {column.name: fixed.get(column.name, _value(column, unique_text, numbers.c.x)) for column in table.columns}
    source = select(*(value.label(name) for name, value in values.items()))
    if _has_single_row(table):  # a background job may have inserted it already
        source = source.where(~exists().where(table.c.project_id == project_id))
    async with database.write() as tx:
        await tx.sweep(insert(table).from_select(list(values), source))


def _value(column: Column[Any], unique_text: Any, number: Any) -> Any:
    """A valid value, unique per row where the column may require it."""
    if column.foreign_keys and column.name == "user_id":
        return select(func.min(users.c.id)).scalar_subquery()
    if column.nullable:
        return null()
    if isinstance(column.type, Text):
        return unique_text
    if isinstance(column.type, LargeBinary):
        return cast(unique_text, LargeBinary)
    if isinstance(column.type, Boolean):
        return false()
    return number if column.primary_key else cast(literal(0, BigInteger), column.type)
