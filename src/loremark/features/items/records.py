"""Conversions between items and database rows."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from loremark.features.history.store import encode
from loremark.features.history.tokens import count_tokens as count_tokens
from loremark.memory.branches import is_default_branch
from loremark.memory.items import Item, Quote
from loremark.memory.provenance import UNKNOWN_SOURCE, source_name
from loremark.memory.ranking.entry import Entry, pack_terms
from loremark.storage.database import Row

PATH_SEPARATOR = "\n"
"""Separates an item's paths in a result row. Paths cannot contain line breaks."""


def to_item(row: Row) -> Item:
    """Build an item from a row selected with ``ITEM_SELECT``."""
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
        evidence=tuple(map(_decode_quote, msgspec.json.decode(row["evidence"], type=list[dict[str, str]]))),
        flags=tuple(msgspec.json.decode(row["flags"], type=list[str])),
        branch=row["branch"],
        tier=row["tier"],
        merged_from=tuple(msgspec.json.decode(row["merged_from"], type=list[str])),
        reviewed=bool(row["reviewed"]),
    )


def source_of(row: Row) -> str:
    """Return the name of what sent an unreviewed item: an agent, ``git``, ``genesis`` …"""
    return source_name(row["session_source"] or "") or UNKNOWN_SOURCE


def files_of(row: Row) -> tuple[str, ...]:
    """Return the paths sorted by code point, which is the same on both database engines."""
    return tuple(sorted(row["paths"].split(PATH_SEPARATOR))) if row["paths"] else ()


def clean_paths(paths: Iterable[str]) -> list[str]:
    """Return the paths as they are stored: valid, unique and sorted."""
    return sorted({path for path in paths if path and PATH_SEPARATOR not in path})


def encode_evidence(evidence: Iterable[Quote]) -> str:
    return encode(list(map(_encode_quote, evidence)))


def _encode_quote(quote: Quote) -> dict[str, str]:
    stored = {"eventId": quote.event_id, "quote": quote.quote}
    return {**stored, "commitSha": quote.commit_sha} if quote.commit_sha else stored


def _decode_quote(stored: Mapping[str, str]) -> Quote:
    return Quote(stored["eventId"], stored["quote"], stored.get("commitSha", ""))


def encode_unique(words: Iterable[str]) -> str:
    """Encode tags, flags or ids without duplicates, in the given order."""
    return encode(list(dict.fromkeys(words)))


def to_columns(item: Item) -> dict[str, Any]:
    """Return the columns of the item's own row. Files are stored separately."""
    return {
        "title": item.title,
        "content": item.content,
        "type": item.type,
        "schema_key": item.schema_key,
        "status": item.status,
        "confidence": float(item.confidence),
        "tier": item.tier,
        "branch": item.branch,
        "tags": encode_unique(item.tags),
        "evidence": encode_evidence(item.evidence),
        "flags": encode_unique(sorted(item.flags)),
        "merged_from": encode_unique(item.merged_from),
        "reviewed": item.reviewed,
        "content_hash": content_hash(item),
        "token_count": count_tokens(f"{item.title}\n{item.content}"),
    }


def to_snapshot(item: Item, superseded_by: str | None) -> dict[str, Any]:
    """Return everything a revert restores."""
    return {
        "title": item.title,
        "content": item.content,
        "type": item.type,
        "schemaKey": item.schema_key,
        "status": item.status,
        "confidence": float(item.confidence),
        "files": clean_paths(item.files),
        "tags": list(dict.fromkeys(item.tags)),
        "evidence": list(map(_encode_quote, item.evidence)),
        "flags": sorted(set(item.flags)),
        "tier": item.tier,
        "branch": item.branch,
        "mergedFrom": list(dict.fromkeys(item.merged_from)),
        "supersededBy": superseded_by,
        "reviewed": item.reviewed,
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
        evidence=tuple(map(_decode_quote, snapshot["evidence"])),
        flags=tuple(snapshot["flags"]),
        branch=snapshot["branch"],
        tier=snapshot["tier"],
        merged_from=tuple(snapshot["mergedFrom"]),
        reviewed=snapshot.get("reviewed", False),
    )


def content_hash(item: Item) -> str:
    """Hash type, title and content, ignoring case and whitespace."""
    parts = (item.type, _normalized(item.title), _normalized(item.content))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _normalized(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def item_text(item: Item) -> str:
    """Return the text that is embedded for an item."""
    return "\n".join((item.title, item.content, item.schema_key, *clean_paths(item.files)))


SUPERSEDED = "superseded"
"""The status in the search index of an approved item that another one replaced: no search finds it."""


def to_entry(
    item: Item, session_id: str | None, created_at_ms: int, *, merged: bool, superseded_by: str | None = None
) -> Entry:
    """Build the item's search index entry."""
    return Entry(
        item_id=item.id,
        status=item.status if superseded_by is None or item.status == "deprecated" else SUPERSEDED,
        type=item.type,
        schema_key=item.schema_key,
        session_id=session_id,
        branch=None if merged or is_default_branch(item.branch, None) else item.branch,
        created_at_ms=created_at_ms,
        confidence=float(item.confidence),
        terms=pack_terms(item.title, item.content, item.schema_key, clean_paths(item.files), item.tags),
    )
