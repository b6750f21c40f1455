"""The four model APIs that agents use: parse requests, and build responses, complete or streamed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]
MODEL = "stub-model"


@dataclass(frozen=True)
class OfferedTool:
    """A tool offered by the agent, with its name and namespace."""

    name: str
    space: str | None = None
    free: bool = False
    """Takes free-form text instead of arguments, passed as ``input``."""
    searches: bool = False
    """Searches for tools that the agent doesn't list up front."""


@dataclass(frozen=True)
class Answer:
    """The model's next answer: a text or a tool call."""

    number: int
    text: str = ""
    tool: OfferedTool | None = None
    arguments: dict[str, Any] | None = None

    @property
    def call_id(self) -> str:
        return f"call_{self.number:08d}"


@dataclass(frozen=True)
class ModelApi:
    """How to parse a request and build a response."""

    offers: Callable[[Body], list[OfferedTool]]
    results: Callable[[Body], list[str]]
    whole: Callable[[Body, Answer], Body]
    stream: Callable[[Body, Answer], list[bytes]]


def flat(content: object) -> str:
    """Join all strings inside a value, in order."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return "\n".join(flat(value) for value in content.values())
    if isinstance(content, list):
        return "\n".join(flat(value) for value in content)
    return ""


def _event(data: Body, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _named(kind: str, **data: Any) -> bytes:
    return _event({"type": kind, **data}, kind)


# Anthropic Messages


def _messages_parts(body: Body, kind: str) -> list[Body]:
    blocks = [part for one in body["messages"] if isinstance(one["content"], list) for part in one["content"]]
    return [part for part in blocks if part.get("type") == kind]


def _messages_found(part: Body) -> list[OfferedTool]:
    """Return the tools found by a tool search, if this is its result."""
    content = part.get("content")
    references = content if isinstance(content, list) else []
    return [OfferedTool(one["tool_name"]) for one in references if one.get("type") == "tool_reference"]


def _messages_offers(body: Body) -> list[OfferedTool]:
    shown = [tool["name"] for tool in body.get("tools") or [] if "name" in tool and not tool.get("defer_loading")]
    found = [offer for part in _messages_parts(body, "tool_result") for offer in _messages_found(part)]
    return [*(OfferedTool(name, searches=name == "ToolSearch") for name in shown), *found]


def _messages_results(body: Body) -> list[str]:
    searches = {part["id"] for part in _messages_parts(body, "tool_use") if part["name"] == "ToolSearch"}
    results = _messages_parts(body, "tool_result")
    return [flat(part.get("content")) for part in results if part["tool_use_id"] not in searches]


def _messages_whole(body: Body, answer: Answer) -> Body:
    block: Body = {"type": "text", "text": answer.text}
    if answer.tool:
        block = {"type": "tool_use", "id": f"toolu_{answer.number:08d}", "name": answer.tool.name}
        block["input"] = answer.arguments
    return {
        "id": f"msg_{answer.number:08d}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [block],
        "stop_reason": "tool_use" if answer.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def _messages_stream(body: Body, answer: Answer) -> list[bytes]:
    whole = _messages_whole(body, answer)
    (block,) = whole["content"]
    if answer.tool:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
    else:
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": answer.text}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    return [
        _named("message_start", message={**whole, "content": [], "stop_reason": None}),
        _named("content_block_start", index=0, content_block=start),
        _named("content_block_delta", index=0, delta=delta),
        _named("content_block_stop", index=0),
        _named("message_delta", delta=end, usage={"output_tokens": 10}),
        _named("message_stop"),
    ]


# OpenAI Responses


def _responses_parts(body: Body) -> list[Body]:
    given = body.get("input")
    return given if isinstance(given, list) else []


def _responses_offers(body: Body) -> list[OfferedTool]:
    found = [
        tool for part in _responses_parts(body) if part.get("type") == "tool_search_output" for tool in part["tools"]
    ]
    offers: list[OfferedTool] = []
    for tool in [*(body.get("tools") or []), *found]:
        kind = tool.get("type")
        if kind == "namespace":
            offers.extend(OfferedTool(inner["name"], tool["name"]) for inner in tool.get("tools", []))
        elif kind == "tool_search":
            offers.append(OfferedTool("tool_search", searches=True))
        elif "name" in tool:
            offers.append(OfferedTool(tool["name"], free=kind == "custom"))
    return offers


def _responses_results(body: Body) -> list[str]:
    parts = _responses_parts(body)
    return [flat(part.get("output")) for part in parts if str(part.get("type", "")).endswith("_call_output")]


def _responses_item(answer: Answer) -> Body:
    if answer.tool is None:
        content = {"type": "output_text", "text": answer.text, "annotations": []}
        return {"type": "message", "id": f"msg_{answer.number:08d}", "role": "assistant", "content": [content]}
    call = {"id": f"fc_{answer.number:08d}", "call_id": answer.call_id, "name": answer.tool.name}
    if answer.tool.searches:
        search = {"type": "tool_search_call", "call_id": answer.call_id, "execution": "client"}
        return {**search, "arguments": {"query": (answer.arguments or {})["query"]}}
    if answer.tool.free:
        return {"type": "custom_tool_call", **call, "input": (answer.arguments or {})["input"]}
    space = {"namespace": answer.tool.space} if answer.tool.space else {}
    return {"type": "function_call", **call, "arguments": json.dumps(answer.arguments), **space}


def _responses_whole(body: Body, answer: Answer) -> Body:
    return {
        "id": f"resp_{answer.number:08d}",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "completed",
        "output": [{**_responses_item(answer), "status": "completed"}],
        "usage": {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 15,
        },
    }


def _responses_stream(body: Body, answer: Answer) -> list[bytes]:
    whole = _responses_whole(body, answer)
    (item,) = whole["output"]
    steps: list[tuple[str, Body]] = [
        ("response.created", {"response": {**whole, "status": "in_progress", "output": []}}),
        ("response.output_item.added", {"output_index": 0, "item": {**item, "status": "in_progress"}}),
    ]
    if answer.tool is None:
        where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        steps.append(("response.output_text.delta", {**where, "delta": answer.text}))
    steps.append(("response.output_item.done", {"output_index": 0, "item": item}))
    steps.append(("response.completed", {"response": whole}))
    return [_named(kind, sequence_number=number, **data) for number, (kind, data) in enumerate(steps)]


# OpenAI chat completions


def _chat_offers(body: Body) -> list[OfferedTool]:
    return [OfferedTool(tool["function"]["name"]) for tool in body.get("tools") or [] if tool.get("type") == "function"]


def _chat_results(body: Body) -> list[str]:
    return [flat(message.get("content")) for message in body["messages"] if message["role"] == "tool"]


def _chat_message(answer: Answer) -> Body:
    if answer.tool is None:
        return {"role": "assistant", "content": answer.text}
    function = {"name": answer.tool.name, "arguments": json.dumps(answer.arguments)}
    call = {"index": 0, "id": answer.call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _chat_frame(answer: Answer, kind: str, **data: Any) -> Body:
    return {"id": f"chat-{answer.number:08d}", "object": kind, "created": 1, "model": MODEL, **data}


_CHAT_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _chat_whole(body: Body, answer: Answer) -> Body:
    finish = "tool_calls" if answer.tool else "stop"
    choice = {"index": 0, "message": _chat_message(answer), "finish_reason": finish}
    return _chat_frame(answer, "chat.completion", choices=[choice], usage=_CHAT_USAGE)


def _chat_stream(body: Body, answer: Answer) -> list[bytes]:
    finish = "tool_calls" if answer.tool else "stop"
    first = {"index": 0, "delta": _chat_message(answer), "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": finish}
    kind = "chat.completion.chunk"
    return [
        _event(_chat_frame(answer, kind, choices=[first])),
        _event(_chat_frame(answer, kind, choices=[last], usage=_CHAT_USAGE)),
        b"data: [DONE]\n\n",
    ]


# Gemini


def _gemini_offers(body: Body) -> list[OfferedTool]:
    return [OfferedTool(f["name"]) for tool in body.get("tools") or [] for f in tool.get("functionDeclarations", [])]


def _gemini_results(body: Body) -> list[str]:
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    return [flat(part["functionResponse"].get("response")) for part in parts if "functionResponse" in part]


def _gemini_whole(body: Body, answer: Answer) -> Body:
    shaped = body.get("generationConfig", {})
    part: Body = {"text": answer.text}
    if answer.tool:
        part = {"functionCall": {"name": answer.tool.name, "args": answer.arguments}}
    elif shaped.get("responseJsonSchema") or shaped.get("responseSchema"):
        part = {"text": json.dumps({"model_choice": "flash", "reasoning": "the smaller one is enough"})}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": MODEL,
        "responseId": f"answer-{answer.number}",
    }


def _gemini_stream(body: Body, answer: Answer) -> list[bytes]:
    return [_event(_gemini_whole(body, answer))]


MESSAGES = ModelApi(_messages_offers, _messages_results, _messages_whole, _messages_stream)
RESPONSES = ModelApi(_responses_offers, _responses_results, _responses_whole, _responses_stream)
CHAT = ModelApi(_chat_offers, _chat_results, _chat_whole, _chat_stream)
GEMINI = ModelApi(_gemini_offers, _gemini_results, _gemini_whole, _gemini_stream)


def find_api(path: str) -> ModelApi | None:
    """Return the model API at this path, or None."""
    if path.startswith("/v1beta/") and path.endswith(":countTokens"):
        return None
    if path.startswith("/v1beta/"):
        return GEMINI
    return {"/v1/messages": MESSAGES, "/v1/responses": RESPONSES, "/v1/chat/completions": CHAT}.get(path)
