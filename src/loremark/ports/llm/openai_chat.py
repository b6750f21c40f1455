"""Chat completions of OpenAI and compatible servers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import msgspec

from loremark.ports.llm.attempt import Answer, AttemptFailed, Finish, Form, RequestStyle
from loremark.ports.llm.connection import Connection
from loremark.ports.llm.model import Prompt

URL = "https://api.openai.com/v1"
_DISPENSABLE = ("temperature", "max_tokens", "stream_options")
_PLAINER: dict[Form, Form] = {"schema": "object", "object": "plain"}
_FINISHES: dict[str, Finish] = {"length": "length", "content_filter": "refused"}


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    """The fields we need of a response or chunk; compatible servers omit many others."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None


class OpenAiChat:
    """Single attempts at ``/chat/completions``."""

    def __init__(self, model: str, *, base_url: str = "", api_key: str = "", ca_file: str = "") -> None:
        self.name = f"openai:{model}"
        self.model = model
        self._server = connect(base_url, api_key, ca_file=ca_file)
        self.address = self._server.address
        # OpenAI's newer models reject max_tokens, and other servers accept nothing else.
        self.style = RequestStyle(without=frozenset({"max_tokens"} if self.address.url == URL else ()))

    def sent(self, prompt: Prompt, style: RequestStyle) -> str:
        texts = [message["content"] for message in _messages(prompt, style)]
        if prompt.schema is not None and style.form == "schema":
            texts.append(msgspec.json.encode(prompt.schema).decode())
        return "\n".join(texts)

    async def pieces(
        self, prompt: Prompt, style: RequestStyle, answer: Answer, *, streamed: bool
    ) -> AsyncGenerator[str, None]:
        body = _arguments(self.model, prompt, style, streamed)
        async with aclosing(self._server.post("/chat/completions", body, _Chunk, streamed=streamed)) as chunks:
            async for chunk in chunks:
                for piece in _read_chunk(chunk, answer):
                    yield piece

    def fallback_style(self, prompt: Prompt, style: RequestStyle, failed: AttemptFailed) -> RequestStyle | None:
        """Drop the rejected option, or request JSON in a simpler way."""
        named = style.omit_rejected(_DISPENSABLE, str(failed))
        if named is not None or prompt.schema is None or style.form == "plain":
            return named
        return replace(style, form=_PLAINER[style.form])

    async def close(self) -> None:
        await self._server.close()


def connect(base_url: str, api_key: str, *, ca_file: str = "") -> Connection:
    """Open a connection to OpenAI, or to a compatible server, which may need no key."""
    if not base_url and not api_key:
        raise ValueError("OpenAI models need an API key: set LOREMARK_LLM_API_KEY (OPENAI_API_KEY is not read)")
    return Connection(base_url or URL, api_key, ca_file=ca_file)


def _messages(prompt: Prompt, style: RequestStyle) -> list[dict[str, str]]:
    system = prompt.system
    if prompt.schema is not None and style.form != "schema":
        schema = msgspec.json.encode(prompt.schema).decode()
        system = f"{system}\n\nAnswer with one JSON object and nothing else. It follows this JSON schema:\n{schema}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt.user}]
    return messages if system else messages[1:]


def _arguments(model: str, prompt: Prompt, style: RequestStyle, streamed: bool) -> dict[str, Any]:
    limit = "max_completion_tokens" if "max_tokens" in style.without else "max_tokens"
    arguments: dict[str, Any] = {"model": model, "messages": _messages(prompt, style), limit: prompt.max_tokens}
    if "temperature" not in style.without:
        arguments["temperature"] = prompt.temperature
    if streamed:
        arguments["stream"] = True
        if "stream_options" not in style.without:
            arguments["stream_options"] = {"include_usage": True}
    if prompt.schema is not None and style.form == "schema":
        schema = {"name": prompt.schema_name, "schema": prompt.schema, "strict": True}
        arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif prompt.schema is not None and style.form == "object":
        arguments["response_format"] = {"type": "json_object"}
    return arguments


def _read_chunk(chunk: _Chunk, answer: Answer) -> list[str]:
    """Record a chunk in the answer and return its text."""
    answer.model = answer.model or chunk.model or ""
    if chunk.usage is not None:
        answer.prompt_tokens = chunk.usage.prompt_tokens
        answer.completion_tokens = chunk.usage.completion_tokens
    pieces: list[str] = []
    for choice in (chunk.choices or ())[:1]:
        said = choice.message or choice.delta or _Message()
        if said.content:
            pieces.append(answer.add(said.content))
        if said.refusal:
            answer.finish = "refused"
        elif choice.finish_reason and answer.finish != "refused":
            answer.finish = _FINISHES.get(choice.finish_reason, "done")
    return pieces
