"""Fits passage selection (``loremark.memory.answering.passage_selection``) on asks-dev and scores it.

Each project is scored with weights and a threshold fitted on the others; that is the figure to trust. The weights
fitted on all of dev are printed, to be reviewed and copied into ``passage_selection``. Uncovered questions are learned
from a project's own near misses and from questions about the other projects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from loremark.entry.ask_evaluation import build_source_finder, earlier_turns
from loremark.memory.answering.passage_features import (
    AnswerFeatures,
    PassageFeatures,
    answer_features,
    passage_features,
)
from loremark.memory.answering.passage_selection import (
    CITATION_MARGIN,
    CONFIDENCE_WEIGHTS,
    MAX_CITED,
    NO_ANSWER_BELOW,
    RELEVANCE_WEIGHTS,
)
from loremark.memory.answering.question_analysis import AnalyzedQuestion, analyze_question
from loremark.memory.answering.records import Passage
from loremark.memory.evaluation.ask_sets import AskLine, AskScore, AskSet, foreign_questions, load_ask_set, score_lines
from loremark.ports.embeddings.embedder import open_embedder

_STRENGTH = 3.0
_ROUNDS = 40
_MIN_CITED_SHARE = 0.86
_NEAR_MISS = 2.0
"""Near misses are hard, so each counts for this many other questions."""

Row = NDArray[np.float64]


@dataclass(frozen=True)
class _Case:
    line: AskLine
    question: AnalyzedQuestion
    passages: Sequence[Passage]
    features: Sequence[PassageFeatures]
    foreign: bool

    @property
    def weight(self) -> float:
        return 1.0 if self.line.answers or self.foreign else _NEAR_MISS


@dataclass(frozen=True)
class _Fitted:
    relevance: Row
    confidence: Row
    threshold: float


def run() -> None:
    """Print the scores of each project, then the weights fitted on all of them."""
    asks = load_ask_set("dev")
    cases = asyncio.run(_cases(asks))
    scores = []
    for project in dict.fromkeys(line.project for line in asks.questions):
        fitted = _fit([case for case in cases if case.line.project != project])
        scores.append(_score([case for case in cases if case.line.project == project], fitted, fitted.threshold))
        print(f"{project}, with weights fitted on the others\n{scores[-1].to_table()}")
    print(f"all projects, each with weights fitted on the others\n{_sum_scores(scores).to_table()}")
    fitted = _fit(cases)
    print("RELEVANCE_WEIGHTS", _by_name(PassageFeatures, fitted.relevance.round(1)))
    print("CONFIDENCE_WEIGHTS", _by_name(AnswerFeatures, fitted.confidence.round(2)))
    for lower in (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0):
        below = fitted.threshold + lower
        print(f"no answer below {below:.2f}\n{_score(cases, fitted, below).to_table()}")
    shipped = _Fitted(np.array(astuple(RELEVANCE_WEIGHTS)), np.array(astuple(CONFIDENCE_WEIGHTS)), NO_ANSWER_BELOW)
    print(f"as shipped\n{_score(cases, shipped, NO_ANSWER_BELOW).to_table()}")


def _by_name(features: type[PassageFeatures | AnswerFeatures], weights: Row) -> dict[str, float]:
    return dict(zip((field.name for field in fields(features)), weights.tolist(), strict=True))


def _sum_scores(scores: Sequence[AskScore]) -> AskScore:
    return AskScore(*(sum(figures) for figures in zip(*map(astuple, scores), strict=True)))


async def _cases(asks: AskSet) -> list[_Case]:
    embedder = open_embedder("builtin")
    try:
        sources = await build_source_finder(embedder, asks)
    finally:
        await embedder.close()
    lines = dict.fromkeys(asks.questions, False) | dict.fromkeys(foreign_questions(asks), True)
    cases = []
    for line, foreign in lines.items():
        question, passages = analyze_question(line.question, earlier_turns(line)), sources(line)
        cases.append(_Case(line, question, passages, passage_features(question, passages), foreign))
    return cases


def _fit(cases: Sequence[_Case]) -> _Fitted:
    """Fit the relevance of a passage, then the confidence in the best one, then the threshold for answering."""
    pairs = [
        (astuple(row), passage.item_id in case.line.answers, case.weight)
        for case in cases
        for passage, row in zip(case.passages, case.features, strict=True)
        if not row.code_mismatch
    ]
    relevance = _logistic(pairs)
    best_features = [(_best(case, relevance), bool(case.line.answers), case.weight) for case in cases]
    confidence = _logistic(
        [(astuple(best[0]), covered, weight) for best, covered, weight in best_features if best is not None]
    )
    return _Fitted(relevance, confidence, _threshold(cases, _Fitted(relevance, confidence, -np.inf)))


def _threshold(cases: Sequence[_Case], fitted: _Fitted) -> float:
    """The highest threshold at which the right item is still cited often enough."""
    covered = [(*_answer(case, fitted), case.line.answers) for case in cases if case.line.answers]
    right = sorted((confidence for confidence, keys, answers in covered if set(keys) & set(answers)), reverse=True)
    needed = int(np.ceil(_MIN_CITED_SHARE * len(covered)))
    return right[min(needed, len(right)) - 1]


def _logistic(cases: Sequence[tuple[tuple[float, ...], bool, float]]) -> Row:
    """Newton's method on standardized columns; returns the weights for the original columns."""
    rows = np.array([row for row, _, _ in cases])
    right, counts = np.array([good for _, good, _ in cases], dtype=float), np.array([count for _, _, count in cases])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    table = np.c_[(rows - mean) / spread, np.ones(len(rows))]
    ridge = np.eye(table.shape[1]) * _STRENGTH
    ridge[-1, -1] = 1e-6
    weights = np.zeros(table.shape[1])
    for _ in range(_ROUNDS):
        probability = 1 / (1 + np.exp(-table @ weights))
        hessian = (table * (counts * probability * (1 - probability))[:, None]).T @ table + ridge
        weights -= np.linalg.solve(hessian, table.T @ (counts * (probability - right)) + ridge @ weights)
    return np.asarray(weights[:-1] / spread)


def _best(case: _Case, relevance: Row) -> tuple[AnswerFeatures, list[str]] | None:
    """The features of the best passage, and what would be cited."""
    scores_by_place = {
        place: float(relevance @ astuple(row)) for place, row in enumerate(case.features) if not row.code_mismatch
    }
    order = sorted(scores_by_place, key=lambda place: (-scores_by_place[place], place))
    if not order:
        return None
    best = scores_by_place[order[0]]
    cited = [
        case.passages[place].item_id for place in order[:MAX_CITED] if scores_by_place[place] >= best - CITATION_MARGIN
    ]
    return answer_features(case.question, case.passages, order[0], best), cited


def _answer(case: _Case, fitted: _Fitted) -> tuple[float, list[str]]:
    best = _best(case, fitted.relevance)
    return (-np.inf, []) if best is None else (float(fitted.confidence @ astuple(best[0])), best[1])


def _score(cases: Sequence[_Case], fitted: _Fitted, threshold: float) -> AskScore:
    answers = {case.line: _answer(case, fitted) for case in cases}

    def answer(line: AskLine) -> list[str]:
        confidence, keys = answers[line]
        return keys if confidence >= threshold else []

    lines = {foreign: [case.line for case in cases if case.foreign == foreign] for foreign in (False, True)}
    return score_lines(lines[False], lines[True], answer)
