"""Fits the judgement of worth and type (``cairn.memory.judgement``) on labelled items of dev, and shows its worth.

Each line of ``sets/dev/weighed.jsonl`` is an item as extraction once found it in an event it had never seen, with the
set it comes from and what it really was, if it was worth keeping. ``typed.jsonl`` is the same for types alone, with
how clearly the rules told them; what extraction did not find there is fitted on, but not counted. Every set is judged
by weights fitted on the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from cairn.features.items.records import item_text as item_text
from cairn.memory import judgement
from cairn.memory.extraction.telling import telling_words
from cairn.memory.items import Item
from cairn.ports.embeddings.embedder import open_embedder
from cairn.wire.items import ItemType

_STRENGTH = 3.0
_KEEP_FROM = 0.35
_ROUNDS = 30
# Chosen by leaving out one set after the other; a little more or less of each changes hardly anything. Tried in this
# way and worse: the category, the verdict of the rules or their cues as features; the mean of fits on samples.
_TYPE_STRENGTH = 6.0
_RULED = 0.05
_BY_MARGIN = 0.1
_FIRST_SHARE = 0.7
_LEAST_ITEMS = 3
_WORD_UNITS = 1_000
# Of older items it is not known how clearly the rules told their type.
_USUAL_MARGIN = 2.0
_WEIGHTS = Path(str(resources.files("cairn.memory"))) / "judgement_weights.json"


class Weighed(msgspec.Struct, frozen=True):
    """An item, where it comes from, and the types it may have; none when it was not worth keeping."""

    of: str
    event: str
    types: list[ItemType]
    item: Item

    @property
    def worth(self) -> bool:
        return bool(self.types)


@dataclass(frozen=True)
class FittedTypes:
    """Biases, a row of weights for each type, and what each event and each word speaks for each type."""

    biases: list[float]
    types: list[list[float]]
    events: dict[str, list[float]]
    words: dict[str, list[int]]


def run() -> None:
    """Print the figures of each set, then write the weights fitted on all of them."""
    weighed, told = _read("weighed"), _read("typed")
    rows = asyncio.run(_features(weighed))
    worth = np.array([one.worth for one in weighed])
    print("judgement of worth: each set by weights fitted on the others")
    for held in sorted({one.of for one in weighed}):
        mine = np.array([one.of == held for one in weighed])
        kept = _kept([one for one in weighed if one.of == held], rows[mine], _fit(rows[~mine], worth[~mine]))
        before, after = 1 - worth[mine].mean(), 1 - worth[mine][kept].mean()
        lost = 1 - worth[mine][kept].sum() / worth[mine].sum()
        print(f"  {held}: {mine.sum()} items, junk {before:.3f} -> {after:.3f}, good ones lost {lost:.3f}")
    size = rows.shape[1] - len(judgement.signs(weighed[0].item))
    weights = _fit(rows, worth)
    known = [*(one for one in weighed if one.worth), *told]
    vectors = np.vstack([rows[worth][:, :size], asyncio.run(_features(told))[:, :size]]) / judgement.VECTOR_SCALE
    _show_types(known, vectors)
    fitted = _fit_types(known, vectors)
    kept_weights = judgement.Weights(
        keep_from=_KEEP_FROM,
        bias=round(float(weights[-1]), 4),
        signs=[round(float(value), 4) for value in weights[size:-1]],
        vector=[round(float(value), 4) for value in weights[:size]],
        ruled=_RULED,
        by_margin=_BY_MARGIN,
        type_biases=fitted.biases,
        types=fitted.types,
        events=fitted.events,
        words=fitted.words,
    )
    _WEIGHTS.write_bytes(msgspec.json.encode(kept_weights) + b"\n")


def _read(name: str) -> list[Weighed]:
    lines = resources.files("cairn.memory.evaluation").joinpath("sets", "dev", f"{name}.jsonl").read_text("utf-8")
    return [msgspec.json.decode(line, type=Weighed) for line in lines.splitlines()]


async def _features(weighed: list[Weighed]) -> NDArray[np.float64]:
    embedder = open_embedder("builtin")
    vectors = (await embedder.embed([item_text(one.item) for one in weighed])).vectors
    await embedder.close()
    return np.stack([judgement.features(one.item, vector) for one, vector in zip(weighed, vectors, strict=True)])


def _kept(weighed: list[Weighed], rows: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    scores = rows @ weights[:-1] + weights[-1]
    return np.array(
        [
            not judgement.is_doubted(one.item, one.event) or judgement.likelihood(float(score)) >= _KEEP_FROM
            for one, score in zip(weighed, scores, strict=True)
        ]
    )


def _fit(rows: NDArray[np.float64], worth: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Logistic regression by Newton's method, both kinds weighing the same; the last weight is the bias."""
    full = np.hstack([rows, np.ones((len(rows), 1))])
    share = worth.mean()
    importance = np.where(worth, 0.5 / share, 0.5 / (1 - share))
    ridge = np.eye(full.shape[1]) * _STRENGTH
    ridge[-1, -1] = 1e-9
    weights = np.zeros(full.shape[1])
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-full @ weights))
        slope = full.T @ (importance * (likely - worth)) + ridge @ weights
        curve = (full * (importance * likely * (1 - likely))[:, None]).T @ full + ridge
        weights -= np.linalg.solve(curve, slope)
    return weights


def _show_types(known: list[Weighed], vectors: NDArray[np.float64]) -> None:
    print("judgement of types, in the same way: by rules alone -> judged")
    sums = {"weighed": np.zeros(3), "typed": np.zeros(3)}
    for held in sorted({one.of for one in known}):
        mine = np.array([one.of == held for one in known])
        fit = _fit_types([one for one in known if one.of != held], vectors[~mine])
        model = judgement.TypeModel(
            judgement.Weights(_KEEP_FROM, 0.0, [], [], _RULED, _BY_MARGIN, fit.biases, fit.types, fit.events, fit.words)
        )
        counts = np.zeros(3)
        dated = any(one.item.type_margin is not None for one in known if one.of == held)
        for one, vector in zip((one for one in known if one.of == held), vectors[mine], strict=True):
            if dated and one.item.type_margin is None:
                continue
            margin = _USUAL_MARGIN if one.item.type_margin is None else one.item.type_margin
            best = judgement.TYPES[model.best(one.item, one.event, vector.astype(np.float32), margin)]
            counts += (1, one.item.type in one.types, best in one.types)
        sums["typed" if dated else "weighed"] += counts
        print(f"  {held}: {counts[0]:.0f} items, {counts[1] / counts[0]:.3f} -> {counts[2] / counts[0]:.3f}")
    for name, (count, before, after) in sums.items():
        print(f"  all of {name}: {count:.0f} items, {before / count:.3f} -> {after / count:.3f}")


def _fit_types(known: list[Weighed], vectors: NDArray[np.float64]) -> FittedTypes:
    """Ridge regression on the types an item may have, solved by its items as they are fewer than its words."""
    told = [telling_words(one.item.title, one.item.content) for one in known]
    counts = Counter(word for words in told for word in words)
    places = {word: at for at, word in enumerate(sorted(word for word in counts if counts[word] >= _LEAST_ITEMS))}
    size = vectors.shape[1]
    events = np.array([[one.event == event for event in judgement.TYPED_EVENTS] for one in known], dtype=np.float64)
    spoken = np.zeros((len(known), len(places)))
    for row, words in zip(spoken, told, strict=True):
        mine = [places[word] for word in words if word in places]
        row[mine] = judgement.TYPE_WORD_SCALE / np.sqrt(max(1, len(mine)))
    full = np.hstack([vectors * judgement.TYPE_VECTOR_SCALE, events, np.ones((len(known), 1)), spoken])
    solved = np.linalg.solve(full @ full.T + _TYPE_STRENGTH * np.eye(len(full)), _targets(known))
    weights = full.T @ solved
    by_event, bias, by_word = np.split(weights[size:], [events.shape[1], events.shape[1] + 1])
    units = np.rint(by_word * _WORD_UNITS).astype(int)
    return FittedTypes(
        biases=_rounded(bias[0]),
        types=[_rounded(row) for row in weights[:size].T],
        events={event: _rounded(row) for event, row in zip(judgement.TYPED_EVENTS, by_event, strict=True)},
        words={word: units[at].tolist() for word, at in places.items() if units[at].any()},
    )


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [round(float(value), 4) for value in values]


def _targets(known: list[Weighed]) -> NDArray[np.float64]:
    """The first type counts most; where others are as honest, they have a share."""
    targets = np.zeros((len(known), len(judgement.TYPES)))
    for row, one in zip(targets, known, strict=True):
        first, *others = (judgement.TYPES.index(kind) for kind in one.types)
        row[first] = _FIRST_SHARE if others else 1.0
        row[others] = (1 - _FIRST_SHARE) / max(1, len(others))
    return targets
