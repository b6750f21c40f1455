"""The judgement of worth: a small model over vectors, which only doubts what was found in free text."""

from __future__ import annotations

import numpy as np
import pytest
from bench import judgement as fitting

from cairn.memory import judgement
from cairn.memory.items import Item, Quote
from cairn.ports.embeddings.embedder import open_embedder

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


def test_the_weights_fit_the_features() -> None:
    item = _item("Anything")
    weights, row, types = judgement._weights()
    assert len(row) == len(judgement.features(item, np.zeros(384, dtype=np.float32)))
    assert len(weights.signs) == len(judgement.signs(item))
    assert 0 < weights.keep_from < 1
    assert types.shape == (len(judgement.TYPES), 384)
