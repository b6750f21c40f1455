"""Read claude-mem's SQLite database: observations become items, session summaries become sessions.

Opened read-only. Columns differ between versions, so they are looked up. The file is untrusted: code in its schema is
disabled, and the number of steps is limited.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from loremark.exchange.chunks import InvalidFileError
from loremark.exchange.files import texts_of
from loremark.exchange.notes import Note, headline, schema_key, type_of

TOOL = "claude-mem"
MAGIC = b"SQLite format 3\0"
_TABLES = ("observations", "session_summaries")
_SUMMARY = (
    ("request", "Request"),
    ("investigated", "Investigated"),
    ("learned", "Learned"),
    ("completed", "Completed"),
    ("next_steps", "Next steps"),
    ("notes", "Notes"),
)
_MAX_ROWS = 50_000
_TEXT_BYTES = 1024 * 1024
_MAX_STEPS = 50_000_000


def read(path: Path) -> Iterator[Note]:
    try:
        with closing(_open(path)) as database:
            for row in _rows(database, "observations"):
                yield from _observation(row, path.name)
            for row in _rows(database, "session_summaries"):
                yield from _summary(row, path.name)
    except sqlite3.Error as error:
        raise InvalidFileError(f"{path.name} can't be read as a database: {error}") from error


def _open(path: Path) -> sqlite3.Connection:
    """Open the database read-only, including an active write-ahead log if it is readable."""
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        database = sqlite3.connect(address, uri=True)
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        database = sqlite3.connect(f"{address}&immutable=1", uri=True)
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA query_only=ON")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _TEXT_BYTES)
    steps = iter(range(_MAX_STEPS // 1_000))
    database.set_progress_handler(lambda: int(next(steps, None) is None), 1_000)
    database.text_factory = lambda content: content.decode(errors="replace").replace("\0", "")
    database.row_factory = sqlite3.Row
    return database


def _rows(database: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """Yield a table's rows in insertion order. Ignores views with that name."""
    assert table in _TABLES
    known = database.execute("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", (table,)).fetchone()
    if known is None:
        return
    names = {row["name"] for row in database.execute(f"PRAGMA table_info({table})")}
    order = "ORDER BY id" if "id" in names else ""
    for row in database.execute(f"SELECT * FROM {table} {order} LIMIT {_MAX_ROWS}"):  # noqa: S608 - table names are constants
        yield {name: row[name] for name in row.keys() if isinstance(row[name], str | int | float)}  # noqa: SIM118


def _observation(row: dict[str, Any], origin: str) -> Iterator[Note]:
    title = str(row.get("title") or row.get("subtitle") or "").strip()
    narrative = str(row.get("narrative") or row.get("text") or "").strip()
    facts = "\n".join(f"- {fact}" for fact in texts_of(row.get("facts")))
    content = "\n\n".join(part for part in (str(row.get("subtitle") or "").strip(), narrative, facts) if part)
    if not title and not content:
        return
    kind = str(row.get("type") or "")
    project = str(row.get("project") or "")
    yield Note(
        tool=TOOL,
        kind="item",
        title=title or headline(content),
        content=content or title,
        origin=f"{origin}#observations/{row.get('id', '')}",
        type=type_of(kind, "implementation"),
        files=tuple(dict.fromkeys((*texts_of(row.get("files_modified")), *texts_of(row.get("files_read"))))),
        tags=tuple(texts_of(row.get("concepts"))),
        schema_key=schema_key(project) if project else None,
    )


def _summary(row: dict[str, Any], origin: str) -> Iterator[Note]:
    lines = [f"{name}: {text}" for field, name in _SUMMARY if (text := str(row.get(field) or "").strip())]
    if len(lines) < 2:
        return
    files = (*texts_of(row.get("files_edited")), *texts_of(row.get("files_read")))
    yield Note(
        tool=TOOL,
        kind="session",
        title=headline(str(row.get("request") or lines[0])),
        content="\n\n".join(lines),
        origin=f"{origin}#session_summaries/{row.get('id', '')}",
        files=tuple(dict.fromkeys(files)),
        extra={"agent": "claude-code"},
    )
