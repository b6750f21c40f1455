"""Read mem0 exports: Markdown with front matter before each memory, or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremark.exchange.files import parse_json, read_text, relative_name, text_of, texts_of
from loremark.exchange.frontmatter import Frontmatter, get_list, get_text, parse_frontmatter
from loremark.exchange.notes import Note, headline, schema_key, type_of

TOOL = "mem0"
_SEPARATOR = re.compile(r"^---[ \t]*$", re.MULTILINE)
_LISTS = ("results", "memories", "data", "items")
_TEXTS = ("memory", "text", "content", "data")
_MAX_ENTRIES = 50_000


def looks_like_markdown(text: str) -> bool:
    return any(get_text(head, "id") and get_text(head, "created_at") for head, _ in _blocks(text[:20_000]))


def entries(document: Any) -> list[dict[str, Any]]:
    """Return the memories in a JSON document."""
    if isinstance(document, dict):
        document = next((document[name] for name in _LISTS if isinstance(document.get(name), list)), [])
    found = [entry for entry in document if isinstance(entry, dict)] if isinstance(document, list) else []
    return [entry for entry in found if any(text_of(entry.get(name)) for name in _TEXTS)][:_MAX_ENTRIES]


def read(path: Path) -> Iterator[Note]:
    text, origin = read_text(path, 64 * 1024 * 1024), relative_name(path, path.parent)
    if text.lstrip()[:1] in ("[", "{"):
        for entry in entries(parse_json(text)):
            yield _from_json(entry, origin)
        return
    for head, body in _blocks(text):
        if body:
            yield _note(body, origin, _fields(head))


def _blocks(text: str) -> list[tuple[Frontmatter, str]]:
    parts = _SEPARATOR.split(text)
    heads = [parse_frontmatter(part.strip("\n").split("\n")) for part in parts]
    return [
        (heads[at], parts[at + 1].strip())
        for at in range(1, len(parts) - 1)
        if get_text(heads[at], "id") and get_text(heads[at], "created_at", "type", "categories")
    ]


def _fields(head: Frontmatter) -> dict[str, Any]:
    return {
        "type": get_text(head, "type"),
        "confidence": get_text(head, "confidence"),
        "files": get_list(head, "files"),
        "categories": get_list(head, "categories"),
        "branch": get_text(head, "branch"),
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
        confidence = float(value)
    except (TypeError, ValueError):
        return None
    return confidence if 0 < confidence <= 1 else None
