"""Brain entries without their text, and how much each is worth per token."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import exp2
from typing import Literal, NamedTuple

from loremark.memory.extraction.operations import SAVED_TAG
from loremark.memory.extraction.scans import SCAN_TAG
from loremark.memory.schema_keys import CODEBASE

LAYERS = (1, 2, 3)
_CODEBASE_PAGES = f"{CODEBASE}/"

Count = Callable[[str], int]
"""Counts the tokens of a text."""
Origin = Literal["saved", "scan", "other"]
"""Saved by a person, found by a scan of the code, or neither."""


class Entry(NamedTuple):
    """An approved item or context, without its text."""

    id: str
    kind: Literal["item", "context"]
    tier: int
    type: str
    schema_key: str
    confidence: float
    flags: tuple[str, ...]
    token_count: int
    updated_at_ms: int
    has_evidence: bool
    on_branch: bool
    """Only on the requested branch, not merged yet."""
    origin: Origin = "other"
    source: str = ""
    """What sent an item that nobody has reviewed; empty for others."""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of an entry; for a shortened one possibly only the beginning."""

    title: str
    content: str
    files: tuple[str, ...] = ()


def item_origin(tags: Collection[str]) -> Origin:
    """The origin of an item. What a person saved stays so if a scan finds it too."""
    return "saved" if SAVED_TAG in tags else "scan" if SCAN_TAG in tags else "other"


def context_origin(schema_key: str) -> Origin:
    return "scan" if schema_key == CODEBASE or schema_key.startswith(_CODEBASE_PAGES) else "other"


# A newcomer needs architecture, conventions and decisions most. Contexts are written by people.
_TYPE_SALIENCE = {
    "architecture": 1.0,
    "convention": 1.0,
    "codemap": 0.8,
    "decision": 1.0,
    "bug": 0.8,
    "implementation": 0.65,
    "todo": 0.8,
}
_CONTEXT_SALIENCE = 1.2
_FLAG_FACTORS = {"stale": 0.4, "conflict": 0.6, "low_confidence": 0.5, "quality": 0.6}
_NO_EVIDENCE_FACTOR = 0.9
_HALF_LIFE_MS = 4 * 365 * 24 * 3600 * 1000
# The year 2100. The core has no clock, so later times are capped to avoid an overflow.
_LATEST_MS = 4_102_444_800_000
MIN_INFORMATIVENESS = 0.4
"""For a text that only repeats its title."""
_EXPECTED = (
    *(MIN_INFORMATIVENESS for _ in range(20)),
    *(MIN_INFORMATIVENESS + (1 - MIN_INFORMATIVENESS) * step / 60 for step in range(60)),
)
"""By tokens: up to 20 is a title, from 80 on an entry may say everything. A table, since it is used for all entries."""
# Longer texts add little. Without this, the shortest text would always win.
_SATURATION_TOKENS = 60


def salience(entry: Entry) -> float:
    """How much an entry is worth, regardless of its length and text.

    Newer entries are worth slightly more, by a factor that stays the same between two entries at all times: adding
    entries never changes the order of existing ones.
    """
    value = _CONTEXT_SALIENCE if entry.kind == "context" else _TYPE_SALIENCE.get(entry.type, 0.65)
    value *= 0.5 + 0.5 * entry.confidence
    if entry.flags:
        for flag in entry.flags:
            value *= _FLAG_FACTORS.get(flag, 1.0)
    if not entry.has_evidence:
        value *= _NO_EVIDENCE_FACTOR
    return value * exp2(min(entry.updated_at_ms, _LATEST_MS) / _HALF_LIFE_MS)


def expected_informativeness(tokens: int) -> float:
    """How much a text of this length usually says. Very short texts repeat their title."""
    return _EXPECTED[tokens] if tokens < len(_EXPECTED) else 1.0


def density(value: float, tokens: int) -> float:
    """Salience per token, with diminishing returns for longer texts."""
    return value / (tokens + _SATURATION_TOKENS)
