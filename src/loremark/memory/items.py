"""A memory item as the core sees it, and what an item is before it is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loremark.wire.items import ItemType

TIER_OF_TYPE: dict[ItemType, int] = {
    "architecture": 1,
    "convention": 1,
    "codemap": 1,
    "implementation": 2,
    "decision": 2,
    "bug": 2,
    "todo": 3,
}


@dataclass(frozen=True, slots=True)
class RawEvent:
    """A captured event, whole: large texts are back in their places."""

    id: str
    event: str
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class Quote:
    """The words of an event that a claim rests on; they stand in the event's texts exactly so."""

    event_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Item:
    """What is known, and how. A candidate is an item without an identity: ``id`` is empty.

    ``type_margin``: how far the rules put a candidate's type before the next one; None when it is not in doubt.
    ``origins``: the kinds of events it rests on, each once and sorted; empty where that is not known.
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
