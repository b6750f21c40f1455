"""A model server in threads of this process with scripted answers and the APIs of OpenAI and Anthropic."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

OPENAI_PATH = "/v1/chat/completions"
ANTHROPIC_PATH = "/v1/messages"
MODEL = "scripted-1"
_MAX_WAIT_S = 30.0
_TIMEOUT_S = 60.0
"""Generous, because the machine may be slow."""
_PIECE_CHARACTERS = 5


@dataclass(frozen=True)
class Request:
    """A request as received; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes

    @cached_property
    def json(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.body)
        return content

    @property
    def text(self) -> str:
        """The system prompt and all messages."""
        texts = [self.json.get("system", ""), *(message["content"] for message in self.json["messages"])]
        return "\n".join(text for text in texts if text)


@dataclass(frozen=True)
class Say:
    """An answer. ``finish`` uses OpenAI's values; if the request has a tool, the text is the tool's input."""

    text: str
    finish: str = "stop"
    prompt_tokens: int = 11
    completion_tokens: int = 7
    usage: bool = True
    cut_after: int | None = None
    """Drop the connection after this many pieces of a stream, or in the middle of a complete answer."""
    end_after: int | None = None
    """End the stream after this many pieces, without a finish reason."""
    gate: threading.Event | None = None
    """Wait for it after the first piece of a stream, or before a complete answer."""
    pause_s: float = 0.0
    """Pause for this long after the first piece of a stream."""
    each_s: float = 0.0
    """Pause for this long after each piece of a stream."""


@dataclass(frozen=True)
class Refuse:
    """An error instead of an answer; with status 200, an error event after the start of a stream."""

    status: int
    message: str = "no"
    kind: str = "invalid_request_error"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """A response with exactly these bytes."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Chunks:
    """A stream that arrives in exactly these pieces."""

    pieces: tuple[bytes, ...]


@dataclass(frozen=True)
class Hang:
    """No answer until the server stops."""


@dataclass(frozen=True)
class Drop:
    """Close the connection without an answer."""


Reply = Say | Refuse | Raw | Chunks | Hang | Drop


class ScriptedModel:
    """Listens on a loopback port until ``stop``; can be used as a context manager."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._requests: list[Request] = []
        self._replies: list[Reply] = []
        self._default_reply: Reply | Callable[[Request], Reply] = Say("all is well")
        self._hung_up = 0
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._server = _Server(self)
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self) -> ScriptedModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def base_url(self, kind: str = "openai") -> str:
        """The base URL to configure."""
        return f"{self._scheme}://127.0.0.1:{self.port}" + ("/v1" if kind == "openai" else "")

    def answer(self, *replies: Reply) -> None:
        """Queue replies for the next requests."""
        with self._changed:
            self._replies.extend(replies)

    def always(self, reply: Reply | Callable[[Request], Reply]) -> None:
        """Set the reply, or a function that returns it, for when none is queued."""
        with self._changed:
            self._default_reply = reply

    @property
    def requests(self) -> list[Request]:
        with self._changed:
            return list(self._requests)

    def wait_for_hang_up(self, timeout: float = _TIMEOUT_S) -> None:
        """Block until a client disconnects in the middle of a stream."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._hung_up > 0, timeout):
                raise TimeoutError(f"no client disconnected within {timeout} s")

    def wait_for(self, count: int, timeout: float = _TIMEOUT_S) -> list[Request]:
        """Block until this many requests have arrived; async tests use ``asyncio.to_thread``."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._requests) >= count, timeout):
                raise TimeoutError(f"got {len(self._requests)} requests within {timeout} s, not {count}")
            return list(self._requests)

    def _record_hang_up(self) -> None:
        with self._changed:
            self._hung_up += 1
            self._changed.notify_all()

    def _take(self, request: Request) -> Reply:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
            if self._replies:
                return self._replies.pop(0)
            default = self._default_reply
        return default(request) if callable(default) else default

    def _pause(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def _wait(self, gate: threading.Event | None = None) -> None:
        (gate or self._stopping).wait(_MAX_WAIT_S)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # so that simultaneous connections are not refused

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise each answer waits for a delayed ACK
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body)
        if self.path not in (OPENAI_PATH, ANTHROPIC_PATH):
            self._send(404, b"{}")
            return
        reply = self.server.model._take(request)
        match reply:
            case Hang():
                self.server.model._wait()
                self.close_connection = True
            case Drop():
                self.close_connection = True
            case Raw():
                self._send(200, reply.body, {"Content-Type": reply.content_type})
            case Chunks():
                self._stream(list(reply.pieces), None)
            case Refuse(status=200):
                self._stream([*_stream_start(request), _error(request, reply)], None)
            case Refuse():
                self._send(reply.status, json.dumps(_error_body(request, reply)).encode(), reply.headers)
            case Say():
                self._say(request, reply)

    def _say(self, request: Request, say: Say) -> None:
        if request.json.get("stream"):
            self._stream(list(_events(request, say)), say)
            return
        if say.gate is not None:
            self.server.model._wait(say.gate)
        whole = json.dumps(_complete_response(request, say)).encode()
        self._send(200, whole if say.cut_after is None else whole[:20], length=len(whole))

    def _send(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, length: int | None = None
    ) -> None:
        self.send_response(status)
        size = len(body) if length is None else length
        for name, value in {"Content-Type": "application/json", **(headers or {}), "Content-Length": str(size)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = size != len(body)

    def _stream(self, events: list[bytes], say: Say | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(events):
            try:
                self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
                self.wfile.flush()
            except ConnectionError:
                self.server.model._record_hang_up()
                raise
            if number == 0 and say is not None and say.gate is not None:
                self.server.model._wait(say.gate)
            if say is not None and (say.each_s or (number == 0 and say.pause_s)):
                self.server.model._pause(say.each_s + (say.pause_s if number == 0 else 0.0))
        if say is not None and say.cut_after is not None:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def _is_openai(request: Request) -> bool:
    return request.path == OPENAI_PATH


def _error_body(request: Request, refuse: Refuse) -> dict[str, Any]:
    error = {"type": refuse.kind, "message": refuse.message}
    return {"error": error} if _is_openai(request) else {"type": "error", "error": error}


def _error(request: Request, refuse: Refuse) -> bytes:
    return _event(_error_body(request, refuse), None if _is_openai(request) else "error")


def _event(data: object, name: str | None = None) -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(data).encode() + b"\n\n"


def _typed_event(data: dict[str, Any]) -> bytes:
    return _event(data, data["type"])


def _pieces(text: str) -> list[str]:
    return [text[start : start + _PIECE_CHARACTERS] for start in range(0, len(text), _PIECE_CHARACTERS)]


def _stop_reason(request: Request, say: Say) -> str:
    done = "tool_use" if request.json.get("tools") else "end_turn"
    return {"stop": done, "length": "max_tokens", "content_filter": "refusal"}[say.finish]


def _complete_response(request: Request, say: Say) -> dict[str, Any]:
    if _is_openai(request):
        message = {"role": "assistant", "content": say.text}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": say.finish}],
            **({"usage": _openai_usage(say)} if say.usage else {}),
        }
    block: dict[str, Any] = {"type": "text", "text": say.text}
    if request.json.get("tools"):
        name = request.json["tools"][0]["name"]
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": json.loads(say.text)}
    return {**_message(say), "content": [block], "stop_reason": _stop_reason(request, say)}


def _openai_usage(say: Say) -> dict[str, int]:
    return {
        "prompt_tokens": say.prompt_tokens,
        "completion_tokens": say.completion_tokens,
        "total_tokens": say.prompt_tokens + say.completion_tokens,
    }


def _message(say: Say) -> dict[str, Any]:
    base: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [],
        "stop_reason": None,
    }
    cached = 4  # part of the prompt, but reported separately
    usage = {
        "input_tokens": say.prompt_tokens - cached,
        "cache_read_input_tokens": cached,
        "output_tokens": say.completion_tokens,
    }
    return {**base, **({"usage": usage} if say.usage else {})}


def _chunk(delta: dict[str, Any] | None, finish: str | None = None, **more: object) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    return _event({**base, "choices": choices, **more})


def _stream_start(request: Request) -> list[bytes]:
    if _is_openai(request):
        return [_chunk({"role": "assistant", "content": ""})]
    return [_typed_event({"type": "message_start", "message": {**_message(Say("", completion_tokens=1))}})]


def _events(request: Request, say: Say) -> Iterator[bytes]:
    pieces = _pieces(say.text)
    broken = say.cut_after is not None or say.end_after is not None
    if broken:
        pieces = pieces[: say.cut_after if say.cut_after is not None else say.end_after]
    yield from (
        _openai_events(request, say, pieces, broken)
        if _is_openai(request)
        else _anthropic_events(request, say, pieces, broken)
    )


def _openai_events(request: Request, say: Say, pieces: list[str], broken: bool) -> Iterator[bytes]:
    for piece in pieces:
        yield _chunk({"content": piece})
    if broken:
        return
    yield _chunk({}, say.finish)
    if say.usage and (request.json.get("stream_options") or {}).get("include_usage"):
        yield _chunk(None, usage=_openai_usage(say))
    yield b"data: [DONE]\n\n"


def _anthropic_events(request: Request, say: Say, pieces: list[str], broken: bool) -> Iterator[bytes]:
    tools = request.json.get("tools")
    start = {**_message(say)}
    if say.usage:
        start["usage"] = {**start["usage"], "output_tokens": 1}
    yield _typed_event({"type": "message_start", "message": start})
    block: dict[str, Any] = {"type": "text", "text": ""}
    if tools:
        block = {"type": "tool_use", "id": "toolu_1", "name": tools[0]["name"], "input": {}}
    yield _typed_event({"type": "content_block_start", "index": 0, "content_block": block})
    for piece in pieces:
        delta = {"type": "input_json_delta", "partial_json": piece} if tools else {"type": "text_delta", "text": piece}
        yield _typed_event({"type": "content_block_delta", "index": 0, "delta": delta})
    if broken:
        return
    yield _typed_event({"type": "content_block_stop", "index": 0})
    usage = {"output_tokens": say.completion_tokens} if say.usage else None
    end = {"stop_reason": _stop_reason(request, say), "stop_sequence": None}
    yield _typed_event({"type": "message_delta", "delta": end, **({"usage": usage} if usage else {})})
    yield _typed_event({"type": "message_stop"})
