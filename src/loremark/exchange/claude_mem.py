"""claude-mem's database: observations become items, summaries of sessions become sessions.

It is opened for reading only. Its columns differ from version to version, so each table is asked what it has; a file
that somebody has prepared runs nothing of its own and is given up after a while.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from loremark.exchange.chunks import BadFile
from loremark.exchange.notes import Note, headline, schema_key, type_of
from loremark.exchange.reading import texts_of

TOOL = "claude-mem"
MAGIC = b"SQLite format 3\0"
_TABLES = ("observations", "session_summaries")
_SUMMARY = (
    ("request", "Asked"),
    ("investigated", "Looked at"),
    ("learned", "Learned"),
    ("completed", "Done"),
    ("next_steps", "Next"),
    ("notes", "Notes"),
)
_MOST_ROWS = 50_000
_TEXT_BYTES = 1024 * 1024
_STEPS = 50_000_000


def read(path: Path) -> Iterator[Note]:
    try:
        with closing(_open(path)) as database:
            for row in _rows(database, "observations"):
                yield from _observation(row, path.name)
            for row in _rows(database, "session_summaries"):
                yield from _summary(row, path.name)
    except sqlite3.Error as error:
        raise BadFile(f"{path.name} cannot be read as a database: {error}") from error


def _open(path: Path) -> sqlite3.Connection:
    """As it is on the disk; where a program has it open, with what that has written beside it."""
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        database = sqlite3.connect(address, uri=True)
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        database = sqlite3.connect(f"{address}&immutable=1", uri=True)
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA query_only=ON")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _TEXT_BYTES)
    steps = iter(range(_STEPS // 1_000))
    database.set_progress_handler(lambda: int(next(steps, None) is None), 1_000)
    database.text_factory = lambda content: content.decode(errors="replace").replace("\0", "")
    database.row_factory = sqlite3.Row
    return database


def _rows(database: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """All of a table in the order they were written; a view of that name is none."""
    assert table in _TABLES
    known = database.execute("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", (table,)).fetchone()
    if known is None:
        return
    names = {row["name"] for row in database.execute(f"PRAGMA table_info({table})")}
    order = "ORDER BY id" if "id" in names else ""
    for row in database.execute(f"SELECT * FROM {table} {order} LIMIT {_MOST_ROWS}"):  # noqa: S608 - our own names
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
    told = [f"{name}: {text}" for field, name in _SUMMARY if (text := str(row.get(field) or "").strip())]
    if len(told) < 2:
        return
    files = (*texts_of(row.get("files_edited")), *texts_of(row.get("files_read")))
    yield Note(
        tool=TOOL,
        kind="session",
        title=headline(str(row.get("request") or told[0])),
        content="\n\n".join(told),
        origin=f"{origin}#session_summaries/{row.get('id', '')}",
        files=tuple(dict.fromkeys(files)),
        more={"agent": "claude-code"},
    )
