"""The current embedder, and earlier ones whose vectors are still in use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from loremark.ports.embeddings.builtin import BuiltinEmbedder
from loremark.ports.embeddings.embedder import Embedder
from loremark.ports.embeddings.embedding_result import EmbeddingResult
from loremark.ports.embeddings.transformer_graph import Precision

_QUESTIONS = 32


class Embedders:
    """Owns the earlier embedders; the current one belongs to the caller."""

    def __init__(self, current: Embedder, *, cache_dir: Path | None = None) -> None:
        self.current = current
        builtin: tuple[Precision, ...] = ("int8", "fp32")
        self._questions: OrderedDict[tuple[str, str], EmbeddingResult] = OrderedDict()
        self._earlier = {made.name: made for made in (BuiltinEmbedder(kind, cache_dir=cache_dir) for kind in builtin)}

    def knows(self, name: str) -> bool:
        """Return whether a query can be embedded for vectors of this name. Earlier server models are not available."""
        return name == self.current.name or name in self._earlier

    async def embed(self, name: str, texts: Sequence[str]) -> EmbeddingResult:
        """Embed with the embedder of this name, which must be known."""
        if name == self.current.name:
            return await self.current.embed(texts)
        return await self._earlier[name].embed(texts)

    async def embed_question(self, name: str, text: str) -> EmbeddingResult:
        """Embed one text. One request asks several indexes the same, so the last few results are kept."""
        known = self._questions.get((name, text))
        if known is None:
            known = self._questions[name, text] = await self.embed(name, [text])
            if len(self._questions) > _QUESTIONS:
                self._questions.popitem(last=False)
        return known

    async def close(self) -> None:
        for embedder in self._earlier.values():
            await embedder.close()
