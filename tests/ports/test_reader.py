"""The built-in reader: the same scores as the trained model, whatever the text, and clear errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from loremark.ports.reader import builtin
from loremark.ports.reader.builtin import BuiltinReader
from loremark.ports.reader.reader import ReaderFailed, Reading

_REFERENCE = json.loads((Path(__file__).parent / "reader_reference.json").read_text())
"""Scores of the same weights in PyTorch, in full precision (training/README.md)."""


def _read(*pairs: tuple[str, str], cache_dir: Path | None = None) -> list[Reading]:
    return _read_batches([pairs], cache_dir)[0]


def _read_batches(batches: Sequence[Sequence[tuple[str, str]]], cache_dir: Path | None = None) -> list[list[Reading]]:
    """Read with a new reader, which has read nothing before."""

    async def read() -> list[list[Reading]]:
        reader = BuiltinReader(cache_dir=cache_dir)
        try:
            return [await reader.read(pairs) for pairs in batches]
        finally:
            await reader.close()

    return asyncio.run(read())


def test_scores_agree_with_those_of_the_trained_model() -> None:
    pairs = [(one["first"], one["second"]) for one in _REFERENCE]
    found = _read(*pairs)
    wanted = np.array([one["scores"] for one in _REFERENCE])
    chances = 1 / (1 + np.exp(-wanted[:, :2]))
    relations = np.exp(wanted[:, 2:]) / np.exp(wanted[:, 2:]).sum(axis=1, keepdims=True)
    assert np.array([(one.answers, one.matters) for one in found]) == pytest.approx(chances, abs=0.12)
    assert np.array([(one.same, one.replaces, one.different) for one in found]) == pytest.approx(relations, abs=0.15)


def test_ranks_answers_above_near_misses_and_what_matters_above_what_does_not() -> None:
    read = _read(*((one["first"], one["second"]) for one in _REFERENCE))
    answered, near_miss, rule, unrelated, same, changed, different = read[:7]
    assert answered.answers > 2 * near_miss.answers
    assert rule.matters > 0.5 > unrelated.matters
    assert same.same > changed.same
    assert changed.replaces > 0.5
    assert different.different > 0.5


@pytest.mark.parametrize("text", ["", " \n\t", "\0\ufffd\u200b", "[SEP] [CLS] <s>", "a" * 50_000, "\U0001f642" * 3_000])
def test_reads_any_text(text: str) -> None:
    for reading in _read((text, "Deploys stop on Fridays."), ("When do deploys stop?", text)):
        assert 0 <= reading.answers <= 1
        assert reading.same + reading.replaces + reading.different == pytest.approx(1, abs=1e-4)


def test_a_pair_is_read_alike_alone_and_among_others() -> None:
    pairs = [(one["first"], one["second"]) for one in _REFERENCE[:6]]
    assert _read(*pairs) == [reading for (reading,) in _read_batches([[pair] for pair in pairs])]


def test_the_model_is_loaded_from_the_cached_file(tmp_path: Path) -> None:
    pair = ("When do deploys stop?", "Deploys stop on Fridays.")
    readings = [_read(pair, cache_dir=tmp_path) for _ in range(2)]
    assert readings[0] == readings[1]
    assert len(list(tmp_path.iterdir())) == 1


def test_missing_weights_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(builtin, "_FILES", tmp_path)
    with pytest.raises(ReaderFailed, match="reader's weights are not installed"):
        _read(("a", "b"))
