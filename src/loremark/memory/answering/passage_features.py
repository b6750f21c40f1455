"""Features of a passage as an answer to a question, and of whether the question has an answer at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loremark.memory.answering.question_analysis import AnalyzedQuestion
from loremark.memory.answering.question_types import gives_reason, lacks_expected_value
from loremark.memory.answering.records import Passage
from loremark.memory.answering.sentences import MAX_PASSAGE_CHARS
from loremark.memory.answering.term_weights import idf_weights, matched_weight
from loremark.memory.answering.word_overlap import find_codes, joined_identifiers, matches_code, word_bag

_MAX_WEIGHT = 8.0
_MAX_FIELD_CHARS = 300
_MAX_FILES = 12


@dataclass(frozen=True, slots=True)
class PassageFeatures:
    """Features of one passage, each 0 to 1.

    ``word_share`` and ``rare_words`` weight the question's words by their rarity among the passages: as a share of the
    question, and in absolute terms. ``code_mismatch``: the question names a code that this passage does not contain.
    """

    similarity: float
    word_share: float
    rare_words: float
    missing_value: float
    code_match: float
    code_mismatch: float
    gives_reason: float


@dataclass(frozen=True, slots=True)
class AnswerFeatures:
    """Features of a question and its most relevant passage.

    ``missing_subjects``: how much of the question's topic that passage does not contain.
    """

    relevance: float
    similarity: float
    missing_subjects: float


def passage_features(asked: AnalyzedQuestion, passages: Sequence[Passage]) -> list[PassageFeatures]:
    """Compute the features of each passage. The similarity comes from the ranking."""
    weights = idf_weights(asked.words, [word_bag(passage_text(passage)) for passage in passages])
    return [_features(asked, passage, weights) for passage in passages]


def answer_features(
    asked: AnalyzedQuestion, passages: Sequence[Passage], best: int, relevance: float
) -> AnswerFeatures:
    """``best`` is the index of the most relevant passage."""
    weights = idf_weights(dict.fromkeys(asked.subjects, 1.0), [word_bag(passage_text(passage)) for passage in passages])
    missing = sum(weights.values()) - matched_weight(weights, word_bag(passage_text(passages[best])))
    return AnswerFeatures(
        relevance=relevance, similarity=passages[best].similarity, missing_subjects=min(missing / _MAX_WEIGHT, 1.0)
    )


def passage_text(passage: Passage) -> str:
    """The text of a passage that is searched: title, content, schema key and files."""
    files = (file[:_MAX_FIELD_CHARS] for file in passage.files[:_MAX_FILES])
    place = passage.schema_key[:_MAX_FIELD_CHARS].replace("/", " ")
    return "\n".join((passage.title[:_MAX_FIELD_CHARS], passage.content[:MAX_PASSAGE_CHARS], place, *files))


def _features(asked: AnalyzedQuestion, passage: Passage, weights: dict[str, float]) -> PassageFeatures:
    text, content = passage_text(passage), passage.content[:MAX_PASSAGE_CHARS]
    bag, known = word_bag(text), find_codes(text) | (joined_identifiers(text) if asked.codes else frozenset())
    matched, total = matched_weight(weights, bag), sum(weights.values()) or 1.0
    return PassageFeatures(
        similarity=passage.similarity,
        word_share=matched / total,
        rare_words=min(matched / _MAX_WEIGHT, 1.0),
        missing_value=float(lacks_expected_value(asked.text, content)),
        code_match=float(any(matches_code(code, known) for code in asked.codes | asked.possible_codes)),
        code_mismatch=float(bool(asked.codes) and not any(matches_code(code, known) for code in asked.codes)),
        gives_reason=float(asked.kind == "why" and (passage.type in ("decision", "bug") or gives_reason(content))),
    )
