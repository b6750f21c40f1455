"""The parts of a score, each with its weight. The weights are fitted on the first half of LoCoMo and on our own
development questions, once for all kinds of data; docs/decisions/0018 has what each of them brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import ASKS, TELLS_TIME, folders_of, path_hash
from loremark.memory.ranking.layout import Floats, neighbouring
from loremark.memory.ranking.lexical import Lexical, find_terms, read_words
from loremark.memory.ranking.segment import GRID
from loremark.memory.ranking.terms import QuestionTerms, read_question

# On the scale of the cosine, which has weight one.
WORDS = 0.10
WORDS_OF_TALK = 0.255
WINDOW = 1.66
SESSION = 0.31
NEIGHBOURS = 0.40
BRIEF = 0.16
SPEAKER = 0.24
QUESTION_ONLY = 0.16
TIME = 0.32
NAMES = 0.125
SAME_FILE = 0.50
NEAR_FILE = 0.15
RECENT = 0.0005
OWN_BRANCH = 0.02

_ENOUGH_WORDS = 12
_MOST_NAMES = 16
_MOST_FILES = 50


@dataclass(frozen=True, slots=True)
class Leg:
    """``points`` for every place; ``words`` say what they are for, with the figure of a place put in."""

    name: str
    words: str
    points: Floats
    figures: Floats | None = None

    def told(self, place: int) -> str:
        figure = self.points if self.figures is None else self.figures
        return self.words.format(float(figure[place]))


def nearness(corpus: Corpus, vector: NDArray[np.float32] | None) -> Floats:
    """The cosine with every item; 0 where either has no vector. A vector of another length is none."""
    if vector is None or vector.shape != (corpus.width,) or not np.isfinite(vector).all():
        return np.zeros(len(corpus.layout), dtype=np.float32)
    asked = np.rint(np.asarray(vector, dtype=np.float32) * np.float32(GRID))
    found = [segment.vectors @ asked for segment in corpus.segments]
    rows = found[0] if len(found) == 1 else np.concatenate(found)
    return np.asarray(rows[corpus.layout.order] * np.float32(1 / GRID**2), dtype=np.float32)


def legs_of(corpus: Corpus, text: str, files: Sequence[str], branch: str | None, cosines: Floats) -> list[Leg]:
    """All legs that say anything about this question."""
    question = read_question(text)
    lexical = read_words(corpus, question)
    legs = [Leg("meaning", "near in meaning (cosine {:.2f})", cosines)]
    if lexical.covered:
        # Where items are short and told one after the other, an item is about all that it says.
        weight = np.float32(WORDS + WORDS_OF_TALK * corpus.layout.trust)
        legs.append(Leg("words", "shares {:.0%} of the question's words", weight * lexical.words, lexical.words))
    legs += _context(corpus, lexical, cosines)
    legs += _kind(corpus, question)
    legs += _names(corpus, question)
    legs += _files(corpus, files)
    legs += _standing(corpus, branch)
    return legs


def _context(corpus: Corpus, lexical: Lexical, cosines: Floats) -> list[Leg]:
    """What the neighbours of an item say; as much as neighbours can be trusted to belong together."""
    layout = corpus.layout
    if lexical.window is None or lexical.session is None:
        return []
    trust = np.float32(layout.trust)
    brief = np.minimum(layout.columns["length"].astype(np.float32) / _ENOUGH_WORDS, np.float32(1)) - np.float32(1)
    around = neighbouring(cosines, layout.same) / layout.around
    return [
        Leg(
            "context",
            "with its neighbours {:.0%} of the question's words",
            WINDOW * trust * lexical.window,
            lexical.window,
        ),
        Leg(
            "session",
            "its session has {:.0%} of the question's words",
            SESSION * trust * lexical.session,
            lexical.session,
        ),
        Leg("neighbours", "its neighbours are near in meaning (cosine {:.2f})", NEIGHBOURS * trust * around, around),
        Leg("brief", "says little by itself", BRIEF * trust * brief),
    ]


def _kind(corpus: Corpus, question: QuestionTerms) -> list[Leg]:
    columns = corpus.layout.columns
    flags = columns["flags"]
    legs = []
    if question.words:
        # Among people who ask no answer; in notes and code a question mark may be anything.
        points = -np.float32(QUESTION_ONLY * corpus.layout.trust) * _ones(flags & ASKS != 0)
        legs.append(Leg("asks", "asks, and does not tell", points))
    if question.asks_when:
        # In what people tell each other a time is an answer; in notes it may be any rule with a number of days.
        points = np.float32(TIME * corpus.layout.trust) * _ones(flags & TELLS_TIME != 0)
        legs.append(Leg("time", "tells a time, which is asked for", points))
    if question.people:
        told = np.isin(columns["speaker"], np.array(sorted(question.people), dtype=np.uint32))
        if told.any():
            legs.append(Leg("speaker", "said by whom the question names", SPEAKER * _ones(told)))
    return legs


def _names(corpus: Corpus, question: QuestionTerms) -> list[Leg]:
    """Identifiers, paths and codes that stand in an item as they stand in the question."""
    asked = question.names[:_MOST_NAMES]
    found = [places for places, _ in find_terms(corpus, tuple(name for _, name in asked)) if len(places)]
    if not found:
        return []
    shares = np.zeros(len(corpus.layout), dtype=np.float32)
    for places in found:
        shares[places] += np.float32(1 / len(found))
    return [Leg("names", "holds {:.0%} of the names in the question as they stand", NAMES * shares, shares)]


def _files(corpus: Corpus, files: Sequence[str]) -> list[Leg]:
    """The files at hand: the same file, or one in the same folder."""
    if not files:
        return []
    points = np.zeros(len(corpus.layout), dtype=np.float32)
    for file in files[:_MOST_FILES]:
        for folder in folders_of(file)[:1]:
            places = corpus.find_file(path_hash(folder))
            points[places] = np.maximum(points[places], np.float32(NEAR_FILE))
    for file in files[:_MOST_FILES]:
        points[corpus.find_file(path_hash(file))] = SAME_FILE
    return [Leg("files", "about a file at hand, or one beside it", points)] if points.any() else []


def _standing(corpus: Corpus, branch: str | None) -> list[Leg]:
    """Between equals the newer one, and the one of the branch that is asked for."""
    columns = corpus.layout.columns
    created = columns["created"]
    first, last = int(created.min()), int(created.max())
    legs = []
    if last > first:
        share = ((created - first) / (last - first)).astype(np.float32)
        legs.append(Leg("recent", "newer", np.float32(RECENT) * share))
    if branch is not None and branch in corpus.codes:
        legs.append(Leg("branch", "of this branch", OWN_BRANCH * _ones(columns["branch"] == corpus.codes[branch])))
    return legs


def _ones(holds: NDArray[np.bool_]) -> Floats:
    return holds.astype(np.float32)
