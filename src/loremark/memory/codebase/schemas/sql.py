"""Reads tables with columns and references from SQL scripts."""

from __future__ import annotations

import re

from loremark.memory.codebase.parsing.literals import words
from loremark.memory.codebase.records import Model
from loremark.memory.codebase.schemas.tokens import MAX_CHARS, MAX_FIELDS, MAX_MODELS, Token, Tokens

_LEFT_OUT = r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_STRING = r"'(?:[^'\\]|''|\\.)*+'?"
_TOKENS = re.compile(
    _LEFT_OUT + rf"|\#[^\n]*+|(?P<string>{_STRING}|\"[^\"]*+\"?|`[^`\n]*+`?|\[[A-Za-z_][^\]\n]{{0,120}}\])"
    r"|(?P<word>[^\W\d][\w$]*+|[().,;])",
    re.DOTALL,
)
# Scripts may contain far more data than tables, so text between these is not tokenized.
_CREATE = re.compile(rf"{_LEFT_OUT}|{_STRING}|\b(?P<create>CREATE)\s", re.DOTALL | re.IGNORECASE)
_MAX_TABLE_CHARS = 60_000
# Function bodies are dollar-quoted strings (``$$ … $$``) and may create temporary tables.
_BODY = re.compile(r"\$(\w{0,60})\$")
_MAX_BODIES = 200
_BEFORE_TABLE = words("OR REPLACE UNLOGGED GLOBAL LOCAL EXTERNAL FOREIGN VIRTUAL COLUMN ROW")
_NO_COLUMNS = words("PRIMARY FOREIGN UNIQUE CONSTRAINT CHECK KEY INDEX EXCLUDE LIKE FULLTEXT SPATIAL PERIOD PROJECTION")
_TYPES = words("TEXT VARCHAR CHAR INT INTEGER BIGINT SMALLINT UUID BLOB JSON JSONB BOOLEAN DATE TIMESTAMP")
_MIGRATIONS = re.compile(r"(?:^|/|-|_)(?:migrations?|migrate|flyway|liquibase)/", re.IGNORECASE)
_PASSING = re.compile(r"\w+_(?:new|old|tmp|temp|backup|bak|copy)|(?:new|old|tmp|temp)_\w+", re.IGNORECASE)
_VERSION = re.compile(r"(?:^|/)V\d[\w.]{0,40}__[^/]{1,200}\.sql$")
_DOWN = re.compile(r"(?:^|[./_-])(?:down|rollback|undo)\.sql$", re.IGNORECASE)


def read(path: str, content: str) -> tuple[Model, ...]:
    """The tables; a migration that creates none is recorded by its file name."""
    if _DOWN.search(path):
        return ()
    is_migration = _MIGRATIONS.search(path) is not None or _VERSION.search(path) is not None
    content = _without_bodies(content[:MAX_CHARS])
    starts = [match.start() for match in _CREATE.finditer(content) if match["create"]]
    models: dict[str, Model] = {}
    line, seen = 1, 0
    for start, following in zip(starts, [*starts[1:], len(content)], strict=False):
        line, seen = line + content.count("\n", seen, start), start
        end = content.find(";\n", start, min(following, start + _MAX_TABLE_CHARS))
        part = content[start : end if end > 0 else min(following, start + _MAX_TABLE_CHARS)]
        table = _read_table(Tokens(part, _TOKENS), line)
        if table is not None and not (is_migration and _PASSING.fullmatch(table.name)):
            models.setdefault(table.name, table)
        if len(models) == MAX_MODELS:
            break
    if not models and is_migration:
        return (Model(_step(path), "migration", 1),)
    return tuple(models.values())


def _step(path: str) -> str:
    """The name of a migration: its file name, or its folder name if all files have the same name."""
    parts = path.split("/")
    stem = parts[-1].removesuffix(".sql").removesuffix(".up")
    return parts[-2] if stem.lower() in ("migration", "up") and len(parts) > 1 else stem


def _without_bodies(content: str) -> str:
    parts: list[str] = []
    at = 0
    for _ in range(_MAX_BODIES):
        opening = _BODY.search(content, at)
        end = content.find(opening.group(), opening.end()) if opening else -1
        if opening is None or end < 0:
            break
        parts.append(content[at : opening.start()])
        parts.append("\n" * content.count("\n", opening.start(), end))
        at = end + len(opening.group())
    return "".join(parts) + content[at:]


def _read_table(tokens: Tokens, line: int) -> Model | None:
    tokens.take()
    for _ in range(4):
        if tokens.peek().upper() in _BEFORE_TABLE:
            tokens.take()
    if tokens.take().text.upper() != "TABLE":
        return None
    tokens.skip("IF", "NOT", "EXISTS")
    name = _name(tokens)
    if not name or tokens.peek().upper() == "PARTITION":
        return None
    fields, targets = _read_columns(tokens) if tokens.peek() == "(" else ([], [])
    return Model(name, "table", line, tuple(fields[:MAX_FIELDS]), tuple(dict.fromkeys(targets))[:MAX_FIELDS])


def _name(tokens: Tokens) -> str:
    """``table`` for ``schema.table``."""
    name = tokens.take()
    while tokens.peek() == ".":
        tokens.take()
        name = tokens.take()
    return name.quoted or (name.text if name.text.isidentifier() else "")


def _read_columns(tokens: Tokens) -> tuple[list[str], list[str]]:
    fields: list[str] = []
    targets: list[str] = []
    depth = 0
    is_first = False
    while not tokens.is_done:
        token = tokens.take()
        if token.text == "(" or token.text == ")":
            depth += 1 if token.text == "(" else -1
            is_first = depth == 1 and token.text == "("
            if depth == 0:
                break
        elif depth == 1 and token.text == ",":
            is_first = True
        elif token.text == ";":
            break
        elif token.text.upper() == "REFERENCES":
            target = _name(tokens)
            targets += [target] if target else []
        elif is_first:
            is_first = False
            if _is_column(token, tokens):
                fields.append(token.quoted or token.text)
    return fields, targets


def _is_column(token: Token, tokens: Tokens) -> bool:
    word = token.text.upper()
    return word not in _NO_COLUMNS or (word in ("KEY", "INDEX", "PERIOD") and tokens.peek().upper() in _TYPES)
