"""Runs compiled statements on a SQLite connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from msgspec import json

from loremark.storage.database import Row, StorageUnavailable
from loremark.storage.statements import Bulk, Compiled

_PIECES = (64, 32, 16, 8, 4, 2, 1)


def _arguments(compiled: Compiled, values: dict[str, Any]) -> list[Any]:
    """Return the values in order. Lists are passed as JSON for ``json_each``."""
    return [json.encode(value).decode() if isinstance(value, list) else value for value in compiled.arguments(values)]


def first_row(connection: sqlite3.Connection, compiled: Compiled, values: dict[str, Any]) -> Row | None:
    cursor = connection.execute(compiled.text, _arguments(compiled, values))
    row: Row | None = cursor.fetchone()
    cursor.close()  # a statement left half-read would hold its snapshot open
    return row


def all_rows(connection: sqlite3.Connection, compiled: Compiled, values: dict[str, Any]) -> list[Row]:
    rows: list[Row] = connection.execute(compiled.text, _arguments(compiled, values)).fetchall()
    return rows


def rows_touched(connection: sqlite3.Connection, compiled: Compiled, values: dict[str, Any]) -> int:
    return connection.execute(compiled.text, _arguments(compiled, values)).rowcount


def rows_inserted(connection: sqlite3.Connection, bulk: Bulk, rows: Sequence[Sequence[Any]]) -> set[int]:
    """Insert rows that do not exist yet. Return the positions of the inserted ones.

    Rows are inserted in chunks of a few fixed sizes, which limits the number of distinct statements. The GIL is
    released once per chunk; doing so for every row would make threads fight over it.
    """
    new: set[int] = set()
    at = 0
    for size in _PIECES:
        while len(rows) - at >= size:
            piece = rows[at : at + size]
            values = [value for row in piece for value in row]
            inserted = connection.execute(bulk.for_sqlite(size), values).rowcount
            if inserted == size:
                new.update(range(at, at + size))
            elif inserted:
                found = (connection.execute(bulk.find_sqlite, row[:1]).fetchone() for row in piece)
                new.update(at + place for place, row in enumerate(found) if row is not None)
            at += size
    return new


def data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection commits. This connection must not write."""
    try:
        found: int = connection.execute("PRAGMA data_version").fetchone()[0]
    except sqlite3.OperationalError as error:
        raise StorageUnavailable(str(error)) from error
    return found
