"""What the brain is made of: a memory without its text, and what it is worth per token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp2
from typing import Literal, NamedTuple

LAYERS = (1, 2, 3)

Count = Callable[[str], int]
"""How many tokens a text has."""


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
    """Only on the branch that was asked for, not yet in the default one."""


@dataclass(frozen=True, slots=True)
class Text:
    """What an entry says; of a shortened one perhaps only the beginning."""

    title: str
    content: str
    files: tuple[str, ...] = ()


# What one knows first when new to a project is worth most; a context was written by hand.
_OF_TYPE = {
    "architecture": 1.0,
    "convention": 1.0,
    "codemap": 0.8,
    "decision": 1.0,
    "bug": 0.8,
    "implementation": 0.65,
    "todo": 0.8,
}
_OF_CONTEXT = 1.2
_OF_FLAG = {"stale": 0.4, "conflict": 0.6, "low_confidence": 0.5, "quality": 0.6}
_WITHOUT_EVIDENCE = 0.9
_HALF_LIFE_MS = 4 * 365 * 24 * 3600 * 1000
# The year 2100. The core has no clock; a time beyond it is nobody's and must not grow past every number.
_LATEST_MS = 4_102_444_800_000
LEAST_TOLD = 0.4
"""Of a text that only repeats its title."""
_PROMISES = (*(LEAST_TOLD for _ in range(20)), *(LEAST_TOLD + (1 - LEAST_TOLD) * step / 60 for step in range(60)))
"""By tokens: titles up to 20, and from 80 on all that an entry may tell. A table, for it is asked of all entries."""
# From here on a longer text tells hardly more: without it the shortest would always win.
_SATURATION_TOKENS = 60


def worth(entry: Entry) -> float:
    """What it is worth to have an entry in the document, apart from its length and from what it says.

    The newer is worth more, mildly, by a factor that is the same between two entries at all times: what is added
    later never changes the order of those before it.
    """
    value = _OF_CONTEXT if entry.kind == "context" else _OF_TYPE.get(entry.type, 0.65)
    value *= 0.5 + 0.5 * entry.confidence
    if entry.flags:
        for flag in entry.flags:
            value *= _OF_FLAG.get(flag, 1.0)
    if not entry.has_evidence:
        value *= _WITHOUT_EVIDENCE
    return value * exp2(min(entry.updated_at_ms, _LATEST_MS) / _HALF_LIFE_MS)


def promises(tokens: int) -> float:
    """How much a text of so many tokens mostly tells: what is hardly longer than a title repeats it."""
    return _PROMISES[tokens] if tokens < len(_PROMISES) else 1.0


def density(value: float, tokens: int) -> float:
    """Worth per token. What a text tells grows with its length, less and less."""
    return value / (tokens + _SATURATION_TOKENS)
