"""What the rules leave open, judged by small linear models over an item's vector, its words and a few plain signs.

Whether what was found in free text is worth keeping; and which type a fact has, the more so the less clearly the
rules told it.

The weights are fitted on labelled items of the dev set (``python -m bench judgement``) and belong to one embedding
model. What was filed outright, was found with high confidence, or gives its reason, is kept without asking; a type
that was given and not found by rules is not asked about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import resources

import msgspec
import numpy as np
from numpy.typing import NDArray

from loremark.memory.extraction import stories, worth
from loremark.memory.extraction.commit_files import touch_source
from loremark.memory.extraction.commit_types import open_types
from loremark.memory.extraction.telling import telling_words
from loremark.memory.items import TIER_OF_TYPE, Item
from loremark.wire.items import ItemType

EMBEDDERS = ("granite-30m-q8", "granite-30m")
"""Whose vectors the weights are for."""
JUDGED_EVENTS = ("session_save", "git_digest", "context_update")
TYPED_EVENTS = ("session_save", "git_digest", "context_update")
"""Where types are found by rules. A commit does, a context describes: that leans, whatever the words."""
VECTOR_SCALE = 3.0
WORD_SCALE = 2.0
_SURE = 0.86
_TOLD_BY_ITS_BODY = 0.8
"""A commit that is surer than this has more than a subject."""
_LONG_CHARS = 800
_WEIGHTS = "judgement_weights.json"
TYPES = tuple(TIER_OF_TYPE)
TYPE_VECTOR_SCALE = 1.5
TYPE_WORD_SCALE = 2.0
MOST_MARGIN = 6.0
"""A verdict of the rules that is clearer than this is no surer for it."""
_WORD_UNITS = 1_000


class WorthWeights(msgspec.Struct, frozen=True):
    """``keep_from``: what is less likely to be worth keeping than this, is not kept. ``words`` in thousandths."""

    keep_from: float
    bias: float
    signs: list[float]
    vector: list[float]
    words: dict[str, int]


class TypeWeights(msgspec.Struct, frozen=True):
    """``ruled``: what the type that the rules found is given beforehand; ``by_margin``: how much more the further it
    was before the next one. ``events``: what the kind of event it was found in speaks for each type, ``words``: the
    same of each word, in thousandths.
    """

    ruled: float
    by_margin: float
    biases: list[float]
    types: list[list[float]]
    events: dict[str, list[float]]
    words: dict[str, list[int]]


class Weights(msgspec.Struct, frozen=True):
    """``worth``: by kind of event, for a commit, a saved session and a document tell their noise in other ways.

    ``told`` and ``documents``: types of what somebody tells has happened, and of what a document describes.
    """

    worth: dict[str, WorthWeights]
    told: TypeWeights
    documents: TypeWeights


class WorthModel:
    """The weights of worth in one kind of event, made ready to be asked."""

    def __init__(self, weights: WorthWeights) -> None:
        self._keep_from, self._bias = weights.keep_from, weights.bias
        self._row = np.array([*weights.vector, *weights.signs], dtype=np.float64)
        self._words = weights.words

    def keeps(self, item: Item, vector: NDArray[np.float32]) -> bool:
        return self.likelihood(item, vector) >= self._keep_from

    def likelihood(self, item: Item, vector: NDArray[np.float32]) -> float:
        score = float(self._row @ features(item, vector)) + self._bias
        told = [self._words[word] for word in telling_words(item.title, item.content) if word in self._words]
        if told:
            score += sum(told) * WORD_SCALE / _WORD_UNITS / math.sqrt(len(told))
        return likelihood(score)


class TypeModel:
    """The weights of types, made ready to be asked."""

    def __init__(self, weights: TypeWeights) -> None:
        self._ruled, self._by_margin = weights.ruled, weights.by_margin
        self._biases = np.array(weights.biases)
        self._matrix = np.array(weights.types) * TYPE_VECTOR_SCALE
        self._events = {event: np.array(spoken) for event, spoken in weights.events.items()}
        self._places = {word: place for place, word in enumerate(weights.words)}
        self._words = np.array(list(weights.words.values()), dtype=np.float64) * (TYPE_WORD_SCALE / _WORD_UNITS)

    def best(
        self, item: Item, event: str, vector: NDArray[np.float32], margin: float, allowed: Sequence[ItemType] = TYPES
    ) -> int:
        """The place of the likeliest type, of those that are allowed."""
        scores = self._matrix @ vector.astype(np.float64) + self._biases
        if event in self._events:
            scores += self._events[event]
        places = [self._places[word] for word in telling_words(item.title, item.content) if word in self._places]
        if places:
            scores += self._words[places].sum(axis=0) / math.sqrt(len(places))
        scores[TYPES.index(item.type)] += self._ruled + self._by_margin * min(margin, MOST_MARGIN)
        places = [TYPES.index(kind) for kind in allowed]
        return places[int(scores[places].argmax())]


def judged(item: Item, event: str, vector: NDArray[np.float32]) -> Item | None:
    """The item with its type; None when it is not worth keeping."""
    return typed(item, event, vector) if is_worth_keeping(item, event, vector) else None


def is_worth_keeping(item: Item, event: str, vector: NDArray[np.float32]) -> bool:
    """Whether an item found in such an event is kept."""
    return not is_doubted(item, event) or _worth()[event].keeps(item, vector)


def typed(item: Item, event: str, vector: NDArray[np.float32]) -> Item:
    """The item with its type. What the rules told clearly, words and vector hardly change."""
    if item.type_margin is None:
        return item
    allowed = open_types(item.title, item.type, item.files) if event == "git_digest" else TYPES
    told, documents = _types()
    model = documents if event == "context_update" else told
    kind = TYPES[model.best(item, event, vector, item.type_margin, allowed)]
    return replace(item, type=kind, tier=TIER_OF_TYPE[kind], type_margin=None)


def is_doubted(item: Item, event: str) -> bool:
    """What was found in free text and gives no reason; a commit that says more than its subject has its files too.

    Who tells how it went has a reason for everything.
    """
    if event not in JUDGED_EVENTS or item.confidence > _SURE:
        return False
    if event == "git_digest" and item.confidence > _TOLD_BY_ITS_BODY and touch_source(item.files):
        return False
    if event == "session_save" and stories.speaks_of_the_teller(item.content):
        return True
    return not worth.has_reason(f"{item.title}. {item.content}")


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
def _weights() -> Weights:
    return msgspec.json.decode(resources.files("loremark.memory").joinpath(_WEIGHTS).read_bytes(), type=Weights)


@lru_cache(maxsize=1)
def _worth() -> dict[str, WorthModel]:
    return {event: WorthModel(weights) for event, weights in _weights().worth.items()}


@lru_cache(maxsize=1)
def _types() -> tuple[TypeModel, TypeModel]:
    return TypeModel(_weights().told), TypeModel(_weights().documents)
