"""The built-in answer: complete sentences of the passages, each with its citation. It adds no words of its own."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.memory.answering.passage_selection import select_passages
from loremark.memory.answering.recency import newest_first
from loremark.memory.answering.records import ComposedAnswer, Passage
from loremark.memory.answering.sentences import passage_sentences, sanitize_line
from loremark.memory.recall.excerpts import GoalWords

NO_ANSWER = "Nothing in this project's memory answers that question."
CLOSEST_TITLE = "Nothing in this project's memory answers that question. The closest memory is about something else:"
UNCERTAIN = "This may not fully answer the question. The closest matches:"
SENTENCES_OF_BEST = 3
_SENTENCES_OF_OTHERS = 2
_MIN_RELATIVE_SHARE = 0.5
_MAX_FILES = 3
_PATH_CHARS = 200


def compose_answer(question: str, passages: Sequence[Passage], confidences: Sequence[float]) -> ComposedAnswer:
    """Return a short answer in Markdown to a question that stands alone. ``[n]`` cites the n-th passage."""
    choice = select_passages(confidences)
    if not choice.places:
        return ComposedAnswer(_no_answer(passages, choice.nearest), ())
    places = newest_first(choice.places, passages)
    paragraphs = [
        _quote_passage(passages[place], place + 1, question, _SENTENCES_OF_OTHERS if at else SENTENCES_OF_BEST)
        for at, place in enumerate(places)
    ]
    sources = "\n".join(_source(passages[place], place + 1) for place in places)
    lead = [UNCERTAIN] if choice.uncertain else []
    return ComposedAnswer(
        "\n\n".join((*lead, *paragraphs, f"Sources:\n{sources}")), tuple(passages[place].item_id for place in places)
    )


def _no_answer(passages: Sequence[Passage], nearest: int | None) -> str:
    """No citation and no source: the title only hints at where to look."""
    if nearest is None or not (title := sanitize_line(passages[nearest].title)):
        return NO_ANSWER
    origin = passages[nearest].origin
    return f"{CLOSEST_TITLE} {title}{f' (unreviewed, from {origin})' if origin else ''}"


def _quote_passage(passage: Passage, number: int, question: str, most: int) -> str:
    """A short passage in full; otherwise the sentences that are about the question."""
    sentences = passage_sentences(passage.content) or (sanitize_line(passage.title) or "Untitled.",)
    quoted = sentences if len(sentences) <= most else best_sentences(sentences, question, most)
    mark = f"Unreviewed, from {passage.origin}: " if passage.origin else ""
    return mark + " ".join(f"{sentence} [{number}]" for sentence in quoted)


def best_sentences(sentences: Sequence[str], question: str, most: int) -> tuple[str, ...]:
    """The sentences that share the most words with the question, in their original order."""
    words = GoalWords(question, sentences)
    shares = [words.share(sentence) for sentence in sentences]
    best = sorted(range(len(sentences)), key=lambda at: (-shares[at], at))[:most]
    return tuple(sentences[at] for at in sorted(best) if shares[at] >= _MIN_RELATIVE_SHARE * shares[best[0]])


def _source(passage: Passage, number: int) -> str:
    about = ", ".join(filter(None, ("unreviewed" if passage.origin else "", _files(passage))))
    return f"- [{number}] {sanitize_line(passage.title)}" + (f" ({about})" if about else "")


def _files(passage: Passage) -> str:
    paths = (
        "".join(char for char in file[:_PATH_CHARS] if char.isprintable() and char != "`")
        for file in passage.files[:_MAX_FILES]
    )
    return ", ".join(f"`{path}`" for path in paths if path)
