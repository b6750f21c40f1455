"""The interface of language models and their errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Reason = Literal["timeout", "overloaded", "refused", "malformed", "broken", "unavailable"]


@dataclass(frozen=True)
class Prompt:
    """A prompt. With a schema the answer is JSON that follows it as far as the server enforces it."""

    system: str
    user: str
    max_tokens: int
    schema: dict[str, Any] | None = None
    schema_name: str = "answer"
    temperature: float = 0.0
    """Not always used: Anthropic and some OpenAI models do not accept it."""


@dataclass(frozen=True)
class Usage:
    """The tokens of one attempt, reported by the server or counted by us."""

    prompt_tokens: int
    completion_tokens: int

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class Completion:
    """A complete answer, and the model's name as reported by the server."""

    text: str
    usage: Usage
    model: str


@dataclass(frozen=True)
class ServerAddress:
    """Where a model runs: the URL without credentials, and whether a key is configured."""

    url: str
    has_key: bool


class ModelFailed(Exception):
    """The call failed. The message is for users and never contains the key."""

    def __init__(self, reason: Reason, text: str = "the model gave no answer") -> None:
        super().__init__(text)
        self.reason: Reason = reason


class CapReached(Exception):
    """The meter allows no further attempt."""


class Meter(Protocol):
    """Every attempt is reserved first and ended exactly once, by ``spent`` or ``release``."""

    async def reserve(self, tokens: int) -> str:
        """Reserve the maximum cost of an attempt and return the reservation, or raise ``CapReached``."""
        ...

    async def spent(self, reservation: str, usage: Usage) -> None:
        """Charge for an attempt."""
        ...

    async def release(self, reservation: str) -> None:
        """Release a reservation without charge."""
        ...


class LanguageModel(Protocol):
    """Raises ``ModelFailed``, or ``CapReached`` if the meter stops it."""

    name: str
    address: ServerAddress

    async def complete(self, prompt: Prompt, meter: Meter) -> Completion: ...

    def stream(self, prompt: Prompt, meter: Meter) -> AsyncIterator[str | Completion]:
        """Yield pieces of text as they arrive, then the completion. Close the iterator when stopping early."""
        ...

    async def close(self) -> None: ...
