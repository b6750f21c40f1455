"""Anthropic's Messages API, with a forced tool call for structured output."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec

from loremark.ports.llm.attempt import Answer, AttemptFailed, Finish, RequestStyle
from loremark.ports.llm.connection import Connection
from loremark.ports.llm.model import Prompt

URL = "https://api.anthropic.com"
_API_VERSION = "2023-06-01"
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


class _Delta(msgspec.Struct):
    text: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class _Message(msgspec.Struct):
    """The fields we need of a message, or of an event of a streamed one."""

    type: str = ""
    content: list[_Block] | None = None
    usage: _Usage | None = None
    model: str | None = None
    stop_reason: str | None = None
    message: _Message | None = None
    delta: _Delta | None = None


class AnthropicMessages:
    """Single attempts at ``/v1/messages``."""

    def __init__(self, model: str, *, base_url: str = "", api_key: str = "", ca_file: str = "") -> None:
        if not base_url and not api_key:
            raise ValueError(
                "Anthropic models need an API key: set LOREMARK_LLM_API_KEY (ANTHROPIC_API_KEY is not read)"
            )
        self.name = f"anthropic:{model}"
        self.model = model
        self.style = RequestStyle()
        self._server = Connection(
            (base_url or URL).rstrip("/").removesuffix("/v1"),
            api_key,
            headers={"anthropic-version": _API_VERSION},
            key_header="x-api-key",
            ca_file=ca_file,
        )
        self.address = self._server.address

    def sent(self, prompt: Prompt, style: RequestStyle) -> str:
        texts = [prompt.system, prompt.user]
        if prompt.schema is not None:
            texts += [msgspec.json.encode(prompt.schema).decode(), _TOOL_PREAMBLE]
        return "\n".join(texts)

    async def pieces(
        self, prompt: Prompt, style: RequestStyle, answer: Answer, *, streamed: bool
    ) -> AsyncGenerator[str, None]:
        read = _read_event if streamed else _read_message
        body = _arguments(self.model, prompt, style, streamed)
        async with aclosing(self._server.post("/v1/messages", body, _Message, streamed=streamed)) as messages:
            async for message in messages:
                for piece in read(message, answer, prompt.schema is not None):
                    yield piece

    def fallback_style(self, prompt: Prompt, style: RequestStyle, failed: AttemptFailed) -> RequestStyle | None:
        """Drop a rejected option: models that always think cannot be forced to use a tool."""
        return style.omit_rejected(_DISPENSABLE, str(failed))

    async def close(self) -> None:
        await self._server.close()


def _arguments(model: str, prompt: Prompt, style: RequestStyle, streamed: bool) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt.user}],
        "max_tokens": prompt.max_tokens,
        "stream": streamed,
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


def _read_message(message: _Message, answer: Answer, wants_json: bool) -> list[str]:
    _read_start(message, answer)
    _read_end(message.usage, message.stop_reason or "end_turn", answer)
    blocks = message.content or ()
    if wants_json:
        inputs = [block.input for block in blocks if block.type == "tool_use" and block.input is not None]
        return [answer.add(msgspec.json.encode(found).decode()) for found in inputs[:1]]
    return [answer.add(block.text) for block in blocks if block.type == "text" and block.text]


def _read_event(event: _Message, answer: Answer, wants_json: bool) -> list[str]:
    """Record an event in the answer and return its text."""
    delta = event.delta or _Delta()
    if event.type == "message_start" and event.message is not None:
        _read_start(event.message, answer)
    if event.type == "message_delta":
        _read_end(event.usage, delta.stop_reason, answer)
    piece = delta.partial_json if wants_json else delta.text
    return [answer.add(piece)] if piece and event.type == "content_block_delta" else []


def _read_start(message: _Message, answer: Answer) -> None:
    answer.model = message.model or ""
    if message.usage is not None:
        answer.prompt_tokens = message.usage.prompt_tokens


def _read_end(usage: _Usage | None, stop_reason: str | None, answer: Answer) -> None:
    if usage is not None:
        answer.completion_tokens = usage.output_tokens
    if stop_reason:
        answer.finish = _FINISHES.get(stop_reason, "done")
