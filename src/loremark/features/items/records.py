"""An item as the database keeps it, and back."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from loremark.features.history.store import encode
from loremark.features.history.tokens import count_tokens as count_tokens
from loremark.memory.branches import is_default
from loremark.memory.items import Item, Quote
from loremark.memory.ranking.entry import Entry, pack_terms
from loremark.storage.database import Row

PATH_SEPARATOR = "\n"
"""Between the paths of an item in a result row; no path holds a line break."""


def to_item(row: Row) -> Item:
    """The item of a row of this feature's store (which brings the files along)."""
    return Item(
        id=row["id"],
        title=row["title"],
        content=row["content"],
        type=row["type"],
        schema_key=row["schema_key"],
        status=row["status"],
        confidence=row["confidence"],
        files=files_of(row),
        tags=tuple(msgspec.json.decode(row["tags"], type=list[str])),
        evidence=tuple(
            Quote(quote["eventId"], quote["quote"])
            for quote in msgspec.json.decode(row["evidence"], type=list[dict[str, str]])
        ),
        flags=tuple(msgspec.json.decode(row["flags"], type=list[str])),
        branch=row["branch"],
        tier=row["tier"],
        merged_from=tuple(msgspec.json.decode(row["merged_from"], type=list[str])),
    )


def files_of(row: Row) -> tuple[str, ...]:
    """The paths in the order of their characters, alike on both engines."""
    return tuple(sorted(row["paths"].split(PATH_SEPARATOR))) if row["paths"] else ()


def clean_paths(paths: Iterable[str]) -> list[str]:
    """The paths as they are kept: each once, sorted; what cannot be a path is left out."""
    return sorted({path for path in paths if path and PATH_SEPARATOR not in path})


def encode_evidence(evidence: Iterable[Quote]) -> str:
    return encode([{"eventId": quote.event_id, "quote": quote.quote} for quote in evidence])


def encode_words(words: Iterable[str]) -> str:
    """Tags, flags or ids: each once, in the order given."""
    return encode(list(dict.fromkeys(words)))


def to_columns(item: Item) -> dict[str, Any]:
    """What the item's own row holds of its state (files have rows of their own)."""
    return {
        "title": item.title,
        "content": item.content,
        "type": item.type,
        "schema_key": item.schema_key,
        "status": item.status,
        "confidence": float(item.confidence),
        "tier": item.tier,
        "branch": item.branch,
        "tags": encode_words(item.tags),
        "evidence": encode_evidence(item.evidence),
        "flags": encode_words(sorted(item.flags)),
        "merged_from": encode_words(item.merged_from),
        "content_hash": content_hash(item),
        "token_count": count_tokens(f"{item.title}\n{item.content}"),
    }


def to_snapshot(item: Item, superseded_by: str | None) -> dict[str, Any]:
    """All that a revert gives back."""
    return {
        "title": item.title,
        "content": item.content,
        "type": item.type,
        "schemaKey": item.schema_key,
        "status": item.status,
        "confidence": float(item.confidence),
        "files": clean_paths(item.files),
        "tags": list(dict.fromkeys(item.tags)),
        "evidence": [{"eventId": quote.event_id, "quote": quote.quote} for quote in item.evidence],
        "flags": sorted(set(item.flags)),
        "tier": item.tier,
        "branch": item.branch,
        "mergedFrom": list(dict.fromkeys(item.merged_from)),
        "supersededBy": superseded_by,
    }


def from_snapshot(item_id: str, snapshot: Mapping[str, Any]) -> Item:
    return Item(
        id=item_id,
        title=snapshot["title"],
        content=snapshot["content"],
        type=snapshot["type"],
        schema_key=snapshot["schemaKey"],
        status=snapshot["status"],
        confidence=snapshot["confidence"],
        files=tuple(snapshot["files"]),
        tags=tuple(snapshot["tags"]),
        evidence=tuple(Quote(quote["eventId"], quote["quote"]) for quote in snapshot["evidence"]),
        flags=tuple(snapshot["flags"]),
        branch=snapshot["branch"],
        tier=snapshot["tier"],
        merged_from=tuple(snapshot["mergedFrom"]),
    )


def content_hash(item: Item) -> str:
    """The same for two items that say the same in the same words, whatever their case and spacing."""
    parts = (item.type, _normalised(item.title), _normalised(item.content))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def item_text(item: Item) -> str:
    """All that an item says, as one text; this is what is embedded."""
    return "\n".join((item.title, item.content, item.schema_key, *clean_paths(item.files)))


def to_entry(item: Item, session_id: str | None, created_at_ms: int, *, merged: bool) -> Entry:
    """What the item is ranked by."""
    return Entry(
        item_id=item.id,
        status=item.status,
        type=item.type,
        schema_key=item.schema_key,
        session_id=session_id,
        branch=None if merged or is_default(item.branch, None) else item.branch,
        created_at_ms=created_at_ms,
        confidence=float(item.confidence),
        terms=pack_terms(item.title, item.content, item.schema_key, clean_paths(item.files), item.tags),
    )
