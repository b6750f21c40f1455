"""Fits the judgement of worth and type (``cairn.memory.judgement``) on labelled items of dev, and shows its worth.

Each line of ``sets/dev/weighed.jsonl`` is an item as extraction once found it in an event it had never seen, with the
set it comes from and what it really was, if it was worth keeping. Every set is judged by weights fitted on the others.
"""

from __future__ import annotations

import asyncio
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from cairn.features.items.records import item_text as item_text
from cairn.memory import judgement
from cairn.memory.items import Item
from cairn.ports.embeddings.embedder import open_embedder
from cairn.wire.items import ItemType

_STRENGTH = 3.0
_KEEP_FROM = 0.35
_ROUNDS = 30
_TYPE_STRENGTH = 2.0
_TURN_FROM = 0.4
_TYPE_ROUNDS = 300
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


def run() -> None:
    """Print the figures of each set, then write the weights fitted on all of them."""
    lines = resources.files("cairn.memory.evaluation").joinpath("sets", "dev", "weighed.jsonl").read_text("utf-8")
    weighed = [msgspec.json.decode(line, type=Weighed) for line in lines.splitlines()]
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
    vectors = rows[:, :size]
    print("judgement of types, in the same way")
    for held in sorted({one.of for one in weighed}):
        others = np.array([one.of != held and one.worth for one in weighed])
        mine = np.array([one.of == held and one.worth for one in weighed])
        fitted = _fit_types([one for one in weighed if one.of != held and one.worth], vectors[others])
        told = [one for one in weighed if one.of == held and one.worth]
        before = np.mean([one.item.type in one.types for one in told])
        print(f"  {held}: {before:.3f} -> {np.mean(_types_right(told, vectors[mine], fitted)):.3f}")
    weights, types = _fit(rows, worth), _fit_types([one for one in weighed if one.worth], vectors[worth])
    kept_weights = judgement.Weights(
        keep_from=_KEEP_FROM,
        bias=round(float(weights[-1]), 4),
        signs=[round(float(value), 4) for value in weights[size:-1]],
        vector=[round(float(value), 4) for value in weights[:size]],
        turn_from=_TURN_FROM,
        type_biases=[round(float(value), 4) for value in types[-1]],
        types=[[round(float(value), 3) for value in row] for row in types[:-1].T],
    )
    _WEIGHTS.write_bytes(msgspec.json.encode(kept_weights) + b"\n")


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


def _fit_types(told: list[Weighed], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Softmax regression by Adam; rare types weigh a little more. The last row is the bias."""
    full = np.hstack([vectors, np.ones((len(vectors), 1))])
    wanted = np.array([judgement.TYPES.index(one.types[0]) for one in told])
    counts = np.bincount(wanted, minlength=len(judgement.TYPES))
    importance = np.sqrt(len(wanted) / (len(counts) * np.maximum(1, counts)))[wanted][:, None]
    target = np.eye(len(judgement.TYPES))[wanted]
    weights = np.zeros((full.shape[1], len(judgement.TYPES)))
    mean, spread = np.zeros_like(weights), np.zeros_like(weights)
    for turn in range(1, _TYPE_ROUNDS + 1):
        shares = judgement.type_shares(full @ weights)
        slope = (full.T @ ((shares - target) * importance) + _TYPE_STRENGTH * weights) / len(full)
        mean, spread = 0.9 * mean + 0.1 * slope, 0.999 * spread + 0.001 * slope**2
        weights -= 0.05 * (mean / (1 - 0.9**turn)) / (np.sqrt(spread / (1 - 0.999**turn)) + 1e-8)
    return weights


def _types_right(told: list[Weighed], vectors: NDArray[np.float64], weights: NDArray[np.float64]) -> list[bool]:
    shares = judgement.type_shares(vectors @ weights[:-1] + weights[-1])
    right: list[bool] = []
    for one, share in zip(told, shares, strict=True):
        best, fallback = int(share.argmax()), judgement.FALLBACKS.get(one.event)
        turned = one.item.type == fallback and share[best] - share[judgement.TYPES.index(fallback)] >= _TURN_FROM
        right.append((judgement.TYPES[best] if turned else one.item.type) in one.types)
    return right
