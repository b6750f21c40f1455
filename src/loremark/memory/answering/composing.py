"""The built-in answer: whole sentences of the passages, each with its mark. It says nothing of its own."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.memory.answering.asking import Asked, read_question
from loremark.memory.answering.choosing import choose
from loremark.memory.answering.evidence import bag_of, share_of
from loremark.memory.answering.kinds import fits
from loremark.memory.answering.recency import newest_first
from loremark.memory.answering.records import Composed, Passage, Turn
from loremark.memory.answering.sentences import harmless, sentences_of

NOTHING = "Nothing in this project's memory covers that question."
NEAREST = "Memory does not say. Nearest, though about something else:"
PERHAPS = "Memory may not answer this fully. What comes nearest:"
_SENTENCES_OF_BEST = 3
_SENTENCES_OF_OTHERS = 1
_KIND = 0.6
_AS_GOOD = 0.5
_MOST_FILES = 3
_PATH_CHARS = 200


def compose(question: str, earlier: Sequence[Turn], passages: Sequence[Passage]) -> Composed:
    """A short answer in markdown. ``[n]`` is the n-th of the passages given."""
    asked = read_question(question, earlier)
    choice = choose(asked, passages)
    if not choice.places:
        return Composed(_silence(passages, choice.nearest), ())
    places = newest_first(choice.places, passages)
    told = [
        _told(passages[place], place + 1, asked, _SENTENCES_OF_OTHERS if at else _SENTENCES_OF_BEST)
        for at, place in enumerate(places)
    ]
    sources = "\n".join(_source(passages[place], place + 1) for place in places)
    lead = [PERHAPS] if choice.doubtful else []
    return Composed(
        "\n\n".join((*lead, *told, f"Sources:\n{sources}")), tuple(passages[place].item_id for place in places)
    )


def _silence(passages: Sequence[Passage], nearest: int | None) -> str:
    """No mark and no source: a title is a hint where to look, and no answer."""
    title = "" if nearest is None else harmless(passages[nearest].title)
    return f"{NEAREST} {title}" if title else NOTHING


def _told(passage: Passage, number: int, asked: Asked, most: int) -> str:
    """The sentences that answer best, in the order in which the passage has them."""
    sentences = sentences_of(passage.content) or (harmless(passage.title) or "Untitled.",)
    worth = [share_of(asked.words, bag_of(sentence)) + _KIND * fits(asked.kind, sentence) for sentence in sentences]
    best = sorted(range(len(sentences)), key=lambda at: (-worth[at], at))[:most]
    kept = sorted(at for at in best if worth[at] >= _AS_GOOD * worth[best[0]])
    words = " ".join(f"{sentences[at]} [{number}]" for at in kept)
    return f"{words} {_files(passage)} [{number}]" if asked.kind == "where" and passage.files else words


def _source(passage: Passage, number: int) -> str:
    files = _files(passage)
    return f"- [{number}] {harmless(passage.title)}" + (f" ({files})" if files else "")


def _files(passage: Passage) -> str:
    paths = (
        "".join(char for char in file[:_PATH_CHARS] if char.isprintable() and char != "`")
        for file in passage.files[:_MOST_FILES]
    )
    return ", ".join(f"`{path}`" for path in paths if path)
