"""The interface of language models and their errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from loremark.ports.llm.attempt import Provider

BUILTIN = "builtin"
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

    async def complete(self, prompt: Prompt, meter: Meter) -> Completion: ...

    def stream(self, prompt: Prompt, meter: Meter) -> AsyncIterator[str | Completion]:
        """Yield pieces of text as they arrive, then the completion. Close the iterator when stopping early."""
        ...

    async def close(self) -> None: ...


def open_model(
    spec: str, *, base_url: str | None = None, api_key: str | None = None, timeout_s: float = 60.0
) -> LanguageModel | None:
    """Open ``openai:<model>`` or ``anthropic:<model>``; None for ``builtin``. ``timeout_s`` covers a whole call."""
    if spec == BUILTIN:
        return None
    kind, _, model = spec.partition(":")
    if kind not in ("openai", "anthropic") or not model.strip():
        raise ValueError(f"a model must be builtin, openai:<model> or anthropic:<model>, not {spec[:100]!r}")
    if base_url and (urlsplit(base_url).scheme not in ("http", "https") or not urlsplit(base_url).hostname):
        raise ValueError("the model server's URL must start with http:// or https:// and include a host")
    # Imported late: a server without a model needs neither SDK, and loading one takes a second.
    from loremark.ports.llm.remote_model import RemoteModel

    return RemoteModel(_provider(kind, model.strip(), base_url or None, api_key or None), timeout_s=timeout_s)


def _provider(kind: str, model: str, base_url: str | None, api_key: str | None) -> Provider:
    try:
        if kind == "openai":
            from loremark.ports.llm.openai_chat import OpenAiChat

            return OpenAiChat(model, base_url=base_url, api_key=api_key)
        from loremark.ports.llm.anthropic_messages import AnthropicMessages

        return AnthropicMessages(model, base_url=base_url, api_key=api_key)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in (kind, "httpx2"):
            raise
        raise ValueError(f"{kind}:{model} needs the extra {kind!r}: pip install 'loremark[{kind}]'") from None
