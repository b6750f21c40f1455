"""Memory items and events as the core sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loremark.wire.items import ItemType

TIER_OF_TYPE: dict[ItemType, int] = {
    "architecture": 1,
    "convention": 1,
    "codemap": 3,
    "implementation": 2,
    "decision": 2,
    "bug": 2,
    "todo": 3,
}


@dataclass(frozen=True, slots=True)
class RawEvent:
    """A captured event with its large texts restored. ``actor_id``: who sent it; None if only a signature vouches."""

    id: str
    event: str
    payload: dict[str, Any]
    actor_id: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class Quote:
    """Evidence: words of an event that support a claim, verbatim. ``commit_sha``: the commit they are from, if any."""

    event_id: str
    quote: str
    commit_sha: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """A memory item. A candidate is an item without an ``id``.

    ``reviewed``: whether a person has approved the text. ``type_margin``: how far the rules put a candidate's type
    ahead of the next one; None if it is certain. ``origins``: the event types it comes from, sorted and unique; empty
    if unknown. ``supersedes``: the id of the item that a candidate replaces, named by whoever saved it.
    """

    title: str
    content: str
    type: ItemType
    schema_key: str
    confidence: float
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    evidence: tuple[Quote, ...] = ()
    flags: tuple[str, ...] = ()
    branch: str | None = None
    tier: int = 2
    id: str = ""
    status: str = "draft"
    merged_from: tuple[str, ...] = ()
    type_margin: float | None = None
    origins: tuple[str, ...] = ()
    supersedes: str = ""
    reviewed: bool = False
