"""Parses explicit memory operations and context updates."""

from __future__ import annotations

import re
from typing import Any

from loremark.base import limits
from loremark.memory import schema_keys
from loremark.memory.extraction import confidence, titles
from loremark.memory.extraction.facts import (
    MAX_QUOTES,
    EventContext,
    cut_quote,
    files_of,
    find_files,
    merge_files,
)
from loremark.memory.extraction.payloads import as_list, as_text, first_text
from loremark.memory.extraction.results import ContextUpdate, Operation, OperationKind
from loremark.memory.extraction.schema_key_rules import infer_schema_key, parse_schema_key
from loremark.memory.extraction.sentence_splitter import split_sentences, strip_markdown
from loremark.memory.extraction.type_rules import TYPES, classify_type, type_for_category
from loremark.memory.items import TIER_OF_TYPE, Item, Quote
from loremark.wire.items import ItemType

SAVED_TAG = "saved"
"""The tag of items that a person saved. The brain never leaves them out for findings of scans."""
_KINDS: dict[str, OperationKind] = {
    "update": "update",
    "edit": "update",
    "deprecate": "deprecate",
    "archive": "deprecate",
    "delete": "delete",
    "remove": "delete",
}
_CREATE = ("create", "add", "save", "remember", "store")
_CONTEXT_TYPES = ("system", "reference", "memory")
_OPERATION_FIELDS = ("operation", "action", "op")
_CONTENT_FIELDS = ("content", "text", "description", "body")
_READ_CHARS = 20_000
_ID = re.compile(r"[\w.:-]{1,100}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_ANY_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LINE_BREAK = re.compile(r"[\r\n\t]+")
_NAMED = re.compile(r"\w")
_RETURN = re.compile(r"\r\n?")


def created_item(payload: dict[str, Any], origin: EventContext) -> Item | None:
    """The explicitly saved item, verbatim; only a missing title is derived from the text."""
    operation = _operation(payload)
    if operation not in _CREATE and not (operation == "" and not _item_id(payload)):
        return None
    given = _given(payload)
    lead, content = _title(given), _clean_text(first_text(given, *_CONTENT_FIELDS))
    sentences = split_sentences(content[:_READ_CHARS], 20)
    title = lead or next((found for one in sentences if (found := titles.headline(one.text))), _line(content))
    quotes = _quotes(given)
    if not title or not quotes:
        return None
    kind = (
        _type(given) or classify_type(lead, [one.text for one in sentences][:8], (as_text(given.get("category")),)).type
    )
    files = merge_files(files_of(given, origin.roots), find_files((lead, content[:_READ_CHARS]), origin.roots))
    return Item(
        title=title,
        content=content or title,
        type=kind,
        schema_key=parse_schema_key(given.get("schemaKey"))
        or infer_schema_key(kind, files, "", f"{title}. {content[:_READ_CHARS]}"),
        confidence=confidence.of_operation(given.get("confidence"), payload, origin.actor_id),
        files=files,
        tags=_tags(given, payload, origin),
        evidence=tuple(Quote(origin.event_id, quote) for quote in quotes),
        branch=origin.branch,
        tier=TIER_OF_TYPE[kind],
        # Anyone can deprecate, but only a reviewer can approve.
        status="deprecated" if as_text(given.get("status")).strip().lower() == "deprecated" else "draft",
        supersedes=_id_in(first_text(given, "supersedes")),
    )


def parse_operation(payload: dict[str, Any], origin: EventContext) -> Operation | None:
    """A change to an existing item, with its valid fields."""
    kind = _KINDS.get(_operation(payload) or "")
    item_id = _item_id(payload)
    if kind is None or not item_id:
        return None
    given = _given(payload)
    changes: dict[str, Any] = {}
    if kind == "update":
        changes = {
            "title": _title(given) or None,
            "content": _clean_text(as_text(given.get("content"))) or None,
            "type": _type(given),
            "schema_key": parse_schema_key(given.get("schemaKey")),
            "files": tuple(files_of(given, origin.roots)) if isinstance(given.get("files"), list) else None,
            "confidence": confidence.parse_claim(given.get("confidence")),
        }
        changes = {name: value for name, value in changes.items() if value is not None}
        if not changes:
            return None
    return Operation(kind, item_id, changes)


def parse_context_update(payload: dict[str, Any]) -> ContextUpdate | None:
    """A context update; None if it has neither a key nor a name."""
    name = strip_markdown(first_text(payload, "name", "title"))[: limits.CONTEXT_NAME_CHARS].strip()
    key = parse_schema_key(payload.get("schemaKey")) or (schema_keys.child(None, name) if name else None)
    if key is None:
        return None
    kind = as_text(payload.get("contextType")).strip().lower()
    tier, content = payload.get("tier"), payload.get("content")
    return ContextUpdate(
        schema_key=key,
        name=name,
        content=content.replace("\x00", "")[: limits.CONTENT_CHARS] if isinstance(content, str) else None,
        append=payload.get("append") is True,
        context_type=kind if kind in _CONTEXT_TYPES else None,
        tier=tier if isinstance(tier, int) and not isinstance(tier, bool) and 1 <= tier <= 3 else None,
    )


def _operation(payload: dict[str, Any]) -> str | None:
    """The operation's name; empty if there is none, None if it is not a string."""
    said = next((payload[name] for name in _OPERATION_FIELDS if payload.get(name) is not None), "")
    return said.strip().lower() if isinstance(said, str) else None


def _given(payload: dict[str, Any]) -> dict[str, Any]:
    item = payload.get("item")
    if isinstance(item, str):
        return {"content": item}
    return item if isinstance(item, dict) else payload


def _item_id(payload: dict[str, Any]) -> str:
    return _id_in(first_text(payload, "itemId", "id").strip() or first_text(_given(payload), "itemId", "id"))


def _id_in(text: str) -> str:
    return text.strip() if _ID.fullmatch(text.strip()) else ""


def _tags(given: dict[str, Any], payload: dict[str, Any], origin: EventContext) -> tuple[str, ...]:
    tags = [schema_keys.slug(tag) for tag in as_list(given.get("tags")) if isinstance(tag, str)]
    tags = list(dict.fromkeys(tags))[:5]
    if not confidence.is_saved_by_person(payload, origin.actor_id):
        return tuple(tag for tag in tags if tag != SAVED_TAG)
    return tuple(dict.fromkeys((*tags, SAVED_TAG)))


def _type(given: dict[str, Any]) -> ItemType | None:
    name = as_text(given.get("type")).strip().lower()
    known = next((kind for kind in TYPES if kind == name), None)
    if known is not None or not name:
        return known
    named = type_for_category(name)
    return named[0] if named is not None else None


def _title(given: dict[str, Any]) -> str:
    """A title as sent, on one line."""
    return _cut(_CONTROL.sub("", _LINE_BREAK.sub(" ", first_text(given, "title"))).strip(), limits.ITEM_TITLE_CHARS)


def _clean_text(content: str) -> str:
    """A text as sent."""
    return _cut(_CONTROL.sub("", _RETURN.sub("\n", content)).strip(), limits.CONTENT_CHARS)


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def _line(content: str) -> str:
    """The first line of a text without sentences, such as code."""
    line = next((line for line in content[:_READ_CHARS].split("\n") if _NAMED.search(line)), "")
    return _cut(line.strip(), titles.MAX_TITLE_CHARS)


def _quotes(given: dict[str, Any]) -> list[str]:
    """Quotes from the event: its first sentences, or first words, and its title."""
    sources: list[str] = []
    for source in (first_text(given, *_CONTENT_FIELDS)[:_READ_CHARS], first_text(given, "title")[:_READ_CHARS]):
        pieces = [piece for piece in _ANY_CONTROL.split(source) if piece.strip()]
        sources += [one.raw for one in split_sentences(source, 20)][:2] or pieces[:1]
    return list(dict.fromkeys(quote for raw in sources if (quote := cut_quote(raw))))[:MAX_QUOTES]
