"""The item classifier only decides on items from free text and on unclear types."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from bench import fit_item_classifier as fitting

from loremark.features.items.records import item_text
from loremark.memory import item_classifier
from loremark.memory.evaluation.labeled_sets import load, texts
from loremark.memory.extraction.ngram_features import ngram_features
from loremark.memory.items import Item, Quote
from tests.support import embedding

pytestmark = pytest.mark.anyio


def _item(title: str, confidence: float = 0.55) -> Item:
    return Item(title, f"{title}.", "implementation", "root/x", confidence, evidence=(Quote("evt", title),))


async def _is_salient(item: Item, event: str = "session_save") -> bool:
    (vector,) = (await embedding.builtin().embed([item_text(item)])).vectors
    return item_classifier.is_salient(item, event, vector)


async def test_technical_status_talk_is_not_salient() -> None:
    assert not await _is_salient(_item("Poked at the Kafka consumer lag for a while, no idea yet, will go on tomorrow"))
    assert not await _is_salient(_item("Rebased onto main and pushed, the pipeline is running again"))
    assert await _is_salient(
        _item("The consumer commits offsets only after the batch is in Postgres, so a crash replays it")
    )


async def test_saved_and_confident_items_are_always_kept() -> None:
    talk = "Poked at the Kafka consumer lag for a while, no idea yet, will go on tomorrow"
    assert await _is_salient(_item(talk, confidence=0.92))
    assert await _is_salient(_item(talk), event="memory_operation")


async def _typed(item: Item) -> Item:
    (vector,) = (await embedding.builtin().embed([item_text(item)])).vectors
    return item_classifier.assign_type(item, "session_save", vector)


async def test_the_model_decides_only_where_the_rules_are_unclear() -> None:
    rule = replace(_item("Nobody may call the billing tables directly, always go through the ledger module"), tier=2)
    typed_item = await _typed(replace(rule, type_margin=0.0))
    assert (typed_item.type, typed_item.tier, typed_item.type_margin) == ("convention", 1, None)
    assert (await _typed(replace(rule, type_margin=item_classifier.MAX_MARGIN))).type == "implementation"
    given = replace(rule, type_margin=None)
    assert await _typed(given) is given


def test_the_weights_fit_the_features() -> None:
    item = _item("Anything")
    weights = item_classifier._weights()
    assert set(weights.salience) == set(item_classifier.SALIENCE_EVENTS)
    for salience in weights.salience.values():
        count = len(item_classifier.features(item, np.zeros(384, dtype=np.float32)))
        assert len(salience.vector) + len(salience.features) == count
        assert len(salience.features) == len(item_classifier.handcrafted_features(item))
        assert 0 < salience.threshold < 1
        assert salience.words
    for types in (weights.narrative_types, weights.document_types):
        assert set(types.events) == set(item_classifier.TYPE_EVENTS)
        assert {len(scores) for scores in types.events.values()} == {len(item_classifier.TYPES)}
        assert np.array(types.types).shape == (len(item_classifier.TYPES), 384)
        assert {len(scores) for scores in types.words.values()} == {len(item_classifier.TYPES)}


def test_names_and_numbers_count_as_one_word_each() -> None:
    ngrams = ngram_features("Timeouts", "`fetch` waits 30 s, see src/net/fetch.py")
    assert ngrams == ngram_features("Timeouts", "`poll` waits 5 s, see lib/poll.go")
    assert {"waits #", "c^⌂", "t^timeouts"} <= ngrams
    assert ngram_features("", "") == set()


def test_the_training_data_is_large_enough_and_disjoint_from_test() -> None:
    typed, labeled = fitting.read_labeled("types"), fitting.read_labeled("salience")
    assert len(typed) >= 300
    assert {kind for one in typed for kind in one.types} == set(item_classifier.TYPES)
    assert all(one.types and len(set(one.types)) == len(one.types) for one in typed)
    assert sum(len(one.types) > 1 for one in typed) <= 0.25 * len(typed)
    for event in item_classifier.SALIENCE_EVENTS:
        assert sum(one.event == event and not one.is_salient for one in labeled) >= 80
    later = [one for one in labeled if len(one.annotator_id) > 1]  # the others come from dev's own events
    known = set().union(*(_grams(f"{one.item.title}. {one.item.content}") for one in (*typed, *later)))
    theirs = [text for event in load("test").events for text in texts(event.payload) if " " in text.strip()]
    # Only the count, since a failing test must not print the held-out texts.
    near = sum(len(_grams(text) & known) > 0.1 * len(_grams(text)) for text in theirs)
    assert near == 0


def _grams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}
