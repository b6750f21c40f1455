"""The models a server uses."""

from __future__ import annotations

from typing import Literal

from loremark.wire.shapes import Shape

ModelPurpose = Literal["medium", "small", "embeddings", "reader"]


class ModelEntry(Shape):
    """A configured model. ``server`` is the URL without credentials; null if the model is built in."""

    purpose: ModelPurpose
    model: str
    server: str | None
    has_key: bool


class ModelTestRequest(Shape):
    purpose: ModelPurpose


class ModelTestResult(Shape):
    """The outcome of one small call. ``message`` is a sentence that says what went wrong."""

    ok: bool
    message: str
    latency_ms: int
    total_tokens: int
