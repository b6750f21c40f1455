"""Fits the pair weights (``loremark.memory.dedup``) on the labeled pairs of dev and scores them.

The pairs come from several annotators, identified by the letter before their ids. Each annotator's pairs are scored
with weights fitted on the others. Then the weights fitted on all of them are written.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.entry.evaluation import find_items
from loremark.features.items.records import item_text
from loremark.memory.dedup import BLOCKING_FEATURES, MIN_COSINE, canonical_key
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, Label, LabeledSet, load, parse
from loremark.memory.evaluation.scoring import labeled_pairs
from loremark.memory.items import Item
from loremark.memory.pair_features import compute_features, have_little_in_common
from loremark.ports.embeddings.embedder import open_embedder

Floats = NDArray[np.float64]

_ANNOTATORS = CHECKOUT_SETS / "annotators"
_WEIGHTS = Path(str(resources.files("loremark.memory"))) / "pair_weights.py"
# A wrong merge loses information, a missed one only repeats it.
_CONTRADICTION_COUNTS = 2.5
_SAME_TITLE_COUNTS = 0.05
_CUT_COUNTS = 0.1
_FOUND_COUNTS = 0.3
_LOOSENESS = 0.2
_SAME_FROM = 0.2
_CONTRADICTS_FROM = 0.3
_ROUNDS = 3_000
_NEGLIGIBLE = 0.02
_CUT_FROM = 20
_CUT_COSINE = 0.92


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


# The sign that a feature may have, whatever the pairs say: a different value never supports "same".
_FOR_SAME = _names(
    "relations_agree, cosine, title_coverage, word_overlap, shared_words, shared_names, shared_values,"
    " values_agree, same_change, same_type, both_reject, same_choice, shared_files, save_and_commit,"
    " title_number_shared"
)
_AGAINST_BOTH = _names(
    "different_identifiers, different_environment, different_subjects, parallel_titles, disjoint_files"
)
_FOR_CONTRADICTION = _names(
    "limit_lifted, some_vs_all, contradicted_words, contradicted_title, direct_negation,"
    " one_word_differs, order_reversed, opposite_antonyms, one_mentions_reversal, reverted_name,"
    " opposite_polarity, short_negation, reversed_relation, exclusive_value, exclusive_name,"
    " value_replaced, value_outdated, open_vs_done, negating_prefix, decisive, removed_name, swapped,"
    " one_replaced, replaced_late, one_mentions_end, antonyms_swapped, different_frequency,"
    " different_region, different_default, different_title_number, title_numbers_disjoint"
)
_AGAINST_SAME = (
    _AGAINST_BOTH
    | _FOR_CONTRADICTION
    | _names(
        "one_todo, several_replaced, replaced_early, values_apart, names_apart, different_statements, one_found_by_scan"
    )
)
_NEARNESS = _names("cosine, title_coverage, word_overlap, shared_words, shared_names")
_AGAINST_CONTRADICTION = _AGAINST_BOTH | _names(
    "relations_agree, both_todos, names_apart, several_replaced, replaced_early"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items, their cosine, their label, their annotator and the pair's weight."""

    annotator: str
    a: Item
    b: Item
    cosine: float
    label: Label
    counts: float = 1.0


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A weighted sum of features; ``standard`` are the weights of the standardized features."""

    bias: float
    weights: Floats
    standard: Floats

    def of(self, rows: Floats) -> Floats:
        return rows @ self.weights + self.bias


@dataclass(frozen=True, slots=True)
class PairModel:
    """First decides whether a pair is the same, then whether it contradicts."""

    same: LinearModel
    contradicts: LinearModel


def run() -> None:
    """Print the scores of each annotator, then write the weights fitted on all of them."""
    pairs, found = asyncio.run(_pairs())
    print("pairs: each annotator scored with weights fitted on the others")
    everything: list[tuple[Label, Label]] = []
    for annotator in sorted({pair.annotator for pair in pairs}):
        model = fit(*([pair for pair in group if pair.annotator != annotator] for group in (pairs, found)))
        held_out = [pair for pair in pairs if pair.annotator == annotator]
        predictions = list(zip((pair.label for pair in held_out), classify_all(model, held_out), strict=True))
        everything += predictions
        print(f"  {annotator:5} {figures(predictions)}")
    print(f"  {'all':5} {figures(everything)}")
    model = fit(pairs, found)
    print(f"  fit   {figures(list(zip((pair.label for pair in pairs), classify_all(model, pairs), strict=True)))}")
    _WEIGHTS.write_text(weights_module(model, feature_names(pairs)), encoding="utf-8")


async def _pairs() -> tuple[list[Pair], list[Pair]]:
    """The labeled pairs, and pairs of items found in labeled events."""
    labeled = load("dev")
    labeled_pairs_of_dev = [
        Pair(_annotator(line.id), line.a.item, line.b.item, 0.0, line.label) for line in labeled.pairs
    ]
    found = _extracted_pairs(labeled)
    for folder in sorted(_ANNOTATORS.iterdir()):
        found += _extracted_pairs(
            parse(folder.name, (folder / "events.jsonl").read_text(encoding="utf-8")), folder.name
        )
    texts = sorted({item_text(item) for pair in (*labeled_pairs_of_dev, *found) for item in (pair.a, pair.b)})
    embedder = open_embedder("builtin")
    rows = dict(zip(texts, (await embedder.embed(texts)).vectors, strict=True))
    await embedder.close()

    def with_cosine(pair: Pair) -> Pair:
        return replace(pair, cosine=float(rows[item_text(pair.a)] @ rows[item_text(pair.b)]))

    found = [pair for pair in map(with_cosine, found) if pair.label != "different" or pair.cosine >= MIN_COSINE]
    return [with_cosine(pair) for pair in labeled_pairs_of_dev], found


def _extracted_pairs(labeled: LabeledSet, annotator: str = "") -> list[Pair]:
    """All pairs of items that extraction finds in one project, where their facts are known."""
    predictions = {event.id: find_items(event.raw) for event in labeled.events}
    return [
        Pair(annotator or _annotator(one.event.id), one.item, other.item, 0.0, label, _FOUND_COUNTS)
        for one, other, label in labeled_pairs(labeled.events, predictions)
    ]


def _annotator(id: str) -> str:
    """The letter before the id, if there is one."""
    annotator = id.partition("-")[0]
    return annotator if len(annotator) == 1 else "dev"


def fit(pairs: Sequence[Pair], found: Sequence[Pair]) -> PairModel:
    """Fit on the pairs, on variants of them, and on pairs found by extraction."""
    training = [*pairs, *found, *_same_title_variants(pairs), *_truncated_variants(pairs)]
    rows, names = feature_rows(training), feature_names(pairs)
    same = np.array([pair.label == "duplicate" for pair in training])
    contradicts = np.array([pair.label == "contradiction" for pair in training])
    counts = np.array([pair.counts for pair in training])
    limits = _bounds(names, _FOR_SAME, _AGAINST_SAME)
    same_model = _fit_bounded(rows, same, counts * np.where(contradicts, _CONTRADICTION_COUNTS, 1.0), *limits)
    limits = _bounds(names, _FOR_CONTRADICTION | _NEARNESS, _AGAINST_CONTRADICTION)
    return PairModel(same_model, _fit_bounded(rows[~same], contradicts[~same], counts[~same], *limits))


def classify_all(model: PairModel, pairs: Sequence[Pair]) -> list[Label]:
    """Like ``dedup.classify_pair``, with these weights."""
    rows, names = feature_rows(pairs), feature_names(pairs)
    vetoes = [names.index(name) for name in BLOCKING_FEATURES]
    same, contradicts = model.same.of(rows), model.contradicts.of(rows)
    return [
        "different"
        if pair.cosine < MIN_COSINE or have_little_in_common(pair.a, pair.b)
        else "duplicate"
        if same[at] >= _SAME_FROM and not rows[at, vetoes].any()
        else "contradiction"
        if contradicts[at] >= _CONTRADICTS_FROM
        else "different"
        for at, pair in enumerate(pairs)
    ]


def figures(predictions: Sequence[tuple[Label, Label]]) -> str:
    """Precision and recall of duplicates and contradictions, and the contradictions that would be merged."""

    def rates(label: Label) -> tuple[float, float]:
        right = sum(wanted == given == label for wanted, given in predictions)
        return (
            right / max(1, sum(given == label for _, given in predictions)),
            right / max(1, sum(wanted == label for wanted, _ in predictions)),
        )

    precision, recall = rates("duplicate")
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    merged = sum(pair == ("contradiction", "duplicate") for pair in predictions)
    conflict_precision, conflict_recall = rates("contradiction")
    return (
        f"{len(predictions):4} pairs, duplicates P {precision:.3f} R {recall:.3f} F1 {f1:.3f},"
        f" contradictions called duplicates {merged}, contradictions P {conflict_precision:.3f} R {conflict_recall:.3f}"
    )


def weights_module(model: PairModel, names: Sequence[str]) -> str:
    """The source of ``pair_weights.py``, without negligible weights."""

    def table(weights: LinearModel, shift: float) -> str:
        rows = [("", weights.bias - shift)]
        rows += [
            (name, weight)
            for name, weight, standard in zip(names, weights.weights, weights.standard, strict=True)
            if abs(standard) >= _NEGLIGIBLE
        ]
        return "".join(f'    "{name}": {weight:.3f},\n' for name, weight in rows)

    return f'''"""Weights of pair features, fitted with fixed signs. See docs/decisions/0014-duplicate-detection.md."""

# Generated by python -m bench pair-weights.

from __future__ import annotations

from collections.abc import Mapping

# The empty key is the intercept. A sum of zero or more means yes.
SAME: Mapping[str, float] = {{
{table(model.same, _SAME_FROM)}}}
CONTRADICTS: Mapping[str, float] = {{
{table(model.contradicts, _CONTRADICTS_FROM)}}}


def weighted_sum(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The intercept plus the weighted features."""
    return weights[""] + sum(weight * features[name] for name, weight in weights.items() if name)
'''


def feature_names(pairs: Sequence[Pair]) -> list[str]:
    return list(_features(pairs[0]))


def feature_rows(pairs: Iterable[Pair]) -> Floats:
    return np.array([list(_features(pair).values()) for pair in pairs])


def _features(pair: Pair) -> dict[str, float]:
    first, second = sorted((pair.a, pair.b), key=canonical_key)
    return compute_features(first, second, pair.cosine)


def _same_title_variants(pairs: Sequence[Pair]) -> list[Pair]:
    """Labeled duplicates never share a title and contradictions often do; without these the fit would learn that."""
    return [
        replace(
            pair, b=replace(pair.b, title=pair.a.title), cosine=min(0.97, pair.cosine + 0.05), counts=_SAME_TITLE_COUNTS
        )
        for pair in pairs
        if pair.label == "duplicate"
    ]


def _truncated_variants(pairs: Sequence[Pair]) -> list[Pair]:
    """Each item paired with itself without its last clause."""
    found = []
    for pair in pairs:
        for item in (pair.a, pair.b):
            ends = [end.start() for end in re.finditer(r"[;.,:] ", item.content) if end.start() >= _CUT_FROM]
            if ends:
                shorter = replace(item, content=f"{item.content[: ends[-1]]}.")
                found.append(Pair(pair.annotator, item, shorter, _CUT_COSINE, "duplicate", _CUT_COUNTS))
    return found


def _bounds(names: Sequence[str], upward: frozenset[str], downward: frozenset[str]) -> tuple[Floats, Floats]:
    lower = np.array([0.0 if name in upward else -np.inf for name in names])
    upper = np.array([0.0 if name in downward else np.inf for name in names])
    return lower, upper


def _fit_bounded(rows: Floats, holds: NDArray[np.bool_], counts: Floats, lower: Floats, upper: Floats) -> LinearModel:
    """Logistic regression with bounded weights, by accelerated projected gradient; the intercept is free."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    varies = spread > 1e-6
    scaled = np.where(varies, (rows - mean) / np.where(varies, spread, 1.0), 0.0)
    full = np.hstack([scaled, np.ones((len(rows), 1))])
    ridge = np.append(np.full(rows.shape[1], 1 / _LOOSENESS), 0.0)
    low, high = np.append(lower, -np.inf), np.append(upper, np.inf)
    step = 1 / (np.linalg.eigvalsh((full * counts[:, None]).T @ full)[-1] / 4 + ridge[0])
    weights = lookahead = np.zeros(full.shape[1])
    momentum = 1.0
    for _ in range(_ROUNDS):
        probability = 1 / (1 + np.exp(-full @ lookahead))
        gradient = full.T @ (counts * (probability - holds)) + ridge * lookahead
        updated = np.clip(lookahead - step * gradient, low, high)
        next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        lookahead = updated + (momentum - 1) / next_momentum * (updated - weights)
        weights, momentum = updated, next_momentum
    plain = np.where(varies, weights[:-1] / np.where(varies, spread, 1.0), 0.0)
    return LinearModel(float(weights[-1] - plain @ mean), plain, weights[:-1])
