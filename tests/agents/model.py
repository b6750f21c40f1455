"""A scripted model for agents on loopback: follows a plan of tool calls and records all requests.

Not to be confused with the scripted model in tests/servers, which plays an LLM provider for the service.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.model_apis import MODEL, Answer, Body, ModelApi, OfferedTool, find_api, flat

DONE = "All done: the memory was consulted and something was saved."
_LARGEST_BODY = 32 << 20
_MAX_REQUESTS = 20
"""Stop searching for missing tools after this many requests."""
_RESPONSE_DELAY_S = 0.3
"""Gives an MCP server time to start before its tools are searched for again."""


@dataclass(frozen=True)
class Step:
    """A tool call. Agents may add a prefix to the name; alternative names are tried in order."""

    tool: str | tuple[str, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.tool,) if isinstance(self.tool, str) else self.tool

    @property
    def words(self) -> str:
        """The query of a search for this tool."""
        return self.names[0].replace("_", " ")

    def find(self, offers: Sequence[OfferedTool]) -> OfferedTool | None:
        for wanted in self.names:
            for offer in offers:
                if offer.name == wanted or offer.name.endswith((f"_{wanted}", f"-{wanted}")):
                    return offer
        return None


@dataclass(frozen=True)
class ModelRequest:
    """An agent's request to the model."""

    path: str
    body: Body
    api: ModelApi | None

    @cached_property
    def text(self) -> str:
        """The text sent to the model, without tool descriptions."""
        return flat({name: value for name, value in self.body.items() if name != "tools"})

    @property
    def is_reading(self) -> bool:
        """Whether it asks for the items of a session, in our words."""
        return "BEGIN SESSION" in self.text and "END SESSION" in self.text

    @property
    def tools(self) -> list[str]:
        return [offer.name for offer in self.api.offers(self.body)] if self.api else []

    @property
    def results(self) -> list[str]:
        """The results of the tool calls so far."""
        return self.api.results(self.body) if self.api else []


class AgentModel:
    """Listens on a loopback port from creation until ``stop``; can be used as a context manager."""

    def __init__(self, plan: Sequence[Step] = (), done: str = DONE) -> None:
        self.plan = list(plan)
        self.done = done
        self.read: Callable[[str], str] | None = None
        """Answers requests to read a session, given the text of the request."""
        self.misuse: Step | None = None
        """A tool call that it tries first when it reads a session, if the tool is offered."""
        self._asked: list[ModelRequest] = []
        self._lock = threading.Lock()
        self._server = _Server(self)
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self) -> AgentModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def begin(self, plan: Sequence[Step], done: str = DONE) -> None:
        """Follow this plan from now on, and clear the recorded requests."""
        with self._lock:
            self.plan, self.done = list(plan), done
            self._asked.clear()

    @property
    def asked(self) -> list[ModelRequest]:
        """All requests, in order."""
        with self._lock:
            return list(self._asked)

    @property
    def turns(self) -> list[ModelRequest]:
        """Requests that offer tools, excluding side requests such as titles and routing."""
        return [asked for asked in self.asked if asked.tools]

    @property
    def readings(self) -> list[ModelRequest]:
        """Requests to read a session."""
        return [asked for asked in self.asked if asked.is_reading]

    def respond(self, asked: ModelRequest) -> Answer:
        """Record a request and return the next answer. The number of results tells how many steps are done."""
        with self._lock:
            self._asked.append(asked)
            number, plan, done = len(self._asked), self.plan, self.done
        if self.read is not None and asked.is_reading:
            tool = self.misuse.find(asked.api.offers(asked.body)) if self.misuse and asked.api else None
            if tool is not None and self.misuse is not None and not asked.results:
                return Answer(number, tool=tool, arguments=dict(self.misuse.arguments))
            return Answer(number, self.read(asked.text))
        if asked.api is None or not asked.tools:
            return Answer(number, "A short title")
        taken = len(asked.results)
        if taken >= len(plan):
            return Answer(number, done)
        step, offers = plan[taken], asked.api.offers(asked.body)
        tool = step.find(offers)
        if tool is not None:
            return Answer(number, tool=tool, arguments=dict(step.arguments))
        search = next((offer for offer in offers if offer.searches), None)
        if search is None or number > _MAX_REQUESTS:
            return Answer(number, f"There is no tool {step.tool}.")
        time.sleep(_RESPONSE_DELAY_S)
        return Answer(number, tool=search, arguments={"query": step.words, "max_results": 5})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, model: AgentModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore agents that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        path = self.path.split("?")[0]
        size = min(int(self.headers.get("Content-Length") or 0), _LARGEST_BODY)
        body: Body = json.loads(self.rfile.read(size) or b"{}")
        api = find_api(path)
        answer = self.server.model.respond(ModelRequest(path, body, api))
        if api is None:
            self._send(200, json.dumps({"input_tokens": 10, "totalTokens": 10}).encode())
        elif body.get("stream") or ":stream" in path:
            self._send(200, b"".join(api.stream(body, answer)), "text/event-stream")
        else:
            self._send(200, json.dumps(api.whole(body, answer)).encode())

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        self.server.model.respond(ModelRequest(path, {}, None))
        listed = {"object": "list", "data": [{"id": MODEL, "object": "model", "type": "model"}], "models": []}
        self._send(200 if path.endswith("/models") else 404, json.dumps(listed).encode())

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Don't log."""
