"""SQL statements, built with SQLAlchemy Core and compiled once per engine.

The engines run the compiled text with their own drivers; SQLAlchemy is not involved at request time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

from sqlalchemy import Boolean, ColumnElement, Executable, Table, Text, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import asyncpg as asyncpg_dialect
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ClauseElement

InsertMaker = Callable[[Table], Any]
"""The dialect's ``insert``, which supports ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""


_MOST_SHAPES = 1_000


@dataclass(frozen=True, slots=True)
class Compiled:
    """SQL text for one engine, the order of its parameters, and the values embedded in the statement."""

    text: str
    order: tuple[str, ...]
    fixed: Mapping[str, Any]

    def arguments(self, values: Mapping[str, Any]) -> list[Any]:
        if not self.fixed:
            return [values[name] for name in self.order]
        fixed = self.fixed
        return [values[name] if name in values else fixed[name] for name in self.order]


class Engine:
    """Compiles statements for one database engine."""

    def __init__(self, name: str, dialect: Dialect, insert: InsertMaker) -> None:
        self.name = name
        self.insert = insert
        self._dialect = dialect
        self._shapes: dict[Any, Any] = {}

    def compile(self, statement: Executable) -> Compiled:
        """Compile a statement without caching."""
        return _described(self._written(statement))

    def compile_built(self, statement: Executable) -> Compiled:
        """Compile a statement built for one call; statements of the same shape share a cached compilation."""
        key: Any = cast(ClauseElement, statement)._generate_cache_key()
        # The text of an IN depends on the number of values, which is not part of the cache key.
        if key is None or any(bind.expanding for bind in key.bindparams):
            return self.compile(statement)
        written = self._shapes.get(key.key)
        if written is None:
            if len(self._shapes) >= _MOST_SHAPES:
                self._shapes.clear()
            written = self._shapes[key.key] = self._written(statement, cache_key=key)
        return _described(written, key.bindparams)

    def _written(self, statement: Executable, **how: Any) -> Any:
        assert isinstance(statement, ClauseElement)
        return statement.compile(dialect=self._dialect, compile_kwargs={"render_postcompile": True}, **how)


def _described(written: Any, values: Sequence[Any] | None = None) -> Compiled:
    """Return the compilation with its own values or those of another statement of the same shape."""
    order = tuple(written.positiontup or ())
    given = written.construct_params(extracted_parameters=values, _check=False)
    fixed = {name: value for name, value in given.items() if value is not None}
    required = {name for name, bind in written.binds.items() if bind.required}
    nulls = {name: None for name in order if name not in fixed and name not in required}
    return Compiled(str(written), order, {**fixed, **nulls})


SQLITE = Engine("sqlite", sqlite.dialect(paramstyle="qmark"), sqlite.insert)
_ASYNCPG: Dialect = asyncpg_dialect.dialect()  # type: ignore[no-untyped-call]
POSTGRES = Engine("postgresql", _ASYNCPG, postgresql.insert)


class InList(ColumnElement[bool]):
    """``column`` is in a list parameter; the SQL text does not depend on the list's length."""

    inherit_cache = False
    type = Boolean()

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        self.column = column
        self.values = bindparam(name, type_=Text())

    def self_group(self, against: Any = None) -> Self:
        """Prevent SQLAlchemy from adding ``= true``: this is already a condition."""
        return self


@compiles(InList, "sqlite")
def _in_list_sqlite(element: InList, compiler: Any, **options: Any) -> str:
    column, values = compiler.process(element.column, **options), compiler.process(element.values, **options)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608 - compiled parts


@compiles(InList, "postgresql")
def _in_list_postgres(element: InList, compiler: Any, **options: Any) -> str:
    column, values = compiler.process(element.column, **options), compiler.process(element.values, **options)
    return f"{column} = ANY(({values.partition('::')[0]})::text[])"


class Sql:
    """A module-level statement, compiled on first use per engine."""

    __slots__ = ("_build", "_compiled")

    def __init__(self, statement: Executable | Callable[[InsertMaker], Executable]) -> None:
        self._build = statement
        self._compiled: dict[str, Compiled] = {}

    def on(self, engine: Engine) -> Compiled:
        found = self._compiled.get(engine.name)
        if found is None:
            statement = self._build if isinstance(self._build, Executable) else self._build(engine.insert)
            found = self._compiled[engine.name] = engine.compile(statement)
        return found


Query = Sql | Executable
"""A module-level statement, or one built for this call with its values embedded."""


def compiled_for(query: Query, engine: Engine) -> Compiled:
    return query.on(engine) if isinstance(query, Sql) else engine.compile_built(query)


class Bulk:
    """A bulk insert that skips existing rows.

    The first column tells which rows were new, so it must identify a row.
    """

    __slots__ = ("_into", "_kinds", "_names", "_postgres_texts", "_sqlite_texts", "_unless", "find_sqlite")

    def __init__(self, table: Table, columns: Sequence[str], conflict: Sequence[str]) -> None:
        self._names = tuple(columns)
        self._into = f"INSERT INTO {table.name} ({', '.join(columns)})"
        self._unless = f"ON CONFLICT ({', '.join(conflict)}) DO NOTHING"
        self._kinds = [table.c[name].type.compile(dialect=_ASYNCPG).partition(" COLLATE")[0] for name in columns]
        self._postgres_texts: dict[tuple[bool, ...], str] = {}
        self._sqlite_texts: dict[int, str] = {}
        self.find_sqlite = f"SELECT 1 FROM {table.name} WHERE {columns[0]} = ?"  # noqa: S608 - our own names
        """Tests whether a row exists, by its first column."""

    def for_sqlite(self, count: int) -> str:
        """Return the statement for this many rows, with values row by row in column order."""
        text = self._sqlite_texts.get(count)
        if text is None:
            places = f"({', '.join('?' for _ in self._names)})"
            text = self._sqlite_texts[count] = f"{self._into} VALUES {', '.join([places] * count)} {self._unless}"
        return text

    def for_postgres(self, rows: Sequence[Sequence[Any]]) -> tuple[str, list[Any]]:
        """Return the statement and its arguments; it returns the first column of the inserted rows.

        A column is passed as an array, or as a single value if it is the same in all rows.
        """
        columns = list(zip(*rows, strict=True))
        shared = (False, *(column.count(column[0]) == len(column) for column in columns[1:]))
        text = self._postgres_texts.get(shared)
        if text is None:
            text = self._postgres_texts[shared] = self._postgres_text(shared)
        return text, [column[0] if same else column for column, same in zip(columns, shared, strict=True)]

    def _postgres_text(self, shared: tuple[bool, ...]) -> str:
        described = list(zip(self._names, self._kinds, shared, range(1, len(shared) + 1), strict=True))
        arrays = ", ".join(f"${at}::{kind}[]" for _, kind, same, at in described if not same)
        names = ", ".join(name for name, _, same, _ in described if not same)
        values = ", ".join(f"${at}::{kind}" if same else f"given.{name}" for name, kind, same, at in described)
        return (
            f"{self._into} SELECT {values} FROM unnest({arrays}) AS given ({names}) "  # noqa: S608 - our own names
            f"{self._unless} RETURNING {self._names[0]}"
        )
