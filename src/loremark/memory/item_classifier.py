"""Linear models that decide what the rules leave open: whether to keep an extracted item, and which type it has.

They use an item's vector, its words and a few handcrafted features. The clearer the rules are about a type, the less
the model can change it. The weights are fitted on labeled items of the dev set (``python -m bench item-classifier``)
and fit one embedding model. Items that were saved explicitly, state a rule or give a reason are always kept,
and types that were stated rather than inferred are never changed.
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

from loremark.memory.extraction import narratives, salience
from loremark.memory.extraction.commit_files import touches_source
from loremark.memory.extraction.commit_types import candidate_types
from loremark.memory.extraction.confidence import COMMIT_WITH_BODY, FILED_CHANGE, SETTLED
from loremark.memory.extraction.ngram_features import ngram_features
from loremark.memory.items import TIER_OF_TYPE, Item
from loremark.wire.items import ItemType

SUPPORTED_EMBEDDERS = ("loremark-30m-q8", "loremark-30m")
"""The embedding models whose vectors the weights fit."""
SALIENCE_EVENTS = ("session_save", "git_digest", "context_update")
TYPE_EVENTS = ("session_save", "git_digest", "context_update")
"""Events whose types the rules infer. Commits describe changes and contexts describe the system, which shifts the type
whatever the words."""
VECTOR_SCALE = 3.0
WORD_SCALE = 2.0
_STATED_TYPES = ("decision", "convention")
_LONG_CHARS = 800
_WEIGHTS = "item_classifier_weights.json"
TYPES = tuple(TIER_OF_TYPE)
TYPE_VECTOR_SCALE = 1.5
TYPE_WORD_SCALE = 2.0
MAX_MARGIN = 6.0
"""Larger margins of the rules count no more than this."""
_WORD_UNITS = 1_000


class SalienceWeights(msgspec.Struct, frozen=True):
    """Items with a probability below ``threshold`` are dropped. ``words`` are in thousandths."""

    threshold: float
    bias: float
    features: list[float]
    vector: list[float]
    words: dict[str, int]


class TypeWeights(msgspec.Struct, frozen=True):
    """``rule_prior`` is added to the type the rules found, plus ``margin_weight`` for each point of their margin.

    ``events`` holds the contribution of each event type and ``words`` that of each word, in thousandths.
    """

    rule_prior: float
    margin_weight: float
    biases: list[float]
    types: list[list[float]]
    events: dict[str, list[float]]
    words: dict[str, list[int]]


class Weights(msgspec.Struct, frozen=True):
    """``salience`` by event type, since commits, saved sessions and documents contain different kinds of noise.

    ``narrative_types`` classify what somebody says happened, ``document_types`` what a document describes.
    """

    salience: dict[str, SalienceWeights]
    narrative_types: TypeWeights
    document_types: TypeWeights


class SalienceModel:
    """Predicts whether an item from one event type is worth keeping."""

    def __init__(self, weights: SalienceWeights) -> None:
        self._threshold, self._bias = weights.threshold, weights.bias
        self._row = np.array([*weights.vector, *weights.features], dtype=np.float64)
        self._words = weights.words

    def keeps(self, item: Item, vector: NDArray[np.float32]) -> bool:
        return self.likelihood(item, vector) >= self._threshold

    def likelihood(self, item: Item, vector: NDArray[np.float32]) -> float:
        score = float(self._row @ features(item, vector)) + self._bias
        matched = [self._words[word] for word in ngram_features(item.title, item.content) if word in self._words]
        if matched:
            score += sum(matched) * WORD_SCALE / _WORD_UNITS / math.sqrt(len(matched))
        return likelihood(score)


class TypeModel:
    """Predicts an item's type."""

    def __init__(self, weights: TypeWeights) -> None:
        self._rule_prior, self._margin_weight = weights.rule_prior, weights.margin_weight
        self._biases = np.array(weights.biases)
        self._matrix = np.array(weights.types) * TYPE_VECTOR_SCALE
        self._events = {event: np.array(contributions) for event, contributions in weights.events.items()}
        self._places = {word: place for place, word in enumerate(weights.words)}
        self._words = np.array(list(weights.words.values()), dtype=np.float64) * (TYPE_WORD_SCALE / _WORD_UNITS)

    def best(
        self, item: Item, event: str, vector: NDArray[np.float32], margin: float, allowed: Sequence[ItemType] = TYPES
    ) -> int:
        """The index of the most likely type among the allowed ones."""
        scores = self._matrix @ vector.astype(np.float64) + self._biases
        if event in self._events:
            scores += self._events[event]
        places = [self._places[word] for word in ngram_features(item.title, item.content) if word in self._places]
        if places:
            scores += self._words[places].sum(axis=0) / math.sqrt(len(places))
        scores[TYPES.index(item.type)] += self._rule_prior + self._margin_weight * min(margin, MAX_MARGIN)
        places = [TYPES.index(kind) for kind in allowed]
        return places[int(scores[places].argmax())]


def classify_item(item: Item, event: str, vector: NDArray[np.float32]) -> Item | None:
    """Return the item with its final type, or None if it is not worth keeping."""
    return assign_type(item, event, vector) if is_salient(item, event, vector) else None


def is_salient(item: Item, event: str, vector: NDArray[np.float32]) -> bool:
    """Whether to keep an item found in this event type."""
    return not needs_salience_check(item, event) or _salience_models()[event].keeps(item, vector)


def assign_type(item: Item, event: str, vector: NDArray[np.float32]) -> Item:
    """Return the item with its final type. The model rarely overrides rules that are clear."""
    if item.type_margin is None:
        return item
    allowed = candidate_types(item.title, item.type, item.files) if event == "git_digest" else TYPES
    narrative_model, document_model = _type_models()
    model = document_model if event == "context_update" else narrative_model
    kind = TYPES[model.best(item, event, vector, item.type_margin, allowed)]
    return replace(item, type=kind, tier=TIER_OF_TYPE[kind], type_margin=None)


def needs_salience_check(item: Item, event: str) -> bool:
    """Whether an item was found in free text and gives no reason.

    Commits with a body that touch source files are kept. Narratives are always checked: they give a reason for
    everything.
    """
    if event not in SALIENCE_EVENTS:
        return False
    if event == "git_digest" and item.confidence >= COMMIT_WITH_BODY and touches_source(item.files):
        return False
    if event == "session_save" and (item.confidence >= FILED_CHANGE or item.confidence in SETTLED):
        return False
    if event == "context_update" and item.type in _STATED_TYPES:
        return False
    if event == "session_save" and narratives.is_first_person(item.content):
        return True
    return not salience.has_reason(f"{item.title}. {item.content}")


def features(item: Item, vector: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.concatenate(
        [vector.astype(np.float64) * VECTOR_SCALE, np.array(handcrafted_features(item), dtype=np.float64)]
    )


def handcrafted_features(item: Item) -> list[float]:
    """The type, and whether it gives a reason, is specific, names files and so on."""
    text = f"{item.title}. {item.content}"
    return [
        *(float(item.type == kind) for kind in TYPES),
        float(salience.has_reason(text)),
        float(salience.is_specific(text)),
        float(salience.has_remedy(text)),
        float(salience.is_hedged(text)),
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
def _salience_models() -> dict[str, SalienceModel]:
    return {event: SalienceModel(weights) for event, weights in _weights().salience.items()}


@lru_cache(maxsize=1)
def _type_models() -> tuple[TypeModel, TypeModel]:
    return TypeModel(_weights().narrative_types), TypeModel(_weights().document_types)
