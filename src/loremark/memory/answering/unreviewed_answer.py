"""The built-in answer from what sessions and commits say, for questions that no item covers."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.memory.answering.extractive_answer import SENTENCES_OF_BEST, best_sentences
from loremark.memory.answering.passage_selection import select_passages
from loremark.memory.answering.recency import newest_first
from loremark.memory.answering.records import ComposedAnswer, Passage
from loremark.memory.answering.sentences import passage_sentences, sanitize_line

CLEAR = 3.5
"""The confidence from which something said is quoted. Nobody has reviewed it, so it must answer more clearly than an
item."""


def select_quotations(passages: Sequence[Passage], confidences: Sequence[float]) -> list[Passage]:
    """Return the passages that clearly answer and have something to quote."""
    if max(confidences, default=0.0) < CLEAR:
        return []
    places = newest_first(select_passages(confidences).places, passages)
    return [passages[place] for place in places if _statements(passages[place])]


def compose_unreviewed_answer(question: str, quotations: Sequence[Passage]) -> ComposedAnswer:
    """Return an answer that quotes each passage and says where it comes from. ``[n]`` cites the n-th passage."""
    paragraphs = [
        f"Unreviewed, from {passage.origin}: "
        + " ".join(
            f"{sentence} [{number}]" for sentence in best_sentences(_statements(passage), question, SENTENCES_OF_BEST)
        )
        for number, passage in enumerate(quotations, start=1)
    ]
    sources = "\n".join(
        f"- [{number}] {sanitize_line(passage.title)} (unreviewed)"
        for number, passage in enumerate(quotations, start=1)
    )
    return ComposedAnswer(
        "\n\n".join((*paragraphs, f"Sources:\n{sources}")), tuple(passage.item_id for passage in quotations)
    )


def mark_unreviewed(answer: str, passages: Sequence[Passage], used: Sequence[str]) -> str:
    """Return a model's answer, followed by the cited passages that nobody has reviewed."""
    marks = [
        f"[{number}] from {passage.origin}"
        for number, passage in enumerate(passages, start=1)
        if passage.origin and passage.item_id in used
    ]
    return f"{answer}\n\nUnreviewed: {'; '.join(marks)}." if marks else answer


def _statements(passage: Passage) -> list[str]:
    """The sentences of a passage. What someone asked in a session is no answer."""
    return [sentence for sentence in passage_sentences(passage.content) if not sentence.endswith("?")]
