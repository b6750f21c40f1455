"""How well hygiene proposes, on labelled memories: the figures that must hold, and the table they stand in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from loremark.features.items.records import item_text
from loremark.memory.evaluation import hygiene
from loremark.memory.evaluation.loading import Split
from loremark.memory.items import Item
from loremark.ports.embeddings.builtin import BuiltinEmbedder

pytestmark = pytest.mark.anyio


async def _vectors(items: list[Item], folder: Path) -> NDArray[np.float32]:
    embedder = BuiltinEmbedder("int8", cache_dir=folder)
    try:
        return (await embedder.embed([item_text(item) for item in items])).vectors
    finally:
        await embedder.close()


@pytest.mark.parametrize("split", ["dev", "test"])
async def test_the_figures_of_a_labelled_memory(split: Split, tmp_path: Path) -> None:
    cases = hygiene.load(split)
    assert len(cases) >= 120
    report = hygiene.evaluate(cases, await _vectors([case.seen.item for case in cases], tmp_path))
    print(f"\nhygiene, {split}\n{report.table()}")
    assert report.merge_precision >= 0.95
    assert report.proposed >= 0.95 * report.planted
    assert report.gone >= 0.95 * report.planted
    # One of the dev set's clean items names a secret's place in a way the redaction takes for the secret.
    assert len(report.false) <= (1 if split == "dev" else 0)


def test_no_value_that_looks_real_stands_in_a_set() -> None:
    for split in ("dev", "test"):
        for case in hygiene.load(split):
            for value in case.planted:
                assert value not in case.line.content + case.line.title + case.line.quote


def test_a_memory_without_vectors_is_looked_at_by_its_words() -> None:
    cases = hygiene.load("dev")
    report = hygiene.evaluate(cases, None)
    assert report.merge_precision == 1
    assert report.proposed == report.planted
