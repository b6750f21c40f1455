"""What the rules leave open, judged by small linear models over an item's vector and a few plain signs.

Whether what was found in free text is worth keeping; and which type a fact has when no rule speaks for one.

The weights are fitted on labelled items of the dev set (``python -m bench judgement``) and belong to one embedding
model. What was filed outright, was found with high confidence, or gives its reason, is not asked about.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from importlib import resources

import msgspec
import numpy as np
from numpy.typing import NDArray

from cairn.memory.extraction import worth
from cairn.memory.items import TIER_OF_TYPE, Item
from cairn.wire.items import ItemType

EMBEDDERS = ("minilm-l6-v2-q8", "minilm-l6-v2")
"""Whose vectors the weights are for."""
JUDGED_EVENTS = ("session_save", "git_digest")
VECTOR_SCALE = 3.0
_SURE = 0.86
_LONG_CHARS = 800
_WEIGHTS = "judgement_weights.json"
TYPES = tuple(TIER_OF_TYPE)
FALLBACKS: dict[str, ItemType] = {
    "session_save": "implementation",
    "git_digest": "implementation",
    "context_update": "architecture",
}
"""The type that the rules give in such an event when none speaks for another."""


class Weights(msgspec.Struct, frozen=True):
    """``keep_from``: what is less likely to be worth keeping than this, is not kept.

    ``turn_from``: how much likelier another type must be than the one the rules fall back to.
    """

    keep_from: float
    bias: float
    signs: list[float]
    vector: list[float]
    turn_from: float
    type_biases: list[float]
    types: list[list[float]]


def judged(item: Item, event: str, vector: NDArray[np.float32]) -> Item | None:
    """The item with its type; None when it is not worth keeping."""
    return typed(item, event, vector) if is_worth_keeping(item, event, vector) else None


def is_worth_keeping(item: Item, event: str, vector: NDArray[np.float32]) -> bool:
    """Whether an item found in such an event is kept."""
    if not is_doubted(item, event):
        return True
    weights, row, _ = _weights()
    return likelihood(float(row @ features(item, vector)) + weights.bias) >= weights.keep_from


def typed(item: Item, event: str, vector: NDArray[np.float32]) -> Item:
    """The item with its type. Only where the rules may have fallen back the vector is asked."""
    fallback = FALLBACKS.get(event)
    if item.type != fallback:
        return item
    weights, _, matrix = _weights()
    shares = type_shares(matrix @ (vector.astype(np.float64) * VECTOR_SCALE) + np.array(weights.type_biases))
    best = int(shares.argmax())
    if shares[best] - shares[TYPES.index(fallback)] < weights.turn_from:
        return item
    return replace(item, type=TYPES[best], tier=TIER_OF_TYPE[TYPES[best]])


def type_shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    raised: NDArray[np.float64] = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: NDArray[np.float64] = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def is_doubted(item: Item, event: str) -> bool:
    """What was found in free text and gives no reason."""
    text = f"{item.title}. {item.content}"
    return event in JUDGED_EVENTS and item.confidence <= _SURE and not worth.has_reason(text)


def features(item: Item, vector: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.concatenate([vector.astype(np.float64) * VECTOR_SCALE, np.array(signs(item), dtype=np.float64)])


def signs(item: Item) -> list[float]:
    """What can be told without understanding: the type, how sure, whether it gives a reason, names things."""
    text = f"{item.title}. {item.content}"
    return [
        *(float(item.type == kind) for kind in TYPES),
        2 * item.confidence,
        float(worth.has_reason(text)),
        float(worth.is_specific(text)),
        float(worth.has_remedy(text)),
        float(worth.is_hedged(text)),
        min(len(text), _LONG_CHARS) / _LONG_CHARS,
        float(bool(item.files)),
        len(item.evidence) / 3,
    ]


def likelihood(score: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


@lru_cache(maxsize=1)
def _weights() -> tuple[Weights, NDArray[np.float64], NDArray[np.float64]]:
    content = resources.files("cairn.memory").joinpath(_WEIGHTS).read_bytes()
    weights = msgspec.json.decode(content, type=Weights)
    return weights, np.array([*weights.vector, *weights.signs], dtype=np.float64), np.array(weights.types)
