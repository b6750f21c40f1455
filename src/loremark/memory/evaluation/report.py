"""Runs an evaluation and compares its figures with their thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from loremark.memory.evaluation.labeled_sets import EventLine, LabeledSet
from loremark.memory.evaluation.scoring import (
    LABELS,
    Cosine,
    DedupScore,
    Extract,
    ExtractionScore,
    Judge,
    PairsScore,
    Predictions,
    Ref,
    match_all,
    normalize_paths,
    score_dedup,
    score_extraction,
    score_pairs,
)

Cluster = Callable[[Sequence[EventLine], Predictions], Iterable[Iterable[Ref]]]

MIN_TYPE_ACCURACY = 0.85
MIN_FILE_F1 = 0.95
MIN_DUPLICATE_F1 = 0.9
MAX_JUNK_RATE = 0.05
MAX_FALSE_MERGES = 0
MAX_LEAKS = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value, optionally with a threshold."""

    part: str
    name: str
    value: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def met(self) -> bool | None:
        if self.at_least is not None:
            return self.value >= self.at_least
        return None if self.at_most is None else self.value <= self.at_most

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        limit = "" if self.met is None else f"≥ {self.at_least}" if self.at_least is not None else f"≤ {self.at_most}"
        verdict = {None: "", True: "ok", False: "MISSED"}[self.met]
        return self.part, self.name, _number(self.value), limit, verdict


@dataclass(frozen=True, slots=True)
class Report:
    """The result on one set; None for parts whose engine was not given."""

    split: str
    extraction: ExtractionScore
    dedup: DedupScore | None = None
    pairs: PairsScore | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        return (*_extraction(self.extraction), *_dedup(self.dedup), *_pairs(self.pairs))

    @property
    def met(self) -> bool:
        """Whether no threshold was missed."""
        return all(figure.met is not False for figure in self.figures)

    def to_json(self) -> str:
        """The figures and the confusion matrix as JSON."""
        result: dict[str, Any] = {
            "split": self.split,
            "met": self.met,
            "figures": [{**asdict(figure), "met": figure.met} for figure in self.figures],
        }
        if self.pairs is not None:
            counts = self.pairs.confusion
            result["confusion"] = {of: {to: counts.get((of, to), 0) for to in LABELS} for of in LABELS}
        return msgspec.json.encode(result).decode()

    def to_table(self) -> str:
        """The same as text with aligned columns."""
        rows = [("part", "figure", self.split, "threshold", ""), *(figure.cells for figure in self.figures)]
        text = align_columns(rows)
        if self.pairs is None:
            return text
        counts = self.pairs.confusion
        head = ("label \\ predicted", *LABELS)
        body = [(of, *(str(counts.get((of, to), 0)) for to in LABELS)) for of in LABELS]
        return f"{text}\n\n{align_columns([head, *body])}"


def measure(
    labeled: LabeledSet,
    extract: Extract,
    cluster: Cluster | None = None,
    judge: Judge | None = None,
    cosine: Cosine | None = None,
) -> Report:
    """Run the engines on a set. The judge needs the cosine of the caller's embedding model."""
    predictions = {event.id: extract(event.raw) for event in labeled.events}
    dedup = pairs = None
    if cluster is not None:
        dedup = score_dedup(labeled.events, predictions, cluster(labeled.events, predictions))
    if judge is not None and cosine is not None:
        pairs = score_pairs(labeled.pairs, judge, cosine)
    return Report(labeled.split, score_extraction(labeled.events, predictions), dedup, pairs)


def list_errors(events: Sequence[EventLine], predictions: Predictions) -> Iterator[str]:
    """Yield the errors line by line, for tuning. Use it on dev only: reading the errors of test would spoil it."""
    matches = match_all(events, predictions)
    items = {(found.event.id, found.index): found for found in matches}
    facts = {(found.event.id, found.gold.fact) for found in matches}
    for event in events:
        for gold in event.gold:
            if not gold.optional and (event.id, gold.fact) not in facts:
                yield f"{event.id} missed {gold.fact}: {gold.anchor!r}"
        for index, item in enumerate(predictions.get(event.id, ())):
            found = items.get((event.id, index))
            if found is None:
                yield f"{event.id} junk {item.type}: {item.title!r}"
            elif not found.gold.optional:
                if not found.type_is_right:
                    yield f"{event.id} type of {found.gold.fact}: {item.type}, expected {found.gold.type}"
                if normalize_paths(item.files) != normalize_paths(found.gold.files):
                    expected = sorted(found.gold.files)
                    yield f"{event.id} files of {found.gold.fact}: {sorted(item.files)}, expected {expected}"


def _extraction(score: ExtractionScore) -> Iterator[Figure]:
    part = "extraction"
    yield Figure(part, "type accuracy", score.type_accuracy, at_least=MIN_TYPE_ACCURACY)
    yield Figure(part, "gold recall", score.gold_recall)
    yield Figure(part, "file precision", score.files.precision)
    yield Figure(part, "file recall", score.files.recall)
    yield Figure(part, "file F1", score.files.f1, at_least=MIN_FILE_F1)
    yield Figure(part, "junk rate", score.junk_rate, at_most=MAX_JUNK_RATE)
    yield Figure(part, f"junk events with items (of {score.junk_events})", score.junk_events_yielding)
    yield Figure(part, "leaked secrets", score.leaked_secrets, at_most=MAX_LEAKS)


def _dedup(score: DedupScore | None) -> Iterator[Figure]:
    if score is None:
        return
    yield Figure("dedup", "pair precision", score.pairs.precision)
    yield Figure("dedup", "pair recall", score.pairs.recall)
    yield Figure("dedup", "pair F1", score.pairs.f1, at_least=MIN_DUPLICATE_F1)
    yield Figure("dedup", "contradictions merged", score.contradictions_merged, at_most=MAX_FALSE_MERGES)


def _pairs(score: PairsScore | None) -> Iterator[Figure]:
    if score is None:
        return
    duplicates, drift = score.of("duplicate"), score.drift
    yield Figure("pairs", "duplicate precision", duplicates.precision)
    yield Figure("pairs", "duplicate recall", duplicates.recall)
    yield Figure("pairs", "duplicate F1", duplicates.f1, at_least=MIN_DUPLICATE_F1)
    called = score.contradictions_called_duplicates
    yield Figure("pairs", "contradictions called duplicates", called, at_most=MAX_FALSE_MERGES)
    yield Figure("drift", "contradiction precision", drift.precision)
    yield Figure("drift", "contradiction recall", drift.recall)
    yield Figure("drift", "contradiction F1", drift.f1)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def align_columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
