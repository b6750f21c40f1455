"""A project with a few facts, and a client that gets tickets and reads answer streams."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import select

from loremark.entry import server
from loremark.entry.worker import open_worker
from loremark.storage.tables import ai_reservations, answer_streams, chat_messages, usage_counters
from tests.features.memory_project import Memory
from tests.servers.scripted_model import ScriptedModel
from tests.support.people import Person
from tests.support.service import Service, settings_for

FACTS = (
    ("Payments are retried three times", "The payment worker retries a failed charge three times.", "src/payments.py"),
    ("Sessions are kept in Redis", "Sessions live in Redis for 30 minutes and outlive a restart.", "src/sessions.py"),
    ("Migrations run under a lock", "The schema is migrated under an advisory lock.", "src/schema.py"),
)
QUESTION = "How often does the payment worker retry a failed charge?"
_PLANS = """
[plan.team]
ai_tokens = {}
projects = 100
sessions = 100
events = 100
enrichments = 100
storage_bytes = 100000000
price_cents = 0
"""


def plan_with(folder: Any, ai_tokens: int) -> str:
    """Write a plans file that gives a team this many AI tokens."""
    path = folder / "plans.toml"
    path.write_text(_PLANS.format(ai_tokens))
    return str(path)


async def project_with_facts(service: Service, facts: Iterable[tuple[str, str, str]] = FACTS) -> Memory:
    """A project with these facts as approved, embedded items."""
    memory = await Memory.of(service, autoApproveThreshold=0)
    session = ""
    for title, content, file in facts:
        item = {"title": title, "content": content, "type": "decision", "files": [file], "confidence": 0.95}
        session = (await memory.send({"operation": "create", "item": item}, "memory_operation"))["sessionId"]
    await memory.enrich(session)
    await memory.approve_all()
    return memory


@dataclass
class StreamedAnswer:
    """The events and comments of an answer stream."""

    status: int
    content_type: str = ""
    body: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> list[str]:
        return [event["content"] for event in self.events if event["type"] == "token"]

    @property
    def text(self) -> str:
        return "".join(self.tokens)

    @property
    def done(self) -> dict[str, Any]:
        """The final event; there must be exactly one."""
        final = [event for event in self.events if event["type"] == "done"]
        assert len(final) == 1, self.body
        assert self.events[-1] is final[0]
        return final[0]

    def add_line(self, line: str) -> None:
        if line.startswith("data: "):
            self.events.append(json.loads(line.removeprefix("data: ")))
        elif line:
            self.comments.append(line)


async def ticket_for(person: Person, project_id: str, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    answer = await person.post("/api/v2/ask", {"projectId": project_id, "question": question, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


@asynccontextmanager
async def open_stream(http: httpx.AsyncClient, url: str, ticket: str, question: str) -> AsyncIterator[httpx.Response]:
    """Open the answer stream."""
    async with http.stream("POST", url, json={"ticket": ticket, "question": question}) as answer:
        yield answer


async def read_stream(answer: httpx.Response) -> StreamedAnswer:
    """Read the stream to its end."""
    streamed = StreamedAnswer(answer.status_code, answer.headers["content-type"])
    async for line in answer.aiter_lines():
        streamed.body += line + "\n"
        if streamed.content_type == "text/event-stream":
            streamed.add_line(line)
    return streamed


async def ask(http: httpx.AsyncClient, url: str, ticket: str, question: str = QUESTION) -> StreamedAnswer:
    async with open_stream(http, url, ticket, question) as answer:
        return await read_stream(answer)


async def used(service: Service) -> dict[str, int]:
    async with service.runtime.database.read() as tx:
        return {row["counter"]: row["used"] for row in await tx.many(select(usage_counters))}


async def reserved(service: Service) -> int:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(ai_reservations)))


async def open_streams(service: Service) -> int:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(answer_streams)))


async def messages(service: Service) -> list[dict[str, Any]]:
    """All chat messages, oldest first."""
    columns = ("chat_id", "role", "content", "sources", "prompt_tokens", "completion_tokens", "model")
    async with service.runtime.database.read() as tx:
        rows = await tx.many(select(chat_messages).order_by(chat_messages.c.id))
    return [{name: row[name] for name in columns} for row in rows]


MODEL = "openai:scripted-1"
SECRET = "a secret that the API and the worker share"


def settings_with(model: ScriptedModel | None, **changes: str) -> dict[str, str]:
    """Settings with the scripted model for both tiers, if given."""
    settings = {"LOREMARK_WORKER_SECRET": SECRET}
    if model is not None:
        settings |= {
            "LOREMARK_LLM_SMALL": MODEL,
            "LOREMARK_LLM_MEDIUM": MODEL,
            "LOREMARK_LLM_BASE_URL": model.base_url(),
            "LOREMARK_LLM_TIMEOUT_S": "20",
        }
    return {**settings, **changes}


@asynccontextmanager
async def serve(app: Any) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Serve the application over real sockets; yields its address and an event that stops it."""
    stop = asyncio.Event()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        serving = asyncio.create_task(server.listen(app, listener, stop, app.close))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", stop
        finally:
            stop.set()
            await serving


@dataclass
class AnswerServer:
    """A running answer server: its address, a client, and an event that stops it."""

    url: str
    http: httpx.AsyncClient
    stop: asyncio.Event

    async def ask(self, ticket: str, question: str = QUESTION) -> StreamedAnswer:
        return await ask(self.http, self.url, ticket, question)


@asynccontextmanager
async def run_answer_server(kind: str, service: Service, folder: Path) -> AsyncIterator[AnswerServer]:
    """Run the worker inside the API, or separately with its own data folder, sharing only the secret and database."""
    async with AsyncExitStack() as stack:
        app: Any = service.app
        if kind == "separate":
            llm_settings = {
                name: getattr(service.settings, name) for name in ("llm_small", "llm_medium", "llm_base_url")
            }
            shared = {f"LOREMARK_{name.upper()}": value for name, value in llm_settings.items()}
            shared |= {"LOREMARK_PLANS_FILE": service.settings.plans_file, "LOREMARK_WORKER_SECRET": SECRET}
            shared["LOREMARK_KEEPALIVE_S"] = str(service.settings.keepalive_s)
            worker_settings = settings_for(folder / "elsewhere", service.settings.database_url, **shared)
            app = await stack.enter_async_context(open_worker(worker_settings))
        base, stop = await stack.enter_async_context(serve(app))
        limits = httpx.Limits(max_connections=300)
        http = await stack.enter_async_context(httpx.AsyncClient(timeout=90, verify=False, limits=limits))
        yield AnswerServer(base + ("/ask" if kind == "separate" else "/worker/ask"), http, stop)
