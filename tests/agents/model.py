"""A model for agents, on loopback: it follows a plan of tool calls, says that it is done, and keeps what it was asked.

It is not the scripted model of tests/servers, which plays a provider towards the service and knows no agents' tools.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.dialects import MODEL, Answer, Body, Dialect, Offer, dialect_of, flat

DONE = "All done: the memory was consulted and something was saved."
_LARGEST_BODY = 32 << 20
_MOST_REQUESTS = 20
"""After so many it is searched no more for tools that are not to be found."""
_THOUGHT_S = 0.3
"""A model takes its time, and a server whose tools are searched for may only be starting."""


@dataclass(frozen=True)
class Step:
    """A tool to ask for, with its arguments: by its own name, whatever an agent puts before it, or by the next one."""

    tool: str | tuple[str, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.tool,) if isinstance(self.tool, str) else self.tool

    @property
    def words(self) -> str:
        """What a search for this tool would say."""
        return self.names[0].replace("_", " ")

    def find(self, offers: Sequence[Offer]) -> Offer | None:
        for wanted in self.names:
            for offer in offers:
                if offer.name == wanted or offer.name.endswith((f"_{wanted}", f"-{wanted}")):
                    return offer
        return None


@dataclass(frozen=True)
class Asked:
    """A request of an agent to the model."""

    path: str
    body: Body
    dialect: Dialect | None

    @cached_property
    def text(self) -> str:
        """All that was said to the model, tools and their descriptions left out."""
        return flat({name: value for name, value in self.body.items() if name != "tools"})

    @property
    def tools(self) -> list[str]:
        return [offer.name for offer in self.dialect.offers(self.body)] if self.dialect else []

    @property
    def results(self) -> list[str]:
        """What the tools that were called so far gave back."""
        return self.dialect.results(self.body) if self.dialect else []


class AgentModel:
    """Listens on a loopback port from its creation until ``stop``; may be used as a context."""

    def __init__(self, plan: Sequence[Step] = (), done: str = DONE) -> None:
        self.plan = list(plan)
        self.done = done
        self._asked: list[Asked] = []
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
        """Follow this plan from now on, and forget what was asked before."""
        with self._lock:
            self.plan, self.done = list(plan), done
            self._asked.clear()

    @property
    def asked(self) -> list[Asked]:
        """Everything that came, in order."""
        with self._lock:
            return list(self._asked)

    @property
    def turns(self) -> list[Asked]:
        """The requests of the agent's own work, without its asides (titles, routing), which offer no tools."""
        return [asked for asked in self.asked if asked.tools]

    def hear(self, asked: Asked) -> Answer:
        """Note a request and say what comes next: as many steps are done as there are results."""
        with self._lock:
            self._asked.append(asked)
            number, plan, done = len(self._asked), self.plan, self.done
        if asked.dialect is None or not asked.tools:
            return Answer(number, "A short title")
        taken = len(asked.results)
        if taken >= len(plan):
            return Answer(number, done)
        step, offers = plan[taken], asked.dialect.offers(asked.body)
        tool = step.find(offers)
        if tool is not None:
            return Answer(number, tool=tool, arguments=dict(step.arguments))
        search = next((offer for offer in offers if offer.searches), None)
        if search is None or number > _MOST_REQUESTS:
            return Answer(number, f"There is no tool {step.tool}.")
        time.sleep(_THOUGHT_S)
        return Answer(number, tool=search, arguments={"query": step.words, "max_results": 5})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, model: AgentModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An agent that hangs up is none of our worries."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        path = self.path.split("?")[0]
        size = min(int(self.headers.get("Content-Length") or 0), _LARGEST_BODY)
        body: Body = json.loads(self.rfile.read(size) or b"{}")
        dialect = dialect_of(path)
        answer = self.server.model.hear(Asked(path, body, dialect))
        if dialect is None:
            self._send(200, json.dumps({"input_tokens": 10, "totalTokens": 10}).encode())
        elif body.get("stream") or ":stream" in path:
            self._send(200, b"".join(dialect.stream(body, answer)), "text/event-stream")
        else:
            self._send(200, json.dumps(dialect.whole(body, answer)).encode())

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        self.server.model.hear(Asked(path, {}, None))
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
        """Quiet."""
