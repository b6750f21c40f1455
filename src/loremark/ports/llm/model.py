"""What we ask of a language model, and what may go wrong."""

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
    """One question. With a schema the answer is JSON, as closely to it as the server can be held."""

    system: str
    user: str
    max_tokens: int
    schema: dict[str, Any] | None = None
    schema_name: str = "answer"
    temperature: float = 0.0
    """A wish: Anthropic takes none any more, nor do some models of OpenAI."""


@dataclass(frozen=True)
class Usage:
    """What one attempt cost, by the server's word or by our own count."""

    prompt_tokens: int
    completion_tokens: int

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class Completion:
    """A whole answer, and the model that gave it, as the server names it."""

    text: str
    usage: Usage
    model: str


class ModelFailed(Exception):
    """There is no answer. The text is for people; it holds no key and little of the server's words."""

    def __init__(self, reason: Reason, text: str = "the model gave no answer") -> None:
        super().__init__(text)
        self.reason: Reason = reason


class CapReached(Exception):
    """The meter does not allow another attempt."""


class Meter(Protocol):
    """Every attempt over the network is reserved before, and ended once: by ``spent`` or by ``release``."""

    async def reserve(self, tokens: int) -> str:
        """Set aside the most an attempt can cost, or raise ``CapReached``; returns the reservation."""
        ...

    async def spent(self, reservation: str, usage: Usage) -> None:
        """The attempt has ended and cost this much."""
        ...

    async def release(self, reservation: str) -> None:
        """The attempt has ended and cost nothing."""
        ...


class LanguageModel(Protocol):
    """Answers, or raises ``ModelFailed``; ``CapReached`` when the meter stops it."""

    name: str

    async def complete(self, prompt: Prompt, meter: Meter) -> Completion: ...

    def stream(self, prompt: Prompt, meter: Meter) -> AsyncIterator[str | Completion]:
        """Pieces of the text as they come, and last the completion. Whoever stops early closes the iterator."""
        ...

    async def close(self) -> None: ...


def open_model(
    spec: str, *, base_url: str | None = None, api_key: str | None = None, timeout_s: float = 60.0
) -> LanguageModel | None:
    """``builtin`` is no model; ``openai:<model>`` and ``anthropic:<model>`` are. ``timeout_s`` bounds a whole call."""
    if spec == BUILTIN:
        return None
    kind, _, model = spec.partition(":")
    if kind not in ("openai", "anthropic") or not model.strip():
        raise ValueError(f"a model is builtin, openai:<model> or anthropic:<model>, not {spec[:100]!r}")
    if base_url and (urlsplit(base_url).scheme not in ("http", "https") or not urlsplit(base_url).hostname):
        raise ValueError("the address of a model server begins with http:// or https:// and names a host")
    # Only now: a service without a model needs neither SDK, nor the second it takes to load one.
    from loremark.ports.llm.calls import RemoteModel

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
