"""Hygiene on labeled memories: minimum figures, and the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from loremark.features.items.records import item_text
from loremark.memory.evaluation import hygiene_sets
from loremark.memory.evaluation.labeled_sets import Split
from loremark.memory.items import Item
from loremark.ports.embeddings.builtin import BuiltinEmbedder

pytestmark = pytest.mark.anyio


async def _vectors(items: list[Item], folder: Path) -> NDArray[np.float32]:
    embedder = BuiltinEmbedder("int8", cache_dir=folder)
    try:
        return (await embedder.embed([item_text(item) for item in items])).vectors
    finally:
        await embedder.close()


@pytest.mark.parametrize("split", [pytest.param("dev", marks=pytest.mark.nightly), "test"])
async def test_labeled_memories_reach_the_minimum_figures(split: Split, tmp_path: Path) -> None:
    cases = hygiene_sets.load(split)
    assert len(cases) >= 120
    report = hygiene_sets.evaluate(cases, await _vectors([case.seen.item for case in cases], tmp_path))
    print(f"\nhygiene, {split}\n{report.to_table()}")
    assert report.merge_precision >= 0.95
    assert report.proposed >= 0.95 * report.planted
    assert report.gone >= 0.95 * report.planted
    # One clean item of the dev set says where a secret is stored, and redaction mistakes that for the secret.
    assert len(report.false) <= (1 if split == "dev" else 0)


def test_no_set_contains_a_generated_value() -> None:
    for split in ("dev", "test"):
        for case in hygiene_sets.load(split):
            for value in case.planted:
                assert value not in case.line.content + case.line.title + case.line.quote


def test_without_vectors_only_words_are_compared() -> None:
    cases = hygiene_sets.load("dev")
    report = hygiene_sets.evaluate(cases, None)
    assert report.merge_precision == 1
    assert report.proposed == report.planted
