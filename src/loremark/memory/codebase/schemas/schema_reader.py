"""Picks the schema reader for a language."""

from __future__ import annotations

from loremark.memory.codebase.parsing.test_detection import is_test
from loremark.memory.codebase.records import Model
from loremark.memory.codebase.schemas import graphql, prisma, protobuf, sql

LANGUAGES = frozenset(("sql", "prisma", "protobuf", "graphql"))


def read_schema(path: str, language: str, content: str) -> tuple[Model, ...]:
    """The models of a schema; empty for other languages and tests."""
    if language not in LANGUAGES or is_test(path):
        return ()
    if language == "sql":
        return sql.read(path, content)
    if language == "prisma":
        return prisma.read(content)
    return protobuf.read(content) if language == "protobuf" else graphql.read(content)
