"""Selects the passages that answer a question, if any does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from loremark.memory.answering.passage_features import (
    AnswerFeatures,
    PassageFeatures,
    answer_features,
    passage_features,
)
from loremark.memory.answering.question_analysis import AnalyzedQuestion
from loremark.memory.answering.records import Passage
from loremark.memory.answering.term_weights import MAX_PASSAGES_READ

MAX_CITED = 4

# Fitted on asks-dev; docs/decisions/0021-extractive-answers.md describes the method and the results on other projects.
RELEVANCE_WEIGHTS = PassageFeatures(
    similarity=6.0,
    word_share=2.3,
    rare_words=2.2,
    missing_value=-1.3,
    code_match=2.6,
    code_mismatch=0.0,
    gives_reason=0.5,
)
CONFIDENCE_WEIGHTS = AnswerFeatures(relevance=0.42, similarity=0.68, missing_subjects=-0.33)
CITATION_MARGIN = 1.4
"""A passage is cited next to the best one if its relevance is at most this much lower."""
NO_MATCH_BELOW = 1.13
NO_ANSWER_BELOW = 1.48
UNCERTAIN_BELOW = 2.33
"""Confidence below NO_MATCH_BELOW: nothing matches. Below NO_ANSWER_BELOW: the closest title is named but not cited.
Below UNCERTAIN_BELOW: passages are cited as uncertain."""


@dataclass(frozen=True)
class Selection:
    """Indexes of the passages that answer, best first; empty if none does.

    ``nearest``: if none answers, the index of the closest match, if there is one.
    """

    places: tuple[int, ...]
    uncertain: bool = False
    nearest: int | None = None


def select_passages(asked: AnalyzedQuestion, passages: Sequence[Passage]) -> Selection:
    """Select from the first passages. One about another code than the question names is never an answer."""
    read = passages[:MAX_PASSAGES_READ]
    features = passage_features(asked, read)
    relevance = {
        place: weighted_sum(RELEVANCE_WEIGHTS, passage)
        for place, passage in enumerate(features)
        if not passage.code_mismatch
    }
    order = sorted(relevance, key=lambda place: (-relevance[place], place))
    if not order:
        return Selection(())
    best = order[0]
    confidence = weighted_sum(CONFIDENCE_WEIGHTS, answer_features(asked, read, best, relevance[best]))
    if confidence < NO_ANSWER_BELOW:
        return Selection((), nearest=best if confidence >= NO_MATCH_BELOW and features[best].word_share else None)
    cited = [place for place in order[:MAX_CITED] if relevance[place] >= relevance[best] - CITATION_MARGIN]
    return Selection(tuple(cited), uncertain=confidence < UNCERTAIN_BELOW)


def weighted_sum(weights: PassageFeatures | AnswerFeatures, values: PassageFeatures | AnswerFeatures) -> float:
    """The weighted sum of the features."""
    return float(sum(weight * value for weight, value in zip(astuple(weights), astuple(values), strict=True)))
