"""Embeddings from an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import msgspec
import numpy as np

from loremark.base.redaction.redactor import redact
from loremark.ports.embeddings.embedding_result import EmbedderFailed, EmbeddingResult, Vectors
from loremark.ports.llm.attempt import AttemptFailed, retry_delay_s
from loremark.ports.llm.model import ServerAddress
from loremark.ports.llm.openai_chat import URL, connect

CALL_SECONDS = 60.0
"""Timeout of a request including retries."""

_TEXTS_PER_CALL = 64
_CHARACTERS_PER_TEXT = 8_000
"""Servers reject more than 8,192 tokens, and the beginning is representative."""

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
    """A remote model. A self-hosted server may need no key."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: str = "",
        ca_file: str = "",
        call_seconds: float = CALL_SECONDS,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._call_seconds = call_seconds
        self._server = connect(base_url, api_key, ca_file=ca_file)
        self.address: ServerAddress | None = self._server.address
        self.dimensions = _KNOWN_DIMENSIONS.get(model, 0) if self._server.address.url == URL else 0

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        found: list[Vectors] = []
        tokens = 0
        for start in range(0, len(texts), _TEXTS_PER_CALL):
            answer = await self._ask(texts[start : start + _TEXTS_PER_CALL])
            found.append(answer.vectors)
            tokens += answer.tokens
        return EmbeddingResult(np.concatenate(found) if found else np.empty((0, self.dimensions), np.float32), tokens)

    async def close(self) -> None:
        await self._server.close()

    async def _ask(self, texts: Sequence[str]) -> EmbeddingResult:
        sent = await asyncio.to_thread(lambda: [_sendable(text) for text in texts])
        try:
            async with asyncio.timeout(self._call_seconds):
                answer = await self._answer(sent)
        except TimeoutError as error:
            raise EmbedderFailed(f"{self.name}: no response within {self._call_seconds:g} s") from error
        return EmbeddingResult(self._vectors(answer, len(sent)), answer.usage.total_tokens if answer.usage else 0)

    async def _answer(self, texts: list[str]) -> _Answer:
        """Send the texts, with a few retries."""
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        failures = 0
        while True:
            try:
                async with aclosing(self._server.post("/embeddings", body, _Answer)) as answers:
                    return await anext(answers)
            except AttemptFailed as failed:
                failures += 1
                delay_s = retry_delay_s(failed, failures)
                if delay_s is None:
                    raise EmbedderFailed(f"{self.name}: {failed}") from None
            await asyncio.sleep(delay_s)

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
