"""The signals that make up a score, each with its weight.

The weights are fitted on the first half of LoCoMo and on our own development questions, once for all kinds of data.
docs/research/ranking.md lists what each signal contributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.memory.ranking.corpus import Corpus
from loremark.memory.ranking.entry import ASKS, TELLS_TIME, folders_of, path_hash
from loremark.memory.ranking.layout import Floats, neighbor_sum
from loremark.memory.ranking.lexical import LexicalScores, find_terms, score_words
from loremark.memory.ranking.segment import GRID
from loremark.memory.ranking.terms import QuestionTerms, read_question

# Relative to the cosine, which has weight one.
WORDS = 0.10
WORDS_OF_TALK = 0.255
WINDOW = 1.66
SESSION = 0.31
NEIGHBORS = 0.40
BRIEF = 0.16
SPEAKER = 0.24
QUESTION_ONLY = 0.16
TIME = 0.32
NAMES = 0.125
SAME_FILE = 0.50
NEAR_FILE = 0.15
RECENT = 0.0005
OWN_BRANCH = 0.02

_BRIEF_WORDS = 12
_MAX_NAMES = 16
_MAX_FILES = 50


@dataclass(frozen=True, slots=True)
class Signal:
    """``points`` for each position; ``template`` describes them, formatted with the figure of a position."""

    name: str
    template: str
    points: Floats
    figures: Floats | None = None

    def describe(self, place: int) -> str:
        figure = self.points if self.figures is None else self.figures
        return self.template.format(float(figure[place]))


def cosine_similarities(corpus: Corpus, vector: NDArray[np.float32] | None) -> Floats:
    """The cosine of every item; 0 where either vector is missing or has another length."""
    if vector is None or vector.shape != (corpus.width,) or not np.isfinite(vector).all():
        return np.zeros(len(corpus.layout), dtype=np.float32)
    asked = np.rint(np.asarray(vector, dtype=np.float32) * np.float32(GRID))
    found = [segment.vectors @ asked for segment in corpus.segments]
    rows = found[0] if len(found) == 1 else np.concatenate(found)
    return np.asarray(rows[corpus.layout.order] * np.float32(1 / GRID**2), dtype=np.float32)


def compute_signals(
    corpus: Corpus, text: str, files: Sequence[str], branch: str | None, cosines: Floats
) -> list[Signal]:
    """All signals that apply to this question."""
    question = read_question(text)
    lexical = score_words(corpus, question)
    signals = [Signal("meaning", "similar in meaning (cosine {:.2f})", cosines)]
    if lexical.covered:
        # Short items in a conversation are about everything they mention.
        weight = np.float32(WORDS + WORDS_OF_TALK * corpus.layout.trust)
        signals.append(
            Signal("words", "contains {:.0%} of the question's words", weight * lexical.words, lexical.words)
        )
    signals += _context(corpus, lexical, cosines)
    signals += _kind(corpus, question)
    signals += _names(corpus, question)
    signals += _files(corpus, files)
    signals += _tie_breakers(corpus, branch)
    return signals


def _context(corpus: Corpus, lexical: LexicalScores, cosines: Floats) -> list[Signal]:
    """Signals of an item's neighbors, weighted by how related neighbors are."""
    layout = corpus.layout
    if lexical.window is None or lexical.session is None:
        return []
    trust = np.float32(layout.trust)
    brief = np.minimum(layout.columns["length"].astype(np.float32) / _BRIEF_WORDS, np.float32(1)) - np.float32(1)
    around = neighbor_sum(cosines, layout.same) / layout.around
    return [
        Signal(
            "context",
            "with its neighbors, contains {:.0%} of the question's words",
            WINDOW * trust * lexical.window,
            lexical.window,
        ),
        Signal(
            "session",
            "its session contains {:.0%} of the question's words",
            SESSION * trust * lexical.session,
            lexical.session,
        ),
        Signal("neighbors", "its neighbors are similar in meaning (cosine {:.2f})", NEIGHBORS * trust * around, around),
        Signal("brief", "says little on its own", BRIEF * trust * brief),
    ]


def _kind(corpus: Corpus, question: QuestionTerms) -> list[Signal]:
    columns = corpus.layout.columns
    flags = columns["flags"]
    signals = []
    if question.words:
        # In conversations a question is no answer; in notes and code a question mark can mean anything.
        points = -np.float32(QUESTION_ONLY * corpus.layout.trust) * _ones(flags & ASKS != 0)
        signals.append(Signal("asks", "is a question rather than an answer", points))
    if question.asks_when:
        # In conversations a time answers "when"; in notes it may be any number of days.
        points = np.float32(TIME * corpus.layout.trust) * _ones(flags & TELLS_TIME != 0)
        signals.append(Signal("time", "mentions a time, which the question asks for", points))
    if question.people:
        is_named_speaker = np.isin(columns["speaker"], np.array(sorted(question.people), dtype=np.uint32))
        if is_named_speaker.any():
            signals.append(Signal("speaker", "said by someone the question names", SPEAKER * _ones(is_named_speaker)))
    return signals


def _names(corpus: Corpus, question: QuestionTerms) -> list[Signal]:
    """Identifiers, paths and codes that an item contains exactly as in the question."""
    asked = question.names[:_MAX_NAMES]
    found = [places for places, _ in find_terms(corpus, tuple(name for _, name in asked)) if len(places)]
    if not found:
        return []
    shares = np.zeros(len(corpus.layout), dtype=np.float32)
    for places in found:
        shares[places] += np.float32(1 / len(found))
    return [Signal("names", "contains {:.0%} of the question's identifiers exactly", NAMES * shares, shares)]


def _files(corpus: Corpus, files: Sequence[str]) -> list[Signal]:
    """The working files: the same file, or one in the same folder."""
    if not files:
        return []
    points = np.zeros(len(corpus.layout), dtype=np.float32)
    for file in files[:_MAX_FILES]:
        for folder in folders_of(file)[:1]:
            places = corpus.find_file(path_hash(folder))
            points[places] = np.maximum(points[places], np.float32(NEAR_FILE))
    for file in files[:_MAX_FILES]:
        points[corpus.find_file(path_hash(file))] = SAME_FILE
    return [Signal("files", "about a working file or one in the same folder", points)] if points.any() else []


def _tie_breakers(corpus: Corpus, branch: str | None) -> list[Signal]:
    """Tie-breakers: newer items, and those of the requested branch."""
    columns = corpus.layout.columns
    created = columns["created"]
    first, last = int(created.min()), int(created.max())
    signals = []
    if last > first:
        share = ((created - first) / (last - first)).astype(np.float32)
        signals.append(Signal("recent", "newer than other items", np.float32(RECENT) * share))
    if branch is not None and branch in corpus.codes:
        signals.append(
            Signal("branch", "on this branch", OWN_BRANCH * _ones(columns["branch"] == corpus.codes[branch]))
        )
    return signals


def _ones(holds: NDArray[np.bool_]) -> Floats:
    return holds.astype(np.float32)
