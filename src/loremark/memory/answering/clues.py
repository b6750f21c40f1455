"""What speaks for a passage as the answer to a question, and what for there being an answer at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loremark.memory.answering.asking import Asked
from loremark.memory.answering.evidence import bag_of, codes_in, joined_names, names_code
from loremark.memory.answering.kinds import gives_reason, lacks_wanted
from loremark.memory.answering.records import Passage
from loremark.memory.answering.sentences import LONGEST_PASSAGE
from loremark.memory.answering.weighing import held, rarities

_ENOUGH_WEIGHT = 8.0
_SHORT = 300
_MOST_FILES = 12


@dataclass(frozen=True, slots=True)
class Clues:
    """Of one passage, each 0 to 1. ``stray``: the question names a code, and it is not one of this passage.

    ``share`` and ``rare`` weigh the words that it has by how rare they are among the passages: of all that the question
    has, and how many there are.
    """

    near: float
    share: float
    rare: float
    lacks: float
    code: float
    stray: float
    reason: float


@dataclass(frozen=True, slots=True)
class Signs:
    """Of a question and the passage that is worth most.

    ``misses``: how much of what the question is about does not stand in that passage.
    """

    worth: float
    near: float
    misses: float


def clues_of(asked: Asked, passages: Sequence[Passage]) -> list[Clues]:
    """Read from the words; the nearness is the ranking's."""
    weights = rarities(asked.words, [bag_of(whole(passage)) for passage in passages])
    return [_clues(asked, passage, weights) for passage in passages]


def signs_of(asked: Asked, passages: Sequence[Passage], best: int, worth: float) -> Signs:
    """``best`` is the place of the passage that is worth most."""
    weights = rarities(dict.fromkeys(asked.subjects, 1.0), [bag_of(whole(passage)) for passage in passages])
    missing = sum(weights.values()) - held(weights, bag_of(whole(passages[best])))
    return Signs(worth=worth, near=passages[best].similarity, misses=min(missing / _ENOUGH_WEIGHT, 1.0))


def whole(passage: Passage) -> str:
    """All that a passage says, as far as it is read."""
    files = (file[:_SHORT] for file in passage.files[:_MOST_FILES])
    place = passage.schema_key[:_SHORT].replace("/", " ")
    return "\n".join((passage.title[:_SHORT], passage.content[:LONGEST_PASSAGE], place, *files))


def _clues(asked: Asked, passage: Passage, weights: dict[str, float]) -> Clues:
    text, content = whole(passage), passage.content[:LONGEST_PASSAGE]
    bag, known = bag_of(text), codes_in(text) | (joined_names(text) if asked.codes else frozenset())
    told, total = held(weights, bag), sum(weights.values()) or 1.0
    return Clues(
        near=passage.similarity,
        share=told / total,
        rare=min(told / _ENOUGH_WEIGHT, 1.0),
        lacks=float(lacks_wanted(asked.text, content)),
        code=float(any(names_code(code, known) for code in asked.codes | asked.loose_codes)),
        stray=float(bool(asked.codes) and not any(names_code(code, known) for code in asked.codes)),
        reason=float(asked.kind == "why" and (passage.type in ("decision", "bug") or gives_reason(content))),
    )
