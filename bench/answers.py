"""Fits the choice of what an answer cites (``loremark.memory.answering.choosing``) on asks-dev, and shows its worth.

Each project is answered with weights and a threshold fitted on the others, which is the figure to believe. The weights
fitted on all of dev are printed, to be written into ``choosing`` by hand: they are few, and somebody should look.
What a project does not cover is learned from the near misses of its own, and from the questions of the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from loremark.entry.asking import sources_of, turns_of
from loremark.memory.answering.asking import Asked, read_question
from loremark.memory.answering.choosing import MOST_CITED, REACH, SILENT_BELOW, TRUST, WORTH
from loremark.memory.answering.clues import Clues, Signs, clues_of, signs_of
from loremark.memory.answering.records import Passage
from loremark.memory.evaluation.asking import AskLine, AskScore, AskSet, foreign_questions, load_asks, score_lines
from loremark.ports.embeddings.embedder import open_embedder

_STRENGTH = 3.0
_ROUNDS = 40
_WANTED_CITED = 0.86
_NEAR_MISS = 2.0
"""They are the hard ones: each counts for so many of the others."""

Row = NDArray[np.float64]


@dataclass(frozen=True)
class _Case:
    line: AskLine
    asked: Asked
    passages: Sequence[Passage]
    clues: Sequence[Clues]
    foreign: bool

    @property
    def weight(self) -> float:
        return 1.0 if self.line.answers or self.foreign else _NEAR_MISS


@dataclass(frozen=True)
class _Fitted:
    worth: Row
    trust: Row
    silent_below: float


def run() -> None:
    """Print the figures of each project, then the weights fitted on all of them."""
    asks = load_asks("dev")
    cases = asyncio.run(_cases(asks))
    scores = []
    for project in dict.fromkeys(line.project for line in asks.questions):
        fitted = _fit([case for case in cases if case.line.project != project])
        scores.append(_score([case for case in cases if case.line.project == project], fitted, fitted.silent_below))
        print(f"{project}, by weights fitted on the others\n{scores[-1].to_table()}")
    print(f"all of them, each by weights fitted on the others\n{_added(scores).to_table()}")
    fitted = _fit(cases)
    print("WORTH", dict(zip((field.name for field in fields(Clues)), fitted.worth.round(1).tolist(), strict=True)))
    print("TRUST", dict(zip((field.name for field in fields(Signs)), fitted.trust.round(2).tolist(), strict=True)))
    for lower in (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0):
        below = fitted.silent_below + lower
        print(f"silent below {below:.2f}\n{_score(cases, fitted, below).to_table()}")
    shipped = _Fitted(np.array(astuple(WORTH)), np.array(astuple(TRUST)), SILENT_BELOW)
    print(f"as it is shipped\n{_score(cases, shipped, SILENT_BELOW).to_table()}")


def _added(scores: Sequence[AskScore]) -> AskScore:
    return AskScore(*(sum(figures) for figures in zip(*map(astuple, scores), strict=True)))


async def _cases(asks: AskSet) -> list[_Case]:
    embedder = open_embedder("builtin")
    try:
        sources = await sources_of(embedder, asks)
    finally:
        await embedder.close()
    lines = dict.fromkeys(asks.questions, False) | dict.fromkeys(foreign_questions(asks), True)
    cases = []
    for line, foreign in lines.items():
        question, passages = read_question(line.question, turns_of(line)), sources(line)
        cases.append(_Case(line, question, passages, clues_of(question, passages), foreign))
    return cases


def _fit(cases: Sequence[_Case]) -> _Fitted:
    """First what a passage is worth, then how much the best one is to be trusted, then where silence begins."""
    pairs = [
        (astuple(clue), passage.item_id in case.line.answers, case.weight)
        for case in cases
        for passage, clue in zip(case.passages, case.clues, strict=True)
        if not clue.stray
    ]
    worth = _logistic(pairs)
    signs = [(_best(case, worth), bool(case.line.answers), case.weight) for case in cases]
    trust = _logistic([(astuple(best[0]), covered, weight) for best, covered, weight in signs if best is not None])
    return _Fitted(worth, trust, _threshold(cases, _Fitted(worth, trust, -np.inf)))


def _threshold(cases: Sequence[_Case], fitted: _Fitted) -> float:
    """As high as it may be, so that the right item is still cited as often as wanted."""
    covered = [(*_answer(case, fitted), case.line.answers) for case in cases if case.line.answers]
    right = sorted((trust for trust, keys, answers in covered if set(keys) & set(answers)), reverse=True)
    needed = int(np.ceil(_WANTED_CITED * len(covered)))
    return right[min(needed, len(right)) - 1]


def _logistic(cases: Sequence[tuple[tuple[float, ...], bool, float]]) -> Row:
    """Newton's steps on standardised columns; the weights are those of the columns as they are."""
    rows = np.array([row for row, _, _ in cases])
    right, counts = np.array([good for _, good, _ in cases], dtype=float), np.array([count for _, _, count in cases])
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    table = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    held = np.eye(table.shape[1]) * _STRENGTH
    held[-1, -1] = 1e-6
    weights = np.zeros(table.shape[1])
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-table @ weights))
        bend = (table * (counts * likely * (1 - likely))[:, None]).T @ table + held
        weights -= np.linalg.solve(bend, table.T @ (counts * (likely - right)) + held @ weights)
    return np.asarray(weights[:-1] / spread)


def _best(case: _Case, worth: Row) -> tuple[Signs, list[str]] | None:
    """The signs of the best passage, and what would be cited."""
    worths = {place: float(worth @ astuple(clue)) for place, clue in enumerate(case.clues) if not clue.stray}
    order = sorted(worths, key=lambda place: (-worths[place], place))
    if not order:
        return None
    best = worths[order[0]]
    kept = [case.passages[place].item_id for place in order[:MOST_CITED] if worths[place] >= best - REACH]
    return signs_of(case.asked, case.passages, order[0], best), kept


def _answer(case: _Case, fitted: _Fitted) -> tuple[float, list[str]]:
    best = _best(case, fitted.worth)
    return (-np.inf, []) if best is None else (float(fitted.trust @ astuple(best[0])), best[1])


def _score(cases: Sequence[_Case], fitted: _Fitted, silent_below: float) -> AskScore:
    answers = {case.line: _answer(case, fitted) for case in cases}

    def answer(line: AskLine) -> list[str]:
        trust, keys = answers[line]
        return keys if trust >= silent_below else []

    lines = {foreign: [case.line for case in cases if case.foreign == foreign] for foreign in (False, True)}
    return score_lines(lines[False], lines[True], answer)
