"""What an embedder must do, and opening the one that the settings name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from loremark.ports.embeddings.builtin import BuiltinEmbedder
from loremark.ports.embeddings.embedded import Embedded, EmbedderFailed
from loremark.ports.embeddings.remote import RemoteEmbedder

__all__ = ["Embedded", "Embedder", "EmbedderFailed", "open_embedder"]


class Embedder(Protocol):
    """Turns texts into unit vectors. Vectors of different names cannot be compared."""

    name: str
    dimensions: int
    """Of a server's unknown model: 0 until its first answer."""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors of these texts. A text's vector does not depend on the texts it came with."""

    async def close(self) -> None:
        """What is being computed is finished first."""


def open_embedder(
    spec: str, *, base_url: str | None = None, api_key: str | None = None, cache_dir: Path | None = None
) -> Embedder:
    """``builtin`` (int8), ``builtin:fp32`` or ``openai:<model>``. Nothing is loaded or called before the first text."""
    kind, _, model = spec.partition(":")
    if kind == "builtin" and model in ("", "fp32"):
        return BuiltinEmbedder("fp32" if model else "int8", cache_dir=cache_dir)
    if kind == "openai" and model:
        return RemoteEmbedder(model, base_url=base_url, api_key=api_key)
    raise ValueError("LOREMARK_EMBEDDINGS must be builtin, builtin:fp32 or openai:<model>")
