"""A minimal ONNX writer: just enough protobuf for one graph.

The numbers in ``_field`` and ``_whole`` are field numbers of onnx.proto, which never change.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FLOAT, INT8, INT32, INT64 = 1, 3, 6, 7
"""ONNX element types."""

CONTRIB = "com.microsoft"
"""The domain of onnxruntime's fused operators."""

Attribute: TypeAlias = float | int | list[int]
Value: TypeAlias = tuple[str, int, Sequence[int | str]]
"""A name, an element type and a shape, possibly symbolic."""

_IR_VERSION = 8
_OPSETS = (("", 17), (CONTRIB, 1))
_ELEMENTS = {"float32": FLOAT, "int8": INT8, "int32": INT32, "int64": INT64}


class Graph:
    """Collects nodes and constants; each call returns the name of its output."""

    def __init__(self) -> None:
        self._fields: list[bytes] = []
        self._made = 0

    def constant(self, array: NDArray[Any]) -> str:
        name = self._new_name()
        dimensions = b"".join(_whole(1, size) for size in array.shape)
        raw = np.ascontiguousarray(array).tobytes()
        tensor = dimensions + _whole(2, _ELEMENTS[array.dtype.name]) + _field(8, name.encode()) + _field(9, raw)
        self._fields.append(_field(5, tensor))
        return name

    def node(
        self, operator: str, inputs: Sequence[str], *, domain: str = "", output: str = "", **attributes: Attribute
    ) -> str:
        """Add a node with one output. An omitted optional input is an empty string."""
        return self._add(operator, inputs, [output or self._new_name()], domain, attributes)[0]

    def node_of(self, outputs: int, operator: str, inputs: Sequence[str], *, domain: str = "") -> list[str]:
        """Add a node with several outputs."""
        return self._add(operator, inputs, [self._new_name() for _ in range(outputs)], domain, {})

    def _add(
        self, operator: str, inputs: Sequence[str], outputs: list[str], domain: str, attributes: dict[str, Attribute]
    ) -> list[str]:
        parts = [_field(1, name.encode()) for name in inputs]
        parts += [_field(2, name.encode()) for name in outputs]
        parts += [_field(4, operator.encode()), _field(7, domain.encode())]
        parts += [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        self._fields.append(_field(1, b"".join(parts)))
        return outputs

    def _new_name(self) -> str:
        self._made += 1
        return f"t{self._made}"

    def write(self, given: Sequence[Value], made: Value) -> bytes:
        """Return the ONNX file for the inputs and the output."""
        inputs = [_field(11, _value(*one)) for one in given]
        graph = b"".join([_field(2, b"graph"), *self._fields, *inputs, _field(12, _value(*made))])
        opsets = [_field(8, _field(1, domain.encode()) + _whole(2, version)) for domain, version in _OPSETS]
        return b"".join([_whole(1, _IR_VERSION), _field(2, b"loremark"), _field(7, graph), *opsets])


def describe(text: str) -> bytes:
    """Encode a description, to be appended to an ONNX file."""
    return _field(6, text.encode())


def _value(name: str, element: int, sizes: Sequence[int | str]) -> bytes:
    shape = b"".join(
        _field(1, _field(2, size.encode()) if isinstance(size, str) else _whole(1, size)) for size in sizes
    )
    return _field(1, name.encode()) + _field(2, _field(1, _whole(1, element) + _field(2, shape)))


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        encoded, kind = _varint(2 << 3 | 5) + struct.pack("<f", value), 1
    elif isinstance(value, int):
        encoded, kind = _whole(3, value), 2
    else:
        encoded, kind = b"".join(_whole(8, one) for one in value), 7
    return _field(1, name.encode()) + encoded + _whole(20, kind)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _whole(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    """Encode a protobuf varint; negative numbers as 64-bit two's complement."""
    value &= (1 << 64) - 1
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
