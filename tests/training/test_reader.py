"""``make train`` on a few pairs, from the packaged layers and a tiny larger model: the package can run what it writes.

Runs in ``make e2e`` if ``LOREMARK_TEST_TRAIN_PYTHON`` names a Python with torch, transformers and tokenizers.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from loremark.ports.embeddings.stored_layers import read_layers
from loremark.ports.reader import builtin
from loremark.ports.reader.builtin import BuiltinReader

_ROOT = Path(__file__).parents[2]
_PACKAGE = _ROOT / "src/loremark/ports/reader"
_PYTHON = os.environ.get("LOREMARK_TEST_TRAIN_PYTHON", "")
_VOCABULARY = "reader_vocabulary.txt.gz"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not _PYTHON, reason="set LOREMARK_TEST_TRAIN_PYTHON to a Python with torch and transformers"),
]

Tensors = dict[str, NDArray[np.float16]]


def test_the_package_runs_what_make_train_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write_bases(tmp_path / "bases")
    options = "--small --without author11 author12"
    given = [f"TRAIN_PYTHON={_PYTHON}", f"TRAINED={tmp_path}", f"TRAIN_OPTIONS={options}"]
    done = subprocess.run(["make", "train", *given], cwd=_ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr

    with np.load(_PACKAGE / "reader_layers.npz") as shipped, np.load(tmp_path / "reader_layers.npz") as trained:
        assert {name: trained[name].shape for name in trained.files} == {
            name: shipped[name].shape for name in shipped.files
        }
    reference = json.loads((tmp_path / "reader_reference.json").read_text())
    wanted = 1 / (1 + np.exp(-np.array([pair["scores"][:2] for pair in reference])))
    shutil.copy(_PACKAGE / _VOCABULARY, tmp_path)
    monkeypatch.setattr(builtin, "_FILES", tmp_path)
    found = _read([(pair["first"], pair["second"]) for pair in reference])
    assert np.abs(found - wanted).max() < np.ptp(wanted, axis=0).min() / 5


def _read(pairs: list[tuple[str, str]]) -> NDArray[np.float64]:
    async def read() -> NDArray[np.float64]:
        reader = BuiltinReader()
        try:
            return np.array([(one.answers, one.matters) for one in await reader.read(pairs)])
        finally:
            await reader.close()

    return asyncio.run(read())


def _write_bases(folder: Path) -> None:
    """The packaged layers as MiniLM, whose last layers are new, and a tiny MPNet with random weights."""
    folder.mkdir()
    words = gzip.decompress((_PACKAGE / _VOCABULARY).read_bytes()).decode().rstrip("\n").split("\n")
    bert = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
    bert |= {"vocab_size": len(words), "max_position_embeddings": 512, "type_vocab_size": 2}
    _write_base(folder, "minilm", bert | {"model_type": "bert"}, words, _bert_tensors())
    others = ["<s>", "<pad>", "</s>", *words[:2000], *words[-1000:], "[UNK]"]
    tiny = {"hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
    tiny |= {"vocab_size": len(others), "max_position_embeddings": 514, "relative_attention_num_buckets": 32}
    _write_base(folder, "mpnet", tiny | {"model_type": "mpnet", "pad_token_id": 1}, others, _mpnet_tensors(tiny))


def _write_base(folder: Path, name: str, config: dict[str, Any], words: list[str], tensors: Tensors) -> None:
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {word: place for place, word in enumerate(words)},
    }
    normalizer = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    }
    tokenizer = {"version": "1.0", "added_tokens": [], "normalizer": normalizer, "model": model}
    tokenizer |= {"pre_tokenizer": {"type": "BertPreTokenizer"}}
    (folder / f"{name}_tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / f"{name}_config.json").write_text(json.dumps(config))
    np.savez(folder / f"{name}.npz", **tensors)  # type: ignore[arg-type]


def _bert_tensors() -> Tensors:
    packaged = read_layers(_PACKAGE / "reader_words.npz") | read_layers(_PACKAGE / "reader_layers.npz")
    tensors = {}
    for short, tensor in packaged.items():
        layer, part, kind = ("", *short.split("."))[-3:] if "." in short else ("", short, "w")
        end = {"w": "weight", "b": "bias"}[kind]
        if part == "qkv":
            for name, piece in zip(("query", "key", "value"), np.split(tensor, 3), strict=True):
                tensors[f"encoder.layer.{layer[1:]}.attention.self.{name}.{end}"] = piece
        elif part in _PARTS:
            place = f"encoder.layer.{layer[1:]}" if layer else "embeddings"
            tensors[f"{place}.{_PARTS[part]}.{end}"] = tensor
    return {name: tensor.astype(np.float16) for name, tensor in tensors.items()}


_PARTS = {
    "word_emb": "word_embeddings",
    "pos_emb": "position_embeddings",
    "type_emb": "token_type_embeddings",
    "emb_ln": "LayerNorm",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "fln": "output.LayerNorm",
}


def _mpnet_tensors(config: dict[str, int]) -> Tensors:
    width, inner, layer = config["hidden_size"], config["intermediate_size"], "encoder.layer.0."
    tensors = {
        "embeddings.word_embeddings.weight": _random(config["vocab_size"], width),
        "embeddings.position_embeddings.weight": _random(config["max_position_embeddings"], width),
        "encoder.relative_attention_bias.weight": _random(
            config["relative_attention_num_buckets"], config["num_attention_heads"]
        ),
    }
    for norm in ("embeddings.LayerNorm", f"{layer}attention.LayerNorm", f"{layer}output.LayerNorm"):
        tensors |= {f"{norm}.weight": np.ones(width, dtype=np.float16), f"{norm}.bias": np.zeros(width, np.float16)}
    for part in "qkvo":
        tensors |= _dense(f"{layer}attention.attn.{part}", width, width)
    tensors |= _dense(f"{layer}intermediate.dense", inner, width)
    return tensors | _dense(f"{layer}output.dense", width, inner)


def _dense(name: str, to: int, width: int) -> Tensors:
    return {f"{name}.weight": _random(to, width), f"{name}.bias": _random(to)}


def _random(*shape: int) -> NDArray[np.float16]:
    return np.random.default_rng(sum(shape)).normal(0, 0.02, shape).astype(np.float16)
