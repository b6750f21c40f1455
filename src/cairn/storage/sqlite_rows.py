"""Running a compiled statement on a SQLite connection."""

from __future__ import annotations

import sqlite3
from typing import Any

from msgspec import json

from cairn.storage.database import Row
from cairn.storage.statements import Compiled


def _arguments(compiled: Compiled, values: dict[str, Any]) -> list[Any]:
    """The values in order; a list travels as JSON, which SQLite can read as a table."""
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
