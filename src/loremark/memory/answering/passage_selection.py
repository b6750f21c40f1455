"""Selects the passages that answer a question, if any does, by how confident the reader is of each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from loremark.memory.answering.sentences import MAX_PASSAGE_CHARS
from loremark.memory.log_odds import log_odds

MAX_READ = 6
"""Passages that are read. More cost time, and the ones that the search puts lower rarely answer."""
MAX_CITED = 4

# Chosen on asks-dev; docs/research/answers.md has the figures for other values.
CITATION_MARGIN = 2.5
"""A passage is cited next to the best one if its confidence is at most this much lower."""
NO_MATCH_BELOW = 0.5
NO_ANSWER_BELOW = 1.5
UNCERTAIN_BELOW = 3.0
"""Confidence below NO_MATCH_BELOW: nothing matches. Below NO_ANSWER_BELOW: the closest title is named but not cited.
Below UNCERTAIN_BELOW: passages are cited as uncertain."""
_SIMILARITY_WEIGHT = 6.0
_BALANCED_SIMILARITY = 0.5
_SIMILARITY_ALONE_WEIGHT = 25.0
"""Without the reader: the similarity from which a passage is cited, and its weight. 0.1 less similarity is the
margin."""
# Letters and digits that form a code: with a hyphen, with three digits, or in capitals.
_CODE = re.compile(
    r"\b(?:[A-Za-z]{1,10}(?:-[A-Za-z]{1,10}){0,2}-[A-Za-z]?\d+|[A-Za-z]{1,10}\d{3,}|\d*[A-Z]{1,6}\d{2,})\w*"
)


@dataclass(frozen=True)
class Selection:
    """Indexes of the passages that answer, best first; empty if none does.

    ``nearest``: if none answers, the index of the closest match, if there is one.
    """

    places: tuple[int, ...]
    uncertain: bool = False
    nearest: int | None = None


def rate_passages(
    question: str, texts: Sequence[str], similarities: Sequence[float], answers: Sequence[float] | None
) -> list[float]:
    """The confidence that each text answers: the reader's probability as log odds, plus the weighted similarity.

    Without ``answers``, the similarity alone. A text about another code than the one asked for never answers; the
    reader hardly tells codes apart.
    """
    codes = _codes(question)
    rated = []
    for place, (text, similarity) in enumerate(zip(texts, similarities, strict=True)):
        if codes and not any(known.endswith(code) for known in _codes(text) for code in codes):
            rated.append(-math.inf)
        elif answers is None:
            rated.append(NO_ANSWER_BELOW + _SIMILARITY_ALONE_WEIGHT * (similarity - _BALANCED_SIMILARITY))
        else:
            rated.append(log_odds(answers[place]) + _SIMILARITY_WEIGHT * similarity)
    return rated


def _codes(text: str) -> set[str]:
    """Codes such as error codes, without separators."""
    return {re.sub(r"[^a-z0-9]", "", code.lower()) for code in _CODE.findall(text[:MAX_PASSAGE_CHARS])}


def select_passages(confidences: Sequence[float]) -> Selection:
    """Select by the confidence in each of the first passages."""
    order = sorted(range(len(confidences)), key=lambda place: (-confidences[place], place))
    best = confidences[order[0]] if order else -math.inf
    if best < NO_ANSWER_BELOW:
        return Selection((), nearest=order[0] if best >= NO_MATCH_BELOW else None)
    cited = (place for place in order[:MAX_CITED] if confidences[place] >= best - CITATION_MARGIN)
    return Selection(tuple(cited), uncertain=best < UNCERTAIN_BELOW)
