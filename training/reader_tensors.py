"""Stores tensors: matrices as int8 with a scale per 64 values, the rest as 16-bit floats."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Tensors: TypeAlias = dict[str, NDArray[np.float32]]
_GROUP = 64


def write_tensors(tensors: Tensors, path: Path) -> None:
    stored: dict[str, NDArray[np.generic]] = {}
    for name, array in tensors.items():
        if array.ndim < 2 or array.shape[-1] % _GROUP:
            stored[name] = array.astype(np.float16)
            continue
        groups = array.reshape(-1, _GROUP)
        scales = np.abs(groups).max(axis=1) / 127 + 1e-12
        stored[f"{name}.q"] = np.rint(groups / scales[:, None]).astype(np.int8).reshape(array.shape)
        stored[f"{name}.s"] = scales.astype(np.float16)
    np.savez_compressed(path, **stored)  # type: ignore[arg-type]


def read_tensors(path: Path) -> Tensors:
    tensors: Tensors = {}
    with np.load(path) as stored:
        for name in stored.files:
            if name.endswith(".q"):
                values = stored[name].astype(np.float32).reshape(-1, _GROUP)
                values *= stored[f"{name[:-2]}.s"].astype(np.float32)[:, None]
                tensors[name[:-2]] = values.reshape(stored[name].shape)
            elif not name.endswith(".s"):
                tensors[name] = stored[name].astype(np.float32)
    return tensors
