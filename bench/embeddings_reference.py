"""Generates tests/ports/embeddings_reference.npz: vectors of a plain implementation of the built-in model.

It computes the encoder layer by layer in numpy with the same weights, so that the fused, quantized graph can be
compared with it. The token ids are those of the reference tokenizer and are kept:

    python -m bench.embeddings_reference
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from loremark.ports.embeddings.builtin import TUNED_LAYERS
from loremark.ports.embeddings.mean_vector import read_mean_vector
from loremark.ports.embeddings.stored_layers import read_layers
from loremark.ports.embeddings.weights import read_pack

REFERENCE_FILE = Path(__file__).parents[1] / "tests" / "ports" / "embeddings_reference.npz"
_HEADS, _LAYERS, _FIRST_PLACE, _EPSILON = 12, 6, 2, 1e-12

Array = NDArray[np.float64]


def main() -> None:
    kept = np.load(REFERENCE_FILE)
    weights = {
        name: tensor.astype(np.float64) for name, tensor in (read_pack().tensors() | read_layers(TUNED_LAYERS)).items()
    }
    mean = read_mean_vector().astype(np.float64)
    vectors = []
    for pieces in np.split(kept["pieces"], np.cumsum(kept["lengths"])[:-1]):
        first = _encode(weights, pieces)[0]
        centered = first / np.linalg.norm(first) - mean
        vectors.append(centered / np.linalg.norm(centered))
    np.savez_compressed(
        REFERENCE_FILE,
        texts=kept["texts"],
        pieces=kept["pieces"],
        lengths=kept["lengths"],
        vectors=np.array(vectors, dtype=np.float32),
    )


def _encode(weights: dict[str, Array], pieces: NDArray[np.int32]) -> Array:
    places = np.arange(len(pieces)) + _FIRST_PLACE
    states = weights["word_emb"][pieces] + weights["pos_emb"][places] + weights["type_emb"][0]
    states = _normalize(weights, "emb_ln.", states)
    for number in range(_LAYERS):
        name = f"l{number}."
        attended = _linear(weights, f"{name}ao.", _attend(weights, name, states))
        states = _normalize(weights, f"{name}aln.", attended + states)
        inner = _gelu(_linear(weights, f"{name}f1.", states))
        states = _normalize(weights, f"{name}fln.", _linear(weights, f"{name}f2.", inner) + states)
    return states


def _attend(weights: dict[str, Array], name: str, states: Array) -> Array:
    length, width = states.shape
    mixed = _linear(weights, f"{name}qkv.", states).reshape(length, 3, _HEADS, width // _HEADS)
    query, key, value = mixed.transpose(1, 2, 0, 3)
    scores = query @ key.transpose(0, 2, 1) / np.sqrt(width // _HEADS)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    attended: Array = (shares @ value).transpose(1, 0, 2).reshape(length, width)
    return attended


def _linear(weights: dict[str, Array], name: str, states: Array) -> Array:
    mapped: Array = states @ weights[f"{name}w"].T + weights[f"{name}b"]
    return mapped


def _normalize(weights: dict[str, Array], name: str, states: Array) -> Array:
    centered = states - states.mean(axis=-1, keepdims=True)
    scaled = centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + _EPSILON)
    normalized: Array = scaled * weights[f"{name}w"] + weights[f"{name}b"]
    return normalized


def _gelu(states: Array) -> Array:
    activated: Array = states * 0.5 * (1 + _erf(states / np.sqrt(2)))
    return activated


def _erf(values: Array) -> Array:
    """The error function to 1e-7 (Abramowitz and Stegun 7.1.26); numpy has none."""
    sign, size = np.sign(values), np.abs(values)
    part = 1 / (1 + 0.3275911 * size)
    series = part * (
        0.254829592 + part * (-0.284496736 + part * (1.421413741 + part * (-1.453152027 + part * 1.061405429)))
    )
    error: Array = sign * (1 - series * np.exp(-(size**2)))
    return error


if __name__ == "__main__":
    main()
