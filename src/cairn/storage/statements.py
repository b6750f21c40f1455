"""SQL statements, built with SQLAlchemy Core and compiled once for each engine.

The engines run the compiled text through their own drivers: SQLAlchemy describes and translates, and is
not in the path of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Executable, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import asyncpg as asyncpg_dialect
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement

InsertMaker = Callable[[Table], Any]
"""The engine's own ``insert``, which alone knows ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The text for one engine, the order of its parameters, and the values already in the statement."""

    text: str
    order: tuple[str, ...]
    fixed: Mapping[str, Any]

    def arguments(self, values: Mapping[str, Any]) -> list[Any]:
        if not self.fixed:
            return [values[name] for name in self.order]
        fixed = self.fixed
        return [values[name] if name in values else fixed[name] for name in self.order]


class Engine:
    """How statements are written for one database engine."""

    def __init__(self, name: str, dialect: Dialect, insert: InsertMaker) -> None:
        self.name = name
        self.insert = insert
        self._dialect = dialect

    def compile(self, statement: Executable) -> Compiled:
        assert isinstance(statement, ClauseElement)
        compiled: Any = statement.compile(dialect=self._dialect, compile_kwargs={"render_postcompile": True})
        order = tuple(compiled.positiontup or ())
        fixed = {name: value for name, value in compiled.construct_params(_check=False).items() if value is not None}
        required = {name for name, bind in compiled.binds.items() if bind.required}
        nulls = {name: None for name in order if name not in fixed and name not in required}
        return Compiled(str(compiled), order, {**fixed, **nulls})


SQLITE = Engine("sqlite", sqlite.dialect(paramstyle="qmark"), sqlite.insert)
_ASYNCPG: Dialect = asyncpg_dialect.dialect()  # type: ignore[no-untyped-call]
POSTGRES = Engine("postgresql", _ASYNCPG, postgresql.insert)


class Sql:
    """A statement kept at module level: compiled at its first use on an engine, then only run."""

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
"""A kept statement, or one built for this call with its values inside."""


def compiled_for(query: Query, engine: Engine) -> Compiled:
    return query.on(engine) if isinstance(query, Sql) else engine.compile(query)
