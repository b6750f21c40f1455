"""What a briefing can contain, independent of where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loremark.memory.recall.excerpts import ScoredMessage
from loremark.wire.items import ItemType

EntryKind = Literal["item", "session", "commit"]


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A memory item. ``origin``: what sent it, shown unless it was reviewed."""

    id: str
    title: str
    content: str
    type: ItemType
    reviewed: bool
    date: str
    origin: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A session or commit to quote from. ``outdated``: a later one on the same subject is in the same briefing."""

    id: str
    kind: Literal["session", "commit"]
    said: tuple[ScoredMessage, ...]
    date: str
    agent: str
    branch: str | None
    turn_ids: tuple[str, ...]
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that the briefing contains."""

    kind: EntryKind
    id: str
    reviewed: bool
    turn_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """The briefing's text, empty if nothing fits, and what it contains."""

    markdown: str
    tokens: int
    entries: tuple[Entry, ...]


EMPTY = Document("", 0, ())
