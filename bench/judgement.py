"""Fits the judgement of worth and type (``loremark.memory.judgement``) on labelled items of dev, and shows its worth.

Each line of ``sets/dev/weighed.jsonl`` is an item as extraction once found it in an event it had never seen, with the
set it comes from and what it really was, if it was worth keeping. ``typed.jsonl`` is the same for types alone, with
how clearly the rules told them; what extraction did not find there is fitted on, but not counted. Every set is judged
by weights fitted on the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from loremark.features.items.records import item_text as item_text
from loremark.memory import judgement
from loremark.memory.extraction.telling import telling_words
from loremark.memory.items import Item
from loremark.ports.embeddings.embedder import open_embedder
from loremark.wire.items import ItemType

_STRENGTH = 3.0
_KEEP_FROM = {"session_save": 0.35, "git_digest": 0.15, "context_update": 0.35}
_OTHER_EVENTS_COUNT = 0.3
_BIAS_STRENGTH = 0.01
_DOCUMENTS = "context_update"
# Subjects of commits without a body, written for worth alone: too short to learn types from.
_SUBJECTS = "kc"
_ROUNDS = 7
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
_WEIGHTS = Path(str(resources.files("loremark.memory"))) / "judgement_weights.json"


class Weighed(msgspec.Struct, frozen=True):
    """An item, where it comes from, and the types it may have; none when it was not worth keeping."""

    of: str
    event: str
    types: list[ItemType]
    item: Item

    @property
    def hand(self) -> str:
        return self.of.partition("-")[0]

    @property
    def worth(self) -> bool:
        return bool(self.types)


def run() -> None:
    """Print the figures of each set, then write the weights fitted on all of them."""
    weighed, told = _read("weighed"), _read("typed")
    vectors = asyncio.run(_vectors(weighed))
    print("judgement of worth: each set by weights fitted on the others")
    for event in judgement.JUDGED_EVENTS:
        _show_worth(event, weighed, vectors)
    worth = np.array([one.worth and one.hand[:2] != _SUBJECTS for one in weighed])
    known = [*(one for one, is_known in zip(weighed, worth, strict=True) if is_known), *told]
    of_known = np.vstack([vectors[worth], asyncio.run(_vectors(told))]).astype(np.float64)
    _show_types(known, of_known)
    kept_weights = judgement.Weights(
        worth={event: _fit_worth(event, weighed, vectors) for event in judgement.JUDGED_EVENTS},
        told=_fit_types(*_told(known, of_known)),
        documents=_fit_types(known, of_known),
    )
    _WEIGHTS.write_bytes(msgspec.json.encode(kept_weights) + b"\n")


def _told(known: list[Weighed], vectors: NDArray[np.float64]) -> tuple[list[Weighed], NDArray[np.float64]]:
    """What happened is told in other words than what is: from documents it learns nothing but their own types."""
    mine = [at for at, one in enumerate(known) if one.event != _DOCUMENTS]
    return [known[at] for at in mine], vectors[mine]


def _read(name: str) -> list[Weighed]:
    lines = resources.files("loremark.memory.evaluation").joinpath("sets", "dev", f"{name}.jsonl").read_text("utf-8")
    return [msgspec.json.decode(line, type=Weighed) for line in lines.splitlines()]


async def _vectors(weighed: list[Weighed]) -> NDArray[np.float32]:
    embedder = open_embedder("builtin")
    vectors = (await embedder.embed([item_text(one.item) for one in weighed])).vectors
    await embedder.close()
    return np.asarray(vectors, dtype=np.float32)


def _show_worth(event: str, weighed: list[Weighed], vectors: NDArray[np.float32]) -> None:
    """How many of an event's doubted items are junk before and after, hand by hand, and in all."""
    sums = np.zeros(4, dtype=int)
    for held in sorted({one.hand for one in weighed if one.event == event}):
        others = [at for at, one in enumerate(weighed) if one.hand != held]
        model = judgement.WorthModel(_fit_worth(event, [weighed[at] for at in others], vectors[others]))
        counts = np.zeros(4, dtype=int)
        for one, vector in zip(weighed, vectors, strict=True):
            if one.hand != held or one.event != event:
                continue
            kept = not judgement.is_doubted(one.item, event) or model.keeps(one.item, vector)
            counts += (one.worth, not one.worth, one.worth and not kept, not one.worth and kept)
        sums += counts
        good, junk, lost, left = counts
        print(f"  {event} {held}: {good} good, {lost} of them lost; {junk} junk, {left} of it kept")
    good, junk, lost, left = sums
    print(f"  {event} in all: {good} good, {lost} of them lost; {junk} junk, {left} of it kept")


def _fit_worth(event: str, weighed: list[Weighed], vectors: NDArray[np.float32]) -> judgement.WorthWeights:
    """Logistic regression by Newton's method, both kinds weighing the same; what other events tell counts less."""
    worth = np.array([one.worth for one in weighed])
    mine = np.array([one.event == event for one in weighed])
    rows = np.stack([judgement.features(one.item, vector) for one, vector in zip(weighed, vectors, strict=True)])
    told = [telling_words(one.item.title, one.item.content) for one in weighed]
    counts = Counter(word for words, is_mine in zip(told, mine, strict=True) if is_mine for word in words)
    places = {word: at for at, word in enumerate(sorted(word for word in counts if counts[word] >= _LEAST_ITEMS))}
    full = np.hstack([rows, np.ones((len(rows), 1)), _spoken(told, places, judgement.WORD_SCALE)])
    counted = np.where(mine, 1.0, _OTHER_EVENTS_COUNT)
    good, bad = counted[worth].sum(), counted[~worth].sum()
    importance = counted * np.where(worth, 0.5 / good, 0.5 / bad) * counted.sum()
    weights = _fit(full, worth, importance, len(rows[0]))
    size = len(vectors[0])
    vector, signs, bias, words = np.split(weights, [size, len(rows[0]), len(rows[0]) + 1])
    units = np.rint(words * _WORD_UNITS).astype(int)
    return judgement.WorthWeights(
        keep_from=_KEEP_FROM[event],
        bias=round(float(bias[0]), 4),
        signs=_rounded(signs),
        vector=_rounded(vector),
        words={word: int(units[at]) for word, at in places.items() if units[at]},
    )


def _fit(
    full: NDArray[np.float64], worth: NDArray[np.bool_], importance: NDArray[np.float64], bias_at: int
) -> NDArray[np.float64]:
    """Solved by the items, as they are fewer than the words."""
    ridge = np.full(full.shape[1], _STRENGTH)
    ridge[bias_at] = _BIAS_STRENGTH
    scaled = full / ridge
    alike = scaled @ full.T
    scores = np.zeros(len(full))
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-scores))
        spread = importance * likely * (1 - likely) + 1e-9
        aim = scores + importance * (worth - likely) / spread
        counts = np.linalg.solve(alike + np.diag(1 / spread), aim)
        scores = alike @ counts
    weights: NDArray[np.float64] = scaled.T @ counts
    return weights


def _spoken(told: list[set[str]], places: dict[str, int], scale: float) -> NDArray[np.float64]:
    spoken = np.zeros((len(told), len(places)))
    for row, words in zip(spoken, told, strict=True):
        mine = [places[word] for word in words if word in places]
        row[mine] = scale / np.sqrt(max(1, len(mine)))
    return spoken


def _show_types(known: list[Weighed], vectors: NDArray[np.float64]) -> None:
    print("judgement of types, in the same way: by rules alone -> judged")
    sums = {"weighed": np.zeros(3), "typed": np.zeros(3)}
    for held in sorted({one.hand for one in known}):
        mine = np.array([one.hand == held for one in known])
        others = [one for one in known if one.hand != held], vectors[~mine]
        told, documents = (judgement.TypeModel(_fit_types(*some)) for some in (_told(*others), others))
        counts = np.zeros(3)
        dated = any(one.item.type_margin is not None for one in known if one.hand == held)
        for one, vector in zip((one for one in known if one.hand == held), vectors[mine], strict=True):
            if dated and one.item.type_margin is None:
                continue
            margin = _USUAL_MARGIN if one.item.type_margin is None else one.item.type_margin
            model = documents if one.event == _DOCUMENTS else told
            best = judgement.TYPES[model.best(one.item, one.event, vector.astype(np.float32), margin)]
            counts += (1, one.item.type in one.types, best in one.types)
        sums["typed" if dated else "weighed"] += counts
        print(f"  {held}: {counts[0]:.0f} items, {counts[1] / counts[0]:.3f} -> {counts[2] / counts[0]:.3f}")
    for name, (count, before, after) in sums.items():
        print(f"  all of {name}: {count:.0f} items, {before / count:.3f} -> {after / count:.3f}")


def _fit_types(known: list[Weighed], vectors: NDArray[np.float64]) -> judgement.TypeWeights:
    """Ridge regression on the types an item may have, solved by its items as they are fewer than its words."""
    told = [telling_words(one.item.title, one.item.content) for one in known]
    counts = Counter(word for words in told for word in words)
    places = {word: at for at, word in enumerate(sorted(word for word in counts if counts[word] >= _LEAST_ITEMS))}
    size = vectors.shape[1]
    events = np.array([[one.event == event for event in judgement.TYPED_EVENTS] for one in known], dtype=np.float64)
    spoken = _spoken(told, places, judgement.TYPE_WORD_SCALE)
    full = np.hstack([vectors * judgement.TYPE_VECTOR_SCALE, events, np.ones((len(known), 1)), spoken])
    solved = np.linalg.solve(full @ full.T + _TYPE_STRENGTH * np.eye(len(full)), _targets(known))
    weights = full.T @ solved
    by_event, bias, by_word = np.split(weights[size:], [events.shape[1], events.shape[1] + 1])
    units = np.rint(by_word * _WORD_UNITS).astype(int)
    return judgement.TypeWeights(
        ruled=_RULED,
        by_margin=_BY_MARGIN,
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
