"""The built-in answer: complete sentences of the passages, each with its citation. It adds no words of its own."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.memory.answering.passage_selection import select_passages
from loremark.memory.answering.question_analysis import AnalyzedQuestion, analyze_question
from loremark.memory.answering.question_types import answer_fit
from loremark.memory.answering.recency import newest_first
from loremark.memory.answering.records import ComposedAnswer, Passage, Turn
from loremark.memory.answering.sentences import passage_sentences, sanitize_line
from loremark.memory.answering.word_overlap import weighted_coverage, word_bag

NO_ANSWER = "Nothing in this project's memory answers that question."
CLOSEST_TITLE = "Nothing in this project's memory answers that question. The closest memory is about something else:"
UNCERTAIN = "This may not fully answer the question. The closest matches:"
SENTENCES_OF_BEST = 3
_SENTENCES_OF_OTHERS = 1
_TYPE_WEIGHT = 0.6
_MIN_RELATIVE_SCORE = 0.5
_MAX_FILES = 3
_PATH_CHARS = 200


def compose_answer(question: str, earlier: Sequence[Turn], passages: Sequence[Passage]) -> ComposedAnswer:
    """Return a short answer in Markdown. ``[n]`` cites the n-th passage."""
    asked = analyze_question(question, earlier)
    choice = select_passages(asked, passages)
    if not choice.places:
        return ComposedAnswer(_no_answer(passages, choice.nearest), ())
    places = newest_first(choice.places, passages)
    paragraphs = [
        _quote_passage(passages[place], place + 1, asked, _SENTENCES_OF_OTHERS if at else SENTENCES_OF_BEST)
        for at, place in enumerate(places)
    ]
    sources = "\n".join(_source(passages[place], place + 1) for place in places)
    lead = [UNCERTAIN] if choice.uncertain else []
    return ComposedAnswer(
        "\n\n".join((*lead, *paragraphs, f"Sources:\n{sources}")), tuple(passages[place].item_id for place in places)
    )


def _no_answer(passages: Sequence[Passage], nearest: int | None) -> str:
    """No citation and no source: the title only hints at where to look."""
    title = "" if nearest is None else sanitize_line(passages[nearest].title)
    return f"{CLOSEST_TITLE} {title}" if title else NO_ANSWER


def _quote_passage(passage: Passage, number: int, asked: AnalyzedQuestion, most: int) -> str:
    """The sentences that answer best, in their original order."""
    sentences = passage_sentences(passage.content) or (sanitize_line(passage.title) or "Untitled.",)
    words = " ".join(f"{sentence} [{number}]" for sentence in best_sentences(sentences, asked, most))
    return f"{words} {_files(passage)} [{number}]" if asked.kind == "where" and passage.files else words


def best_sentences(sentences: Sequence[str], asked: AnalyzedQuestion, most: int) -> tuple[str, ...]:
    """The sentences that answer best, in their original order."""
    scores = [
        weighted_coverage(asked.words, word_bag(sentence)) + _TYPE_WEIGHT * answer_fit(asked.kind, sentence)
        for sentence in sentences
    ]
    best = sorted(range(len(sentences)), key=lambda at: (-scores[at], at))[:most]
    return tuple(sentences[at] for at in sorted(best) if scores[at] >= _MIN_RELATIVE_SCORE * scores[best[0]])


def _source(passage: Passage, number: int) -> str:
    files = _files(passage)
    return f"- [{number}] {sanitize_line(passage.title)}" + (f" ({files})" if files else "")


def _files(passage: Passage) -> str:
    paths = (
        "".join(char for char in file[:_PATH_CHARS] if char.isprintable() and char != "`")
        for file in passage.files[:_MAX_FILES]
    )
    return ", ".join(f"`{path}`" for path in paths if path)
