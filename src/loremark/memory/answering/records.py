"""The input and output of answering."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """An earlier question and its answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class Passage:
    """An item or quotation that may answer the question. ``similarity`` is 0 to 1, comparable between questions.

    ``origin``: where something unreviewed comes from, and its date; empty for reviewed items. ``date``: when an item
    was last changed.
    """

    item_id: str
    type: str
    title: str
    content: str
    schema_key: str
    files: tuple[str, ...]
    confidence: float
    similarity: float
    origin: str = ""
    date: str = ""


@dataclass(frozen=True)
class ComposedAnswer:
    """An answer in Markdown. ``used`` lists the cited passages in the order of the citations.

    An answer without citations says so and may name the closest memory.
    """

    text: str
    used: tuple[str, ...]


@dataclass(frozen=True)
class CheckedAnswer:
    """A checked model answer: the passages it cites, and the sentences that none of them supports."""

    text: str
    used: tuple[str, ...]
    unsupported: tuple[str, ...]
