"""Column types, the same on both engines.

Identifiers are text compared byte by byte. Times are integer milliseconds (``_ms``). Structured values are JSON in text
columns and never queried by the database; anything queried has its own column.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, LargeBinary, MetaData, Text, false, true
from sqlalchemy.dialects import postgresql

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Byte order on both engines, so ids sort by time and cursors work the same.
Id = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def primary(name: str = "id") -> Column[str]:
    return Column(name, Id, primary_key=True)


def key_part(name: str) -> Column[str]:
    """A column of a composite primary key."""
    return Column(name, Id, primary_key=True)


def ref(name: str, target: str | None = None, *, null: bool = False, index: bool = False) -> Column[Any]:
    """The id of another row; with ``target`` it is a foreign key."""
    keys = [ForeignKey(target)] if target else []
    return Column(name, Id, *keys, nullable=null, index=index)


def text(name: str, *, null: bool = False, unique: bool = False, default: str | None = None) -> Column[Any]:
    """Text; with ``default`` it was added to a table that had rows."""
    return Column(name, Text, nullable=null, unique=unique, server_default=default)


def number(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, BigInteger, nullable=null)


def real(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, Float(53), nullable=null)


def flag(name: str, *, default: bool | None = None) -> Column[bool]:
    """A boolean; with ``default`` it was added to a table that had rows."""
    given = None if default is None else true() if default else false()
    return Column(name, Boolean, nullable=False, server_default=given)


def binary(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, LargeBinary, nullable=null)
