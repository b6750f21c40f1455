"""Embeddings from an OpenAI-compatible server, through the official SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from loremark.base.redaction.redactor import redact
from loremark.ports.embeddings.embedding_result import EmbedderFailed, EmbeddingResult, Vectors

if TYPE_CHECKING:
    import openai

CALL_SECONDS = 60.0
"""Timeout of a request including retries."""

_RETRIES = 2
_TEXTS_PER_CALL = 64
_CHARACTERS_PER_TEXT = 8_000
"""Servers reject more than 8,192 tokens, and the beginning is representative."""

_TOLD_CHARACTERS = 200
_KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


class _Row(msgspec.Struct):
    index: int
    embedding: list[float]


class _Usage(msgspec.Struct):
    total_tokens: int = 0


class _Answer(msgspec.Struct):
    """The response fields we need; some servers omit the usage."""

    data: list[_Row]
    usage: _Usage | None = None


class RemoteEmbedder:
    """A remote model. Without a key the SDK reads its own variable; a self-hosted server may need none."""

    def __init__(
        self, model: str, *, base_url: str | None, api_key: str | None, call_seconds: float = CALL_SECONDS
    ) -> None:
        self.name = f"openai:{model}"
        self.dimensions = _KNOWN_DIMENSIONS.get(model, 0) if not base_url else 0
        self._model = model
        self._call_seconds = call_seconds
        self._client = _open_client(base_url or None, api_key or None, call_seconds)

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        found: list[Vectors] = []
        tokens = 0
        for start in range(0, len(texts), _TEXTS_PER_CALL):
            answer = await self._ask(texts[start : start + _TEXTS_PER_CALL])
            found.append(answer.vectors)
            tokens += answer.tokens
        return EmbeddingResult(np.concatenate(found) if found else np.empty((0, self.dimensions), np.float32), tokens)

    async def close(self) -> None:
        await self._client.close()

    async def _ask(self, texts: Sequence[str]) -> EmbeddingResult:
        import openai

        sent = await asyncio.to_thread(lambda: [_sendable(text) for text in texts])
        try:
            async with asyncio.timeout(self._call_seconds):
                raw = await self._client.embeddings.with_raw_response.create(
                    model=self._model, input=sent, encoding_format="float"
                )
            answer = msgspec.json.decode(raw.content, type=_Answer)
        except TimeoutError as error:
            raise EmbedderFailed(f"{self.name}: no response within {self._call_seconds:g} s") from error
        except (openai.OpenAIError, msgspec.DecodeError) as error:
            raise EmbedderFailed(f"{self.name}: {' '.join(str(error).split())[:_TOLD_CHARACTERS]}") from error
        return EmbeddingResult(self._vectors(answer, len(sent)), answer.usage.total_tokens if answer.usage else 0)

    def _vectors(self, answer: _Answer, texts: int) -> Vectors:
        """Return the unit-length rows in order. The first response sets the number of dimensions."""
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(texts)):
            raise EmbedderFailed(f"{self.name}: the response does not have one vector per text")
        self.dimensions = self.dimensions or len(rows[0].embedding)
        if {len(row.embedding) for row in rows} != {self.dimensions}:
            raise EmbedderFailed(f"{self.name}: expected vectors with {self.dimensions} dimensions")
        vectors = np.array([row.embedding for row in rows], dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (lengths > 0).all() or not np.isfinite(lengths).all():
            raise EmbedderFailed(f"{self.name}: the response has a zero or non-finite vector")
        units: Vectors = (vectors / lengths).astype(np.float32)
        return units


def _sendable(text: str) -> str:
    """Redact secrets. Some servers reject empty texts, and lone surrogates are not valid UTF-8."""
    return redact(text[:_CHARACTERS_PER_TEXT].encode(errors="replace").decode())[0] or " "


def _open_client(base_url: str | None, api_key: str | None, call_seconds: float) -> openai.AsyncOpenAI:
    """Open the client. The SDK is an optional dependency, so it is imported here."""
    try:
        import openai
    except ImportError as error:
        raise EmbedderFailed("`openai:` embeddings need the OpenAI SDK: pip install 'loremark[openai]'") from error
    attempt_seconds = call_seconds / (_RETRIES + 1)
    try:
        return openai.AsyncOpenAI(api_key=api_key, base_url=base_url, timeout=attempt_seconds, max_retries=_RETRIES)
    except openai.OpenAIError as error:
        if base_url is None:
            raise EmbedderFailed(
                "`openai:` embeddings need an API key: set LOREMARK_LLM_API_KEY or OPENAI_API_KEY"
            ) from error
    return openai.AsyncOpenAI(api_key="none", base_url=base_url, timeout=attempt_seconds, max_retries=_RETRIES)
