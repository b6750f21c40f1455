"""The interface of embedders, and opening the configured one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from loremark.ports.embeddings.builtin import BuiltinEmbedder
from loremark.ports.embeddings.embedding_result import EmbedderFailed, EmbeddingResult
from loremark.ports.embeddings.remote import RemoteEmbedder
from loremark.ports.llm.model import ServerAddress

__all__ = ["Embedder", "EmbedderFailed", "EmbeddingResult", "open_embedder"]


class Embedder(Protocol):
    """Turns texts into unit vectors. Vectors from embedders with different names cannot be compared."""

    name: str
    dimensions: int
    """0 for a server's unknown model until its first response."""
    address: ServerAddress | None
    """None if it is built in."""

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        """Embed the texts. A text's vector does not depend on the others."""

    async def close(self) -> None:
        """Close after finishing the current computation."""


def open_embedder(
    spec: str, *, base_url: str = "", api_key: str = "", ca_file: str = "", cache_dir: Path | None = None
) -> Embedder:
    """Open ``builtin`` (int8), ``builtin:fp32`` or ``openai:<model>``. Nothing is loaded before the first text."""
    kind, _, model = spec.partition(":")
    if kind == "builtin" and model in ("", "fp32"):
        return BuiltinEmbedder("fp32" if model else "int8", cache_dir=cache_dir)
    if kind == "openai" and model:
        return RemoteEmbedder(model, base_url=base_url, api_key=api_key, ca_file=ca_file)
    raise ValueError("LOREMARK_EMBEDDINGS must be builtin, builtin:fp32 or openai:<model>")
