"""Fits the salience and type models (``loremark.memory.item_classifier``) on labeled items of dev and scores them.

Each line of ``evals/dev/salience.jsonl`` is an item as extraction found it in an event it had never seen, with its
annotator and its true types, or none if it was not worth keeping. ``types.jsonl`` is the same for types alone, with the
margin of the rules; items that extraction missed are used for fitting but not scored. Each annotator is scored with
weights fitted on the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from loremark.features.items.records import item_text
from loremark.memory import item_classifier
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS
from loremark.memory.extraction.ngram_features import ngram_features
from loremark.memory.items import Item
from loremark.ports.embeddings.embedder import open_embedder
from loremark.wire.items import ItemType

_STRENGTH = 3.0
_THRESHOLDS = {"session_save": 0.35, "git_digest": 0.15, "context_update": 0.35}
_OTHER_EVENTS_COUNT = 0.3
_BIAS_STRENGTH = 0.01
_DOCUMENTS = "context_update"
# Commit subjects without a body, written for salience alone: too short to learn types from.
_SUBJECTS = "kc"
_ROUNDS = 7
# Chosen by leave-one-annotator-out; the result is not sensitive to them. Tried and worse: the category, the rules'
# verdict or their patterns as features, and the mean of fits on samples.
_TYPE_STRENGTH = 6.0
_RULE_PRIOR = 0.05
_MARGIN_WEIGHT = 0.1
_FIRST_SHARE = 0.7
_MIN_ITEMS = 3
_WORD_UNITS = 1_000
# The margin of older items is unknown.
_USUAL_MARGIN = 2.0
_WEIGHTS = Path(str(resources.files("loremark.memory"))) / "item_classifier_weights.json"


class LabeledItem(msgspec.Struct, frozen=True):
    """An item, its annotator, and the types it may have; no types if it was not worth keeping."""

    annotator: str
    event: str
    types: list[ItemType]
    item: Item

    @property
    def annotator_id(self) -> str:
        return self.annotator.partition("-")[0]

    @property
    def is_salient(self) -> bool:
        return bool(self.types)


def run() -> None:
    """Print the scores of each annotator, then write the weights fitted on all of them."""
    labeled, type_labeled = read_labeled("salience"), read_labeled("types")
    vectors = asyncio.run(_vectors(labeled))
    print("salience: each annotator scored with weights fitted on the others")
    for event in item_classifier.SALIENCE_EVENTS:
        _show_salience(event, labeled, vectors)
    salient = np.array([one.is_salient and one.annotator_id[:2] != _SUBJECTS for one in labeled])
    known = [*(one for one, is_known in zip(labeled, salient, strict=True) if is_known), *type_labeled]
    known_vectors = np.vstack([vectors[salient], asyncio.run(_vectors(type_labeled))]).astype(np.float64)
    _show_types(known, known_vectors)
    kept_weights = item_classifier.Weights(
        salience={event: _fit_salience(event, labeled, vectors) for event in item_classifier.SALIENCE_EVENTS},
        narrative_types=_fit_types(*_without_documents(known, known_vectors)),
        document_types=_fit_types(known, known_vectors),
    )
    _WEIGHTS.write_bytes(msgspec.json.encode(kept_weights) + b"\n")


def _without_documents(
    known: list[LabeledItem], vectors: NDArray[np.float64]
) -> tuple[list[LabeledItem], NDArray[np.float64]]:
    """Documents are worded differently from narratives, so they train only their own model."""
    mine = [at for at, one in enumerate(known) if one.event != _DOCUMENTS]
    return [known[at] for at in mine], vectors[mine]


def read_labeled(name: str) -> list[LabeledItem]:
    lines = (CHECKOUT_SETS / "dev" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [msgspec.json.decode(line, type=LabeledItem) for line in lines.splitlines()]


async def _vectors(labeled: list[LabeledItem]) -> NDArray[np.float32]:
    embedder = open_embedder("builtin")
    vectors = (await embedder.embed([item_text(one.item) for one in labeled])).vectors
    await embedder.close()
    return np.asarray(vectors, dtype=np.float32)


def _show_salience(event: str, labeled: list[LabeledItem], vectors: NDArray[np.float32]) -> None:
    """Print how many salient and junk items of an event type the model drops and keeps, by annotator and in total."""
    sums = np.zeros(4, dtype=int)
    for held_out in sorted({one.annotator_id for one in labeled if one.event == event}):
        others = [at for at, one in enumerate(labeled) if one.annotator_id != held_out]
        model = item_classifier.SalienceModel(_fit_salience(event, [labeled[at] for at in others], vectors[others]))
        counts = np.zeros(4, dtype=int)
        for one, vector in zip(labeled, vectors, strict=True):
            if one.annotator_id != held_out or one.event != event:
                continue
            kept = not item_classifier.needs_salience_check(one.item, event) or model.keeps(one.item, vector)
            counts += (one.is_salient, not one.is_salient, one.is_salient and not kept, not one.is_salient and kept)
        sums += counts
        good, junk, dropped, junk_kept = counts
        print(f"  {event} {held_out}: {good} salient, {dropped} dropped; {junk} junk, {junk_kept} kept")
    good, junk, dropped, junk_kept = sums
    print(f"  {event} total: {good} salient, {dropped} dropped; {junk} junk, {junk_kept} kept")


def _fit_salience(
    event: str, labeled: list[LabeledItem], vectors: NDArray[np.float32]
) -> item_classifier.SalienceWeights:
    """Logistic regression by Newton's method with balanced classes. Other event types count less."""
    salient = np.array([one.is_salient for one in labeled])
    mine = np.array([one.event == event for one in labeled])
    rows = np.stack([item_classifier.features(one.item, vector) for one, vector in zip(labeled, vectors, strict=True)])
    ngrams = [ngram_features(one.item.title, one.item.content) for one in labeled]
    counts = Counter(word for words, is_mine in zip(ngrams, mine, strict=True) if is_mine for word in words)
    places = {word: at for at, word in enumerate(sorted(word for word in counts if counts[word] >= _MIN_ITEMS))}
    full = np.hstack([rows, np.ones((len(rows), 1)), word_vectors(ngrams, places, item_classifier.WORD_SCALE)])
    counted = np.where(mine, 1.0, _OTHER_EVENTS_COUNT)
    good, bad = counted[salient].sum(), counted[~salient].sum()
    importance = counted * np.where(salient, 0.5 / good, 0.5 / bad) * counted.sum()
    weights = _fit(full, salient, importance, len(rows[0]))
    size = len(vectors[0])
    vector, features, bias, words = np.split(weights, [size, len(rows[0]), len(rows[0]) + 1])
    units = np.rint(words * _WORD_UNITS).astype(int)
    return item_classifier.SalienceWeights(
        threshold=_THRESHOLDS[event],
        bias=round(float(bias[0]), 4),
        features=_rounded(features),
        vector=_rounded(vector),
        words={word: int(units[at]) for word, at in places.items() if units[at]},
    )


def _fit(
    full: NDArray[np.float64], salient: NDArray[np.bool_], importance: NDArray[np.float64], bias_at: int
) -> NDArray[np.float64]:
    """Solved in the dual, since there are fewer items than words."""
    ridge = np.full(full.shape[1], _STRENGTH)
    ridge[bias_at] = _BIAS_STRENGTH
    scaled = full / ridge
    kernel = scaled @ full.T
    scores = np.zeros(len(full))
    for _ in range(_ROUNDS):
        probability = 1 / (1 + np.exp(-scores))
        spread = importance * probability * (1 - probability) + 1e-9
        target = scores + importance * (salient - probability) / spread
        counts = np.linalg.solve(kernel + np.diag(1 / spread), target)
        scores = kernel @ counts
    weights: NDArray[np.float64] = scaled.T @ counts
    return weights


def word_vectors(ngrams: list[set[str]], places: dict[str, int], scale: float) -> NDArray[np.float64]:
    word_rows = np.zeros((len(ngrams), len(places)))
    for row, words in zip(word_rows, ngrams, strict=True):
        mine = [places[word] for word in words if word in places]
        row[mine] = scale / np.sqrt(max(1, len(mine)))
    return word_rows


def _show_types(known: list[LabeledItem], vectors: NDArray[np.float64]) -> None:
    print("types, likewise: accuracy of the rules -> of the model")
    sums = {"salience": np.zeros(3), "types": np.zeros(3)}
    for held_out in sorted({one.annotator_id for one in known}):
        mine = np.array([one.annotator_id == held_out for one in known])
        others = [one for one in known if one.annotator_id != held_out], vectors[~mine]
        ngrams, documents = (
            item_classifier.TypeModel(_fit_types(*some)) for some in (_without_documents(*others), others)
        )
        counts = np.zeros(3)
        has_margins = any(one.item.type_margin is not None for one in known if one.annotator_id == held_out)
        for one, vector in zip((one for one in known if one.annotator_id == held_out), vectors[mine], strict=True):
            if has_margins and one.item.type_margin is None:
                continue
            margin = _USUAL_MARGIN if one.item.type_margin is None else one.item.type_margin
            model = documents if one.event == _DOCUMENTS else ngrams
            best = item_classifier.TYPES[model.best(one.item, one.event, vector.astype(np.float32), margin)]
            counts += (1, one.item.type in one.types, best in one.types)
        sums["types" if has_margins else "salience"] += counts
        print(f"  {held_out}: {counts[0]:.0f} items, {counts[1] / counts[0]:.3f} -> {counts[2] / counts[0]:.3f}")
    for name, (count, before, after) in sums.items():
        print(f"  total of {name}: {count:.0f} items, {before / count:.3f} -> {after / count:.3f}")


def _fit_types(known: list[LabeledItem], vectors: NDArray[np.float64]) -> item_classifier.TypeWeights:
    """Ridge regression on the types an item may have, solved in the dual since there are fewer items than words."""
    ngrams = [ngram_features(one.item.title, one.item.content) for one in known]
    counts = Counter(word for words in ngrams for word in words)
    places = {word: at for at, word in enumerate(sorted(word for word in counts if counts[word] >= _MIN_ITEMS))}
    size = vectors.shape[1]
    events = np.array(
        [[one.event == event for event in item_classifier.TYPE_EVENTS] for one in known], dtype=np.float64
    )
    word_rows = word_vectors(ngrams, places, item_classifier.TYPE_WORD_SCALE)
    full = np.hstack([vectors * item_classifier.TYPE_VECTOR_SCALE, events, np.ones((len(known), 1)), word_rows])
    solved = np.linalg.solve(full @ full.T + _TYPE_STRENGTH * np.eye(len(full)), _targets(known))
    weights = full.T @ solved
    by_event, bias, by_word = np.split(weights[size:], [events.shape[1], events.shape[1] + 1])
    units = np.rint(by_word * _WORD_UNITS).astype(int)
    return item_classifier.TypeWeights(
        rule_prior=_RULE_PRIOR,
        margin_weight=_MARGIN_WEIGHT,
        biases=_rounded(bias[0]),
        types=[_rounded(row) for row in weights[:size].T],
        events={event: _rounded(row) for event, row in zip(item_classifier.TYPE_EVENTS, by_event, strict=True)},
        words={word: units[at].tolist() for word, at in places.items() if units[at].any()},
    )


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [round(float(value), 4) for value in values]


def _targets(known: list[LabeledItem]) -> NDArray[np.float64]:
    """The first type counts most; alternatives share the rest."""
    targets = np.zeros((len(known), len(item_classifier.TYPES)))
    for row, one in zip(targets, known, strict=True):
        first, *others = (item_classifier.TYPES.index(kind) for kind in one.types)
        row[first] = _FIRST_SHARE if others else 1.0
        row[others] = (1 - _FIRST_SHARE) / max(1, len(others))
    return targets
