"""OpenAI and servers compatible with it: chat completions."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import msgspec
import openai

from loremark.ports.llm.attempt import Answer, AttemptFailed, Finish, Form, Manner
from loremark.ports.llm.connection import DUMMY_KEY, in_our_words, open_client, patience
from loremark.ports.llm.model import Prompt

_OWN_HOST = "api.openai.com"
_DISPENSABLE = ("temperature", "max_tokens", "stream_options")
_PLAINER: dict[Form, Form] = {"schema": "object", "object": "plain"}
_FINISHES: dict[str, Finish] = {"length": "length", "content_filter": "refused"}


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Said(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Said | None = None
    delta: _Said | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    """A whole answer, or a piece of one; of it only what we need, for compatible servers leave out much."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None


class OpenAiChat:
    """Single attempts at ``/chat/completions``."""

    def __init__(self, model: str, *, base_url: str | None, api_key: str | None) -> None:
        self.name = f"openai:{model}"
        self.model = model
        self._client = _open(base_url, api_key)
        # Its newer models refuse the old name of the limit, and others' servers know no other.
        own = self._client.base_url.host == _OWN_HOST
        self.manner = Manner(without=frozenset({"max_tokens"} if own else ()))

    def sent(self, prompt: Prompt, manner: Manner) -> str:
        texts = [message["content"] for message in _messages(prompt, manner)]
        if prompt.schema is not None and manner.form == "schema":
            texts.append(msgspec.json.encode(prompt.schema).decode())
        return "\n".join(texts)

    async def pieces(
        self, prompt: Prompt, manner: Manner, answer: Answer, *, streamed: bool
    ) -> AsyncGenerator[str, None]:
        arguments = _arguments(self.model, prompt, manner, streamed)
        with in_our_words(openai, openai.OpenAIError, self._client.api_key):
            if not streamed:
                reply: Any = await self._client.chat.completions.create(**arguments, timeout=patience(streamed))
                if not isinstance(reply, openai.BaseModel):
                    raise ValueError("not an object")
                for piece in _heard(reply.to_dict(warnings=False), answer):
                    yield piece
                return
            # As plain objects: the SDK's own models of a chunk cost four times what the rest of it does.
            stream = await self._client.post(
                "/chat/completions",
                cast_to=object,
                body=arguments,
                options={"timeout": patience(streamed)},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
            async with stream:
                async for chunk in stream:
                    for piece in _heard(chunk, answer):
                        yield piece

    def other(self, prompt: Prompt, manner: Manner, failed: AttemptFailed) -> Manner | None:
        """Leave out what the server names, else ask for JSON in a plainer way."""
        named = manner.without_one_of(_DISPENSABLE, str(failed))
        if named is not None or prompt.schema is None or manner.form == "plain":
            return named
        return replace(manner, form=_PLAINER[manner.form])

    async def close(self) -> None:
        await self._client.close()


def _open(base_url: str | None, api_key: str | None) -> openai.AsyncOpenAI:
    http_client = open_client()
    try:
        return openai.AsyncOpenAI(base_url=base_url, api_key=api_key, max_retries=0, http_client=http_client)
    except openai.OpenAIError:
        if base_url is None:
            raise ValueError("a model of OpenAI needs a key: set LOREMARK_LLM_API_KEY or OPENAI_API_KEY") from None
    return openai.AsyncOpenAI(base_url=base_url, api_key=DUMMY_KEY, max_retries=0, http_client=http_client)


def _messages(prompt: Prompt, manner: Manner) -> list[dict[str, str]]:
    system = prompt.system
    if prompt.schema is not None and manner.form != "schema":
        schema = msgspec.json.encode(prompt.schema).decode()
        system = f"{system}\n\nAnswer with one JSON object and nothing else. It follows this JSON schema:\n{schema}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt.user}]
    return messages if system else messages[1:]


def _arguments(model: str, prompt: Prompt, manner: Manner, streamed: bool) -> dict[str, Any]:
    limit = "max_completion_tokens" if "max_tokens" in manner.without else "max_tokens"
    arguments: dict[str, Any] = {"model": model, "messages": _messages(prompt, manner), limit: prompt.max_tokens}
    if "temperature" not in manner.without:
        arguments["temperature"] = prompt.temperature
    if streamed:
        arguments["stream"] = True
        if "stream_options" not in manner.without:
            arguments["stream_options"] = {"include_usage": True}
    if prompt.schema is not None and manner.form == "schema":
        schema = {"name": prompt.schema_name, "schema": prompt.schema, "strict": True}
        arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif prompt.schema is not None and manner.form == "object":
        arguments["response_format"] = {"type": "json_object"}
    return arguments


def _heard(told: object, answer: Answer) -> list[str]:
    """Take over what a chunk tells; returns its text."""
    chunk = msgspec.convert(told, _Chunk)
    answer.model = answer.model or chunk.model or ""
    if chunk.usage is not None:
        answer.prompt_tokens = chunk.usage.prompt_tokens
        answer.completion_tokens = chunk.usage.completion_tokens
    pieces: list[str] = []
    for choice in (chunk.choices or ())[:1]:
        said = choice.message or choice.delta or _Said()
        if said.content:
            pieces.append(answer.add(said.content))
        if said.refusal:
            answer.finish = "refused"
        elif choice.finish_reason and answer.finish != "refused":
            answer.finish = _FINISHES.get(choice.finish_reason, "done")
    return pieces
