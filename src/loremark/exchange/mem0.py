"""Exports of mem0: markdown with a head before each memory, or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremark.exchange.frontmatter import Head, many, one, read_head
from loremark.exchange.notes import Note, headline, schema_key, type_of
from loremark.exchange.reading import name_in, parse, read_text, text_of, texts_of

TOOL = "mem0"
_RULE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_LISTS = ("results", "memories", "data", "items")
_TEXTS = ("memory", "text", "content", "data")
_MOST = 50_000


def looks_like_markdown(text: str) -> bool:
    return any(one(head, "id") and one(head, "created_at") for head, _ in _blocks(text[:20_000]))


def entries(document: Any) -> list[dict[str, Any]]:
    """The memories of a JSON document."""
    if isinstance(document, dict):
        document = next((document[name] for name in _LISTS if isinstance(document.get(name), list)), [])
    found = [entry for entry in document if isinstance(entry, dict)] if isinstance(document, list) else []
    return [entry for entry in found if any(text_of(entry.get(name)) for name in _TEXTS)][:_MOST]


def read(path: Path) -> Iterator[Note]:
    text, origin = read_text(path, 64 * 1024 * 1024), name_in(path, path.parent)
    if text.lstrip()[:1] in ("[", "{"):
        for entry in entries(parse(text)):
            yield _from_json(entry, origin)
        return
    for head, body in _blocks(text):
        if body:
            yield _note(body, origin, _fields(head))


def _blocks(text: str) -> list[tuple[Head, str]]:
    parts = _RULE.split(text)
    heads = [read_head(part.strip("\n").split("\n")) for part in parts]
    return [
        (heads[at], parts[at + 1].strip())
        for at in range(1, len(parts) - 1)
        if one(heads[at], "id") and one(heads[at], "created_at", "type", "categories")
    ]


def _fields(head: Head) -> dict[str, Any]:
    return {
        "type": one(head, "type"),
        "confidence": one(head, "confidence"),
        "files": many(head, "files"),
        "categories": many(head, "categories"),
        "branch": one(head, "branch"),
    }


def _from_json(entry: dict[str, Any], origin: str) -> Note:
    metadata = entry.get("metadata")
    given = {**(metadata if isinstance(metadata, dict) else {}), **entry}
    text = next(text_of(entry.get(name)) for name in _TEXTS if text_of(entry.get(name)))
    return _note(text, origin, given)


def _note(text: str, origin: str, given: dict[str, Any]) -> Note:
    categories = texts_of(given.get("categories"))
    kinds = [text_of(given.get("type")), *categories]
    kind = next((found for word in kinds if (found := type_of(word))), "implementation")
    return Note(
        tool=TOOL,
        kind="item",
        title=headline(text),
        content=text.strip(),
        origin=origin,
        type=kind,
        files=tuple(texts_of(given.get("files"))),
        tags=tuple(categories),
        confidence=_confidence(given.get("confidence")),
        schema_key=schema_key(categories[0]) if categories else None,
    )


def _confidence(value: Any) -> float | None:
    try:
        told = float(value)
    except (TypeError, ValueError):
        return None
    return told if 0 < told <= 1 else None
