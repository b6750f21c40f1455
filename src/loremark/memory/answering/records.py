"""What goes into an answer and what comes out: plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """What was asked before, and what was answered."""

    question: str
    answer: str


@dataclass(frozen=True)
class Passage:
    """An item that may answer the question. ``similarity`` is the ranking's, 0 to 1, and compares between questions."""

    item_id: str
    type: str
    title: str
    content: str
    schema_key: str
    files: tuple[str, ...]
    confidence: float
    similarity: float


@dataclass(frozen=True)
class Composed:
    """An answer in markdown; ``used`` names exactly the passages that it cites, in the order of the marks.

    One that cites nothing says so, and may name what comes nearest.
    """

    text: str
    used: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """A model's answer, checked: ``used`` are the passages that it cites, ``unsupported`` what none of them says."""

    text: str
    used: tuple[str, ...]
    unsupported: tuple[str, ...]
