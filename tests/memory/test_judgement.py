"""The judgement of worth and type: small models, which only doubt what was found in free text or hardly told."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from bench import judgement as fitting

from loremark.memory import judgement
from loremark.memory.evaluation.loading import load, texts
from loremark.memory.extraction.telling import telling_words
from loremark.memory.items import Item, Quote
from loremark.ports.embeddings.embedder import open_embedder

pytestmark = pytest.mark.anyio


def _item(title: str, confidence: float = 0.55) -> Item:
    return Item(title, f"{title}.", "implementation", "root/x", confidence, evidence=(Quote("evt", title),))


async def _judged(item: Item, event: str = "session_save") -> bool:
    embedder = open_embedder("builtin")
    try:
        (vector,) = (await embedder.embed([fitting.item_text(item)])).vectors
    finally:
        await embedder.close()
    return judgement.is_worth_keeping(item, event, vector)


async def test_status_talk_is_told_from_facts_however_technical_it_sounds() -> None:
    assert not await _judged(_item("Poked at the Kafka consumer lag for a while, no idea yet, will go on tomorrow"))
    assert not await _judged(_item("Rebased onto main and pushed, the pipeline is running again"))
    assert await _judged(
        _item("The consumer commits offsets only after the batch is in Postgres, so a crash replays it")
    )


async def test_what_was_filed_or_is_sure_is_not_asked_about() -> None:
    talk = "Poked at the Kafka consumer lag for a while, no idea yet, will go on tomorrow"
    assert await _judged(_item(talk, confidence=0.92))
    assert await _judged(_item(talk), event="memory_operation")


async def _typed(item: Item) -> Item:
    embedder = open_embedder("builtin")
    try:
        (vector,) = (await embedder.embed([fitting.item_text(item)])).vectors
    finally:
        await embedder.close()
    return judgement.typed(item, "session_save", vector)


async def test_what_the_rules_hardly_told_is_typed_by_its_words_and_what_they_told_clearly_is_not() -> None:
    rule = replace(_item("Nobody may call the billing tables directly, always go through the ledger module"), tier=2)
    judged = await _typed(replace(rule, type_margin=0.0))
    assert (judged.type, judged.tier, judged.type_margin) == ("convention", 1, None)
    assert (await _typed(replace(rule, type_margin=judgement.MOST_MARGIN))).type == "implementation"
    given = replace(rule, type_margin=None)
    assert await _typed(given) is given


def test_the_weights_fit_the_features() -> None:
    item = _item("Anything")
    weights = judgement._weights()
    assert set(weights.worth) == set(judgement.JUDGED_EVENTS)
    for worth in weights.worth.values():
        assert len(worth.vector) + len(worth.signs) == len(judgement.features(item, np.zeros(384, dtype=np.float32)))
        assert len(worth.signs) == len(judgement.signs(item))
        assert 0 < worth.keep_from < 1
        assert worth.words
    for types in (weights.told, weights.documents):
        assert set(types.events) == set(judgement.TYPED_EVENTS)
        assert {len(spoken) for spoken in types.events.values()} == {len(judgement.TYPES)}
        assert np.array(types.types).shape == (len(judgement.TYPES), 384)
        assert {len(spoken) for spoken in types.words.values()} == {len(judgement.TYPES)}


def test_names_and_numbers_count_as_one_word_each() -> None:
    told = telling_words("Timeouts", "`fetch` waits 30 s, see src/net/fetch.py")
    assert told == telling_words("Timeouts", "`poll` waits 5 s, see lib/poll.go")
    assert {"waits #", "c^⌂", "t^timeouts"} <= told
    assert telling_words("", "") == set()


def test_what_is_fitted_on_is_enough_and_holds_nothing_of_the_test_split() -> None:
    typed, weighed = fitting._read("typed"), fitting._read("weighed")
    assert len(typed) >= 300
    assert {kind for one in typed for kind in one.types} == set(judgement.TYPES)
    assert all(one.types and len(set(one.types)) == len(one.types) for one in typed)
    assert sum(len(one.types) > 1 for one in typed) <= 0.25 * len(typed)
    for event in judgement.JUDGED_EVENTS:
        assert sum(one.event == event and not one.worth for one in weighed) >= 80
    later = [one for one in weighed if len(one.hand) > 1]  # the others are dev's own events
    known = set().union(*(_grams(f"{one.item.title}. {one.item.content}") for one in (*typed, *later)))
    theirs = [text for event in load("test").events for text in texts(event.payload) if " " in text.strip()]
    # Only their number: a test that fails must not show the closed texts.
    near = sum(len(_grams(text) & known) > 0.1 * len(_grams(text)) for text in theirs)
    assert near == 0


def _grams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}
