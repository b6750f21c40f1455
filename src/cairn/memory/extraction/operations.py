"""Explicit words about memory: operations on items, and updates of contexts."""

from __future__ import annotations

import re
from typing import Any

from cairn.memory import schema_keys
from cairn.memory.extraction import confidence, titles
from cairn.memory.extraction.drafting import (
    MAX_CONTENT_CHARS,
    MAX_QUOTES,
    Origin,
    cut_quote,
    files_in,
    files_of,
    joined_files,
)
from cairn.memory.extraction.keys import key_for, valid_key
from cairn.memory.extraction.payloads import entries, first_text, text
from cairn.memory.extraction.results import ContextUpdate, Operation, OperationKind
from cairn.memory.extraction.sentences import plain, split
from cairn.memory.extraction.typing_rules import TYPES, type_of_category, verdict
from cairn.memory.items import TIER_OF_TYPE, Item, Quote
from cairn.wire.items import ItemType

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
_CONTEXT_CHARS = 200_000
_NAME_CHARS = 100


def created_item(payload: dict[str, Any], origin: Origin) -> Item | None:
    """The item that somebody asked to be remembered, word for word."""
    operation = first_text(payload, "operation", "action", "op").strip().lower()
    if operation not in _CREATE and not (operation == "" and not _item_id(payload)):
        return None
    given = _given(payload)
    lead, content = first_text(given, "title"), first_text(given, "content", "text", "description", "body").strip()
    title = titles.headline(lead) or next(
        (found for one in split(content, 20) if (found := titles.headline(one.text))), ""
    )
    if not title:
        return None
    kind = (
        _type(given)
        or verdict(plain(lead), [one.text for one in split(content, 20)][:8], (text(given.get("category")),)).type
    )
    files = joined_files(files_of(given, origin.roots), files_in((lead, content), origin.roots))
    sources = [one.raw for one in split(content, 20)] or [lead]
    quotes = dict.fromkeys(quote for raw in (*sources[:2], lead) if "\x00" not in raw and (quote := cut_quote(raw)))
    if not quotes:
        return None
    return Item(
        title=title,
        content=_whole(content) or title,
        type=kind,
        schema_key=valid_key(given.get("schemaKey")) or key_for(kind, files, "", f"{title}. {content}"),
        confidence=confidence.given(given.get("confidence"), confidence.SAID_OUTRIGHT),
        files=files,
        tags=tuple(dict.fromkeys(schema_keys.slug(tag) for tag in entries(given.get("tags")) if isinstance(tag, str)))[
            :5
        ],
        evidence=tuple(Quote(origin.event_id, quote) for quote in quotes)[:MAX_QUOTES],
        branch=origin.branch,
        tier=TIER_OF_TYPE[kind],
        # Of the past on anybody's word; approved by nobody's.
        status="deprecated" if text(given.get("status")).strip().lower() == "deprecated" else "draft",
    )


def operation_of(payload: dict[str, Any], origin: Origin) -> Operation | None:
    """A change of an item that exists, with the valid ones of its fields."""
    kind = _KINDS.get(first_text(payload, "operation", "action", "op").strip().lower())
    item_id = _item_id(payload)
    if kind is None or not item_id:
        return None
    given = _given(payload)
    changes: dict[str, Any] = {}
    if kind == "update":
        title, content = titles.headline(text(given.get("title"))), text(given.get("content")).strip()
        changes = {
            "title": title or None,
            "content": _whole(content) or None,
            "type": _type(given),
            "schema_key": valid_key(given.get("schemaKey")),
            "files": tuple(files_of(given, origin.roots)) if isinstance(given.get("files"), list) else None,
            "confidence": confidence.given(given.get("confidence"), -1.0),
        }
        changes = {name: value for name, value in changes.items() if value is not None and value != -1.0}
        if not changes:
            return None
    return Operation(kind, item_id, changes)


def context_of(payload: dict[str, Any]) -> ContextUpdate | None:
    """The text of a context; one without a name is left out."""
    name = plain(first_text(payload, "name", "title"))[:_NAME_CHARS].strip()
    if not name:
        return None
    kind = text(payload.get("contextType")).strip().lower()
    tier = payload.get("tier")
    content = text(payload.get("content")).replace("\x00", "")
    return ContextUpdate(
        schema_key=valid_key(payload.get("schemaKey")) or schema_keys.child(None, name),
        name=name,
        content=content[:_CONTEXT_CHARS],
        append=payload.get("append") is True,
        context_type=kind if kind in _CONTEXT_TYPES else None,
        tier=tier if isinstance(tier, int) and not isinstance(tier, bool) and 1 <= tier <= 3 else None,
    )


def _given(payload: dict[str, Any]) -> dict[str, Any]:
    item = payload.get("item")
    if isinstance(item, str):
        return {"content": item}
    return item if isinstance(item, dict) else payload


def _item_id(payload: dict[str, Any]) -> str:
    found = first_text(payload, "itemId", "id").strip() or first_text(_given(payload), "itemId", "id").strip()
    return found if re.fullmatch(r"[\w.:-]{1,100}", found) else ""


def _type(given: dict[str, Any]) -> ItemType | None:
    name = text(given.get("type")).strip().lower()
    known = next((kind for kind in TYPES if kind == name), None)
    if known is not None or not name:
        return known
    named = type_of_category(name)
    return named[0] if named is not None else None


def _whole(content: str) -> str:
    content = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", " ", content).strip()
    return content if len(content) <= MAX_CONTENT_CHARS else content[: MAX_CONTENT_CHARS - 1].rstrip() + "…"
