"""Builds the built-in models as fused onnxruntime graphs: six layers of 384 numbers, and what follows them.

The embedder maps the token ids of one text to a unit vector, the reader those of two texts to scores. A graph takes one
input, so there is no padding or mask. In int8 the weights are quantized per column, except the last ones of each layer,
and activations are quantized dynamically.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loremark.ports.embeddings.embedding_result import Vectors
from loremark.ports.embeddings.onnx_writer import CONTRIB, FLOAT, INT32, Graph, Value

Precision: TypeAlias = Literal["int8", "fp32"]

DIMENSIONS = 384
FORMAT = 1
"""Increment when the graph or the mean vector changes, to invalidate cached files."""

_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
_FIRST_PLACE = 2
"""The position table has two reserved rows before the first position."""

_PIECES: Value = ("pieces", INT32, [1, "length"])

_LARGEST_WEIGHT = 63
"""Seven bits, because CPUs without VNNI add pairs of products in 16 bits and would overflow with eight."""

_LARGEST_IN_TABLE = 127
_NOT_ZERO = 1e-6


def build_embedder(tensors: dict[str, Vectors], precision: Precision, mean: Vectors | None = None) -> bytes:
    """Return the ONNX file. ``mean`` is subtracted from each vector before normalization."""
    layers = _Layers(tensors, precision)
    graph, vector = layers.graph, layers.first_state()
    if mean is not None:
        unit = graph.node("LpNormalization", [vector], axis=1, p=2)
        vector = graph.node("Sub", [unit, graph.constant(mean)])
    graph.node("LpNormalization", [vector], output="vector", axis=1, p=2)
    return graph.write([_PIECES], ("vector", FLOAT, [1, DIMENSIONS]))


def build_reader(tensors: dict[str, Vectors], precision: Precision) -> bytes:
    """Return the ONNX file. A second input tells the first text from the second; a hidden layer leads to the scores."""
    layers = _Layers(tensors, precision)
    graph = layers.graph
    hidden = graph.node("MatMul", [layers.first_state("types"), graph.constant(tensors["hidden.w"].T)])
    hidden = graph.node("BiasGelu", [hidden, graph.constant(tensors["hidden.b"])], domain=CONTRIB)
    scores = graph.node("MatMul", [hidden, graph.constant(tensors["out.w"].T)])
    graph.node("Add", [scores, graph.constant(tensors["out.b"])], output="scores")
    return graph.write([_PIECES, ("types", INT32, [1, "length"])], ("scores", FLOAT, [1, len(tensors["out.b"])]))


class _Layers:
    """The layers of a model, up to the state of the first token."""

    def __init__(self, tensors: dict[str, Vectors], precision: Precision) -> None:
        self.graph = Graph()
        self._tensors = tensors
        self._whole = precision == "int8"

    def first_state(self, types: str | None = None) -> str:
        states = self._embed(types)
        for number in range(_LAYERS):
            states = self._layer(states, f"l{number}.")
        return self.graph.node("Gather", [states, self.graph.constant(np.array(0, dtype=np.int64))], axis=1)

    def _embed(self, types: str | None) -> str:
        """Add word, position and type embeddings. A model without types has reserved rows before the first position."""
        graph, tensors = self.graph, self._tensors
        words = self._look_up(tensors["word_emb"])
        if types is None:
            places = tensors["pos_emb"][_FIRST_PLACE:] + tensors["type_emb"][0]
        else:
            places = tensors["pos_emb"]
            words = graph.node("Add", [words, graph.node("Gather", [graph.constant(tensors["type_emb"]), types])])
        zero, one = (graph.constant(np.array([number], dtype=np.int64)) for number in (0, 1))
        length = graph.node("Gather", [graph.node("Shape", ["pieces"]), one])
        here = graph.node("Slice", [graph.constant(places), zero, length, zero])
        norm = [self._weight(f"emb_ln.{part}") for part in ("w", "b")]
        return graph.node("LayerNormalization", [graph.node("Add", [words, here]), *norm], axis=-1, epsilon=_EPSILON)

    def _look_up(self, table: Vectors) -> str:
        graph = self.graph
        if not self._whole:
            return graph.node("Gather", [graph.constant(table), "pieces"])
        whole, scales = _round(table, axis=1, largest=_LARGEST_IN_TABLE)
        row = graph.node("Cast", [graph.node("Gather", [graph.constant(whole), "pieces"])], to=FLOAT)
        return graph.node("Mul", [row, graph.node("Gather", [graph.constant(scales), "pieces"])])

    def _layer(self, states: str, name: str) -> str:
        attended = self._multiply_evenly(self._attend(states, f"{name}qkv."), f"{name}ao.w")
        states = self._add_and_norm(attended, states, f"{name}aln.", f"{name}ao.b")
        inner = self._multiply_evenly(states, f"{name}f1.w")
        inner = self.graph.node("BiasGelu", [inner, self._weight(f"{name}f1.b")], domain=CONTRIB)
        # Always in floating point: a few outliers are so large that quantization would lose the other values.
        outer = self._multiply_exactly(inner, f"{name}f2.w")
        return self._add_and_norm(outer, states, f"{name}fln.", f"{name}f2.b")

    def _attend(self, states: str, name: str) -> str:
        graph = self.graph
        weight, bias = self._tensors[f"{name}w"].T, self._weight(f"{name}b")
        if not self._whole:
            return graph.node("Attention", [states, graph.constant(weight), bias], domain=CONTRIB, num_heads=_HEADS)
        whole, scales = self._rounded(weight)
        rounded, scale, zero = graph.node_of(3, "DynamicQuantizeLinear", [states])
        inputs = [rounded, whole, bias, scale, scales, "", zero]
        return graph.node("QAttention", inputs, domain=CONTRIB, num_heads=_HEADS)

    def _multiply_evenly(self, states: str, name: str) -> str:
        """Divide each row by its maximum first, because one quantization scale for all rows is too coarse if a few
        rows are much larger."""
        if not self._whole:
            return self._multiply_exactly(states, name)
        graph = self.graph
        largest = graph.node("ReduceMax", [graph.node("Abs", [states])], axes=[-1], keepdims=1)
        largest = graph.node("Max", [largest, graph.constant(np.array([_NOT_ZERO], dtype=np.float32))])
        inputs = [graph.node("Div", [states, largest]), *self._rounded(self._tensors[name].T)]
        return graph.node("Mul", [graph.node("DynamicQuantizeMatMul", inputs, domain=CONTRIB), largest])

    def _multiply_exactly(self, states: str, name: str) -> str:
        return self.graph.node("MatMul", [states, self.graph.constant(self._tensors[name].T)])

    def _add_and_norm(self, states: str, before: str, norm: str, bias: str) -> str:
        inputs = [states, before, *(self._weight(name) for name in (f"{norm}w", f"{norm}b", bias))]
        return self.graph.node("SkipLayerNormalization", inputs, domain=CONTRIB, epsilon=_EPSILON)

    def _weight(self, name: str) -> str:
        return self.graph.constant(self._tensors[name])

    def _rounded(self, weight: Vectors) -> tuple[str, str]:
        whole, scales = _round(weight, axis=0, largest=_LARGEST_WEIGHT)
        return self.graph.constant(whole), self.graph.constant(scales.reshape(-1))


def _round(table: Vectors, *, axis: int, largest: int) -> tuple[NDArray[np.int8], Vectors]:
    """Quantize along the axis and return the integers and their scales."""
    scales = np.maximum(np.abs(table).max(axis=axis, keepdims=True), np.float32(1e-8)) / np.float32(largest)
    return np.rint(table / scales).astype(np.int8), scales.astype(np.float32)
