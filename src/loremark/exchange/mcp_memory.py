"""Read the memory file of the reference MCP server: entities with observations, and relations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loremark.exchange.files import parse_json, read_records, read_text, relative_name, text_of, texts_of
from loremark.exchange.notes import Note, schema_key, type_of

TOOL = "mcp-memory"


def is_record(record: dict[str, Any]) -> bool:
    entity = record.get("type") == "entity" and "observations" in record
    return entity or (record.get("type") == "relation" and "relationType" in record)


def is_document(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("entities"), list)


def read(path: Path) -> Iterator[Note]:
    """Read JSON Lines or a single JSON document."""
    document = parse_json(read_text(path, 64 * 1024 * 1024)) if path.suffix == ".json" else None
    if isinstance(document, dict) and is_document(document):
        entities, relations = document["entities"], document.get("relations")
    else:
        records = list(read_records(path))
        entities = [record for record in records if record.get("type") == "entity"]
        relations = [record for record in records if record.get("type") == "relation"]
    related = _related(relations if isinstance(relations, list) else [])
    for entity in entities:
        if isinstance(entity, dict) and (name := text_of(entity.get("name")).strip()):
            yield _note(entity, name, related.get(name, []), relative_name(path, path.parent))


def _related(relations: list[Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for relation in relations:
        if isinstance(relation, dict):
            start, end = text_of(relation.get("from")), text_of(relation.get("to"))
            found.setdefault(start, []).append(f"{start} {text_of(relation.get('relationType'))} {end}")
    return found


def _note(entity: dict[str, Any], name: str, related: list[str], origin: str) -> Note:
    lines = [*texts_of(entity.get("observations")), *related]
    kind = text_of(entity.get("entityType"))
    return Note(
        tool=TOOL,
        kind="item",
        title=name.replace("_", " "),
        content="\n".join(f"- {each}" for each in lines) or name,
        origin=f"{origin}#{name}",
        type=type_of(kind, "implementation"),
        tags=(kind,) if kind else (),
        schema_key=schema_key(kind or "memory", name),
    )
