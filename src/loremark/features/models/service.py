"""The models of a process, and a test of each with one small call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from loremark.base import clock
from loremark.ports.embeddings.embedder import Embedder, EmbedderFailed
from loremark.ports.llm.model import CapReached, LanguageModel, Meter, ModelFailed, Prompt, ServerAddress, Usage
from loremark.ports.reader.reader import Reader, ReaderFailed
from loremark.wire.models import ModelEntry, ModelPurpose, ModelTestResult

_PROMPT = Prompt("You test a connection.", "Answer with the word: ready", max_tokens=200)
"""Enough tokens for a short thought, because some models always think first."""
_QUESTION = "How often are payments retried?"
_TEXT = "Payments are retried three times."


class _Failed(Exception):
    """The test failed; the message is one sentence without a period."""


_Test = Callable[[Meter | None], Awaitable[int]]
"""Makes one call and returns the tokens it used."""


async def _ask(model: LanguageModel, meter: Meter | None) -> int:
    counted = _CountingMeter(meter)
    try:
        await model.complete(_PROMPT, counted)
    except CapReached:
        raise _Failed("the team has no AI tokens left for a test") from None
    except ModelFailed as failure:
        # A model that was still thinking when its tokens ran out works.
        if failure.reason != "malformed" or not counted.completion_tokens:
            raise _Failed(str(failure)) from None
    return counted.total_tokens


async def _embed(embedder: Embedder, meter: Meter | None) -> int:
    try:
        return (await embedder.embed([_TEXT])).tokens
    except EmbedderFailed as failure:
        raise _Failed(str(failure).removeprefix(f"{embedder.name}: ")) from None


async def _read(reader: Reader, meter: Meter | None) -> int:
    try:
        await reader.read([(_QUESTION, _TEXT)])
    except ReaderFailed as failure:
        raise _Failed(str(failure)) from None
    return 0


class _CountingMeter:
    """Counts tokens, and passes them on to a team's meter if there is one."""

    def __init__(self, team: Meter | None) -> None:
        self._team = team
        self.total_tokens = 0
        self.completion_tokens = 0

    async def reserve(self, tokens: int) -> str:
        return await self._team.reserve(tokens) if self._team is not None else ""

    async def spent(self, reservation: str, usage: Usage) -> None:
        self.total_tokens += usage.total_tokens
        self.completion_tokens += usage.completion_tokens
        if self._team is not None:
            await self._team.spent(reservation, usage)

    async def release(self, reservation: str) -> None:
        if self._team is not None:
            await self._team.release(reservation)


class ModelDirectory:
    """The models by purpose. ``tiers`` maps a tier to the name of its model; a built-in one has no language model."""

    def __init__(
        self,
        tiers: Mapping[ModelPurpose, str],
        models: Mapping[str, LanguageModel],
        embedder: Embedder,
        reader: Reader,
        *,
        shows_servers: bool = True,
    ) -> None:
        self._shows_servers = shows_servers
        self._models: dict[ModelPurpose, tuple[str, ServerAddress | None, _Test | None]] = {}
        for tier, name in tiers.items():
            model = models.get(name)
            self._models[tier] = (name, model.address, partial(_ask, model)) if model else (name, None, None)
        self._models["embeddings"] = (embedder.name, embedder.address, partial(_embed, embedder))
        self._models["reader"] = (reader.name, None, partial(_read, reader))

    def entries(self) -> list[ModelEntry]:
        return [
            ModelEntry(
                purpose=purpose,
                model=name,
                server=None if address is None else address.url if self._shows_servers else "hidden",
                has_key=address is not None and address.has_key,
            )
            for purpose, (name, address, _) in self._models.items()
        ]

    async def test(self, purpose: ModelPurpose, meter: Meter | None = None) -> ModelTestResult:
        """Test a model. Without a meter the call belongs to no team."""
        _, address, test = self._models[purpose]
        if test is None:
            return _result(True, "No language model is configured; the built-in engine is used")
        started = clock.monotonic()
        try:
            tokens = await test(meter)
        except _Failed as failure:
            return _result(False, str(failure), clock.monotonic() - started)
        seconds = clock.monotonic() - started
        used = f" and used {tokens} tokens" if address is not None and tokens else ""
        took = f"{seconds:.1f} s" if seconds >= 1 else f"{max(seconds * 1000, 1):.0f} ms"
        return _result(True, f"It answered in {took}{used}", seconds, tokens)


def _result(ok: bool, sentence: str, seconds: float = 0.0, tokens: int = 0) -> ModelTestResult:
    message = f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}."
    return ModelTestResult(ok=ok, message=message, latency_ms=round(seconds * 1000), total_tokens=tokens)
