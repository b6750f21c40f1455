"""Anthropic's Messages API, with a forced tool call for structured output."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import anthropic
import msgspec

from loremark.ports.llm.attempt import Answer, AttemptFailed, Finish, RequestStyle
from loremark.ports.llm.connection import DUMMY_KEY, open_client, timeouts, translate_errors
from loremark.ports.llm.model import Prompt

_DISPENSABLE = ("tool_choice", "thinking")
_FINISHES: dict[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
_TOOL_PREAMBLE = "x " * 400
"""Approximates the server's tool prompt when counting tokens."""


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def prompt_tokens(self) -> int:
        """Includes cached tokens."""
        return sum(
            part or 0 for part in (self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens)
        )


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    input: dict[str, Any] | None = None


class _Message(msgspec.Struct):
    content: list[_Block] | None = None
    usage: _Usage | None = None
    model: str | None = None
    stop_reason: str | None = None


class _Delta(msgspec.Struct):
    text: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class _Event(msgspec.Struct):
    """The fields we need of any stream event."""

    type: str = ""
    message: _Message | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None


class AnthropicMessages:
    """Single attempts at ``/v1/messages``."""

    def __init__(self, model: str, *, base_url: str | None, api_key: str | None) -> None:
        self.name = f"anthropic:{model}"
        self.model = model
        self.style = RequestStyle()
        self._client = _open(base_url, api_key)

    def sent(self, prompt: Prompt, style: RequestStyle) -> str:
        texts = [prompt.system, prompt.user]
        if prompt.schema is not None:
            texts += [msgspec.json.encode(prompt.schema).decode(), _TOOL_PREAMBLE]
        return "\n".join(texts)

    async def pieces(
        self, prompt: Prompt, style: RequestStyle, answer: Answer, *, streamed: bool
    ) -> AsyncGenerator[str, None]:
        wants_json = prompt.schema is not None
        with translate_errors(anthropic, anthropic.AnthropicError, self._client.api_key or self._client.auth_token):
            reply: Any = await self._client.messages.create(
                **_arguments(self.model, prompt, style), stream=streamed, timeout=timeouts(streamed)
            )
            if not streamed:
                for piece in _read_message(reply, answer, wants_json):
                    yield piece
                return
            async with reply:
                async for event in reply:
                    for piece in _read_event(event, answer, wants_json):
                        yield piece

    def fallback_style(self, prompt: Prompt, style: RequestStyle, failed: AttemptFailed) -> RequestStyle | None:
        """Drop a rejected option: models that always think cannot be forced to use a tool."""
        return style.omit_rejected(_DISPENSABLE, str(failed))

    async def close(self) -> None:
        await self._client.close()


def _open(base_url: str | None, api_key: str | None) -> anthropic.AsyncAnthropic:
    http_client = open_client()
    client = anthropic.AsyncAnthropic(base_url=base_url, api_key=api_key, max_retries=0, http_client=http_client)
    if client.api_key or client.auth_token or client.credentials:
        return client
    if base_url is None:
        raise ValueError("Anthropic models need an API key: set LOREMARK_LLM_API_KEY or ANTHROPIC_API_KEY")
    return anthropic.AsyncAnthropic(base_url=base_url, api_key=DUMMY_KEY, max_retries=0, http_client=http_client)


def _arguments(model: str, prompt: Prompt, style: RequestStyle) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt.user}],
        "max_tokens": prompt.max_tokens,
    }
    if prompt.system:
        arguments["system"] = prompt.system
    if "thinking" not in style.without:
        # Newer models think by default, which uses up max_tokens and forbids forcing a tool.
        arguments["thinking"] = {"type": "disabled"}
    if prompt.schema is not None:
        arguments["tools"] = [
            {"name": prompt.schema_name, "description": "Give the answer.", "input_schema": prompt.schema}
        ]
        forced = {"type": "tool", "name": prompt.schema_name, "disable_parallel_tool_use": True}
        arguments["tool_choice"] = {"type": "auto"} if "tool_choice" in style.without else forced
    return arguments


def _converted(raw: Any, kind: type[_Message] | type[_Event]) -> Any:
    if not isinstance(raw, anthropic.BaseModel):
        raise ValueError("not an object")
    return msgspec.convert(raw.to_dict(warnings=False), kind)


def _read_message(raw: Any, answer: Answer, wants_json: bool) -> list[str]:
    message: _Message = _converted(raw, _Message)
    _read_start(message, answer)
    if message.usage is not None:
        answer.completion_tokens = message.usage.output_tokens
    answer.finish = _FINISHES.get(message.stop_reason or "", "done")
    blocks = message.content or ()
    if wants_json:
        inputs = [block.input for block in blocks if block.type == "tool_use" and block.input is not None]
        return [answer.add(msgspec.json.encode(found).decode()) for found in inputs[:1]]
    return [answer.add(block.text) for block in blocks if block.type == "text" and block.text]


def _read_event(raw: Any, answer: Answer, wants_json: bool) -> list[str]:
    """Record an event in the answer and return its text."""
    event: _Event = _converted(raw, _Event)
    if event.type == "message_start" and event.message is not None:
        _read_start(event.message, answer)
    if event.type == "message_delta":
        if event.usage is not None:
            answer.completion_tokens = event.usage.output_tokens
        if event.delta is not None and event.delta.stop_reason:
            answer.finish = _FINISHES.get(event.delta.stop_reason, "done")
    if event.type == "content_block_delta" and event.delta is not None:
        piece = event.delta.partial_json if wants_json else event.delta.text
        return [answer.add(piece)] if piece else []
    return []


def _read_start(message: _Message, answer: Answer) -> None:
    answer.model = message.model or ""
    if message.usage is not None:
        answer.prompt_tokens = message.usage.prompt_tokens
