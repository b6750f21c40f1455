"""The built-in answer from what sessions and commits say, for questions that no item covers."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.memory.answering.extractive_answer import SENTENCES_OF_BEST, best_sentences
from loremark.memory.answering.passage_selection import select_passages
from loremark.memory.answering.question_analysis import AnalyzedQuestion, analyze_question
from loremark.memory.answering.recency import newest_first
from loremark.memory.answering.records import ComposedAnswer, Passage, Turn
from loremark.memory.answering.sentences import passage_sentences, sanitize_line
from loremark.memory.answering.word_overlap import word_bag

MIN_SIMILARITY = 0.62
"""Nobody has reviewed what was said, so it must match more clearly than an item."""
_MIN_SUBJECTS = 0.5


def select_quotations(question: str, earlier: Sequence[Turn], passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages whose quoted sentences are clearly about the question; none if in doubt."""
    asked = analyze_question(question, earlier)
    near = [passage for passage in passages if passage.similarity >= MIN_SIMILARITY]
    places = newest_first(select_passages(asked, near).places, near)
    return [near[place] for place in places if _covers_subjects(asked, _quote(near[place], asked))]


def compose_unreviewed_answer(question: str, earlier: Sequence[Turn], quotations: Sequence[Passage]) -> ComposedAnswer:
    """Return an answer that quotes each passage and says where it comes from. ``[n]`` cites the n-th passage."""
    asked = analyze_question(question, earlier)
    paragraphs = [
        f"Unreviewed, from {passage.origin}: "
        + " ".join(f"{sentence} [{number}]" for sentence in _quote(passage, asked))
        for number, passage in enumerate(quotations, start=1)
    ]
    sources = "\n".join(
        f"- [{number}] {sanitize_line(passage.title)}" for number, passage in enumerate(quotations, start=1)
    )
    return ComposedAnswer(
        "\n\n".join((*paragraphs, f"Sources:\n{sources}")), tuple(passage.item_id for passage in quotations)
    )


def _quote(passage: Passage, asked: AnalyzedQuestion) -> tuple[str, ...]:
    """The sentences that answer best. What someone asked in a session is no answer."""
    statements = [sentence for sentence in passage_sentences(passage.content) if not sentence.endswith("?")]
    return best_sentences(statements, asked, SENTENCES_OF_BEST)


def _covers_subjects(asked: AnalyzedQuestion, quote: Sequence[str]) -> bool:
    bag = word_bag("\n".join(quote))
    said = sum(word in bag for word in asked.subjects)
    return said > 0 and said >= _MIN_SUBJECTS * len(asked.subjects)
