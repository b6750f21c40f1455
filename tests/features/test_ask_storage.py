"""Answers are stored completely, once and with checked citations, even after failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import delete

from loremark.features.ask import streams as ask_streams
from loremark.features.ask.streams import AnswerStream, AnswerStreams
from loremark.features.ask.tickets import Tickets
from loremark.storage.database import Database, StorageUnavailable, Tx
from loremark.storage.tables import answer_streams
from loremark.wire.answers import AnswerDone
from tests.features.ask_client import (
    FACTS,
    QUESTION,
    ask,
    messages,
    open_streams,
    project_with_facts,
    reserved,
    settings_with,
    ticket_for,
    used,
)
from tests.features.memory_project import Memory
from tests.servers.scripted_model import Say, ScriptedModel
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio


class FlakyDatabase:
    """A database whose connection breaks at a chosen point of the next transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.next_fault: str | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def write(self) -> AbstractAsyncContextManager[Tx]:
        return self._write()

    @asynccontextmanager
    async def _write(self) -> AsyncIterator[Tx]:
        fault, self.next_fault = self.next_fault, None
        if fault == "ours":
            raise RuntimeError("unexpected")
        async with self._database.write() as tx:
            yield tx
            if fault == "rolled back":
                raise StorageUnavailable(fault)
        if fault == "committed":
            raise StorageUnavailable(fault)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
async def model_service(model: ScriptedModel, database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with run_service(settings_for(tmp_path, database_url, **settings_with(model))) as running:
        yield running


async def _start_answer(memory: Memory, model: ScriptedModel) -> tuple[FlakyDatabase, AnswerStream]:
    """A question a model is about to answer, on a database that can break."""
    services = cast(Any, memory.service.app)._services
    deps = services.use(AnswerStreams)._deps
    flaky = FlakyDatabase(deps.database)
    ticket = (await ticket_for(memory.owner, memory.tool.project_id))["ticket"]
    streams = AnswerStreams(replace(deps, database=flaky))
    stream = await streams.begin(ticket, services.use(Tickets).read(ticket), QUESTION)
    await asyncio.to_thread(model.wait_for, 1)
    return flaky, stream


async def _wait_for_end(stream: AnswerStream) -> AnswerDone:
    async with asyncio.timeout(60):
        await asyncio.wait((stream.task,))
    assert stream.buffer.closed
    assert stream.buffer.end is not None
    return stream.buffer.end


@pytest.mark.parametrize("fault", ["rolled back", "committed"])
@pytest.mark.parametrize("forgotten", [True, False], ids=["ticket forgotten", "ticket held"])
async def test_answer_is_stored_once_even_if_the_first_attempt_fails(
    model_service: Service, model: ScriptedModel, fault: str, forgotten: bool
) -> None:
    """Even if the lease expired meanwhile and another question deleted it."""
    memory = await project_with_facts(model_service)
    model.always(Say("Three times [1].", pause_s=0.5))
    flaky, stream = await _start_answer(memory, model)
    flaky.next_fault = fault
    if forgotten:
        async with model_service.runtime.database.write() as tx:
            await tx.run(delete(answer_streams))
    done = await _wait_for_end(stream)
    assert flaky.next_fault is None
    assert str(done.answer).startswith("Three times")
    assert [message["role"] for message in await messages(model_service)] == ["user", "assistant"]
    assert (await used(model_service))["ai_tokens"] == 18
    assert (await reserved(model_service), await open_streams(model_service)) == (0, 0)


async def test_unexpected_error_ends_the_stream_and_stores_the_partial_answer(
    model_service: Service, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Renewing the lease raises an unexpected error."""
    monkeypatch.setattr(ask_streams, "_RENEW_S", 0.3)
    memory = await project_with_facts(model_service)
    model.always(Say("The payment worker retries a failed charge three times [1]. " * 40, each_s=0.05))
    flaky, stream = await _start_answer(memory, model)
    async with asyncio.timeout(60):
        await stream.buffer.wait(60)
    flaky.next_fault = "ours"
    done = await _wait_for_end(stream)
    assert done.error == "Internal server error"
    assert isinstance(stream.task.exception(), RuntimeError)
    _, answered = await messages(model_service)
    assert answered["content"].startswith("The p")
    assert (await used(model_service))["ai_tokens"] == done.usage.total_tokens > 0
    assert (await reserved(model_service), await open_streams(model_service)) == (0, 0)


async def test_citations_of_an_interrupted_answer_are_checked(model_service: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(model_service)
    text = "The payment worker retries a failed charge three times [1]. It runs on Kubernetes in Frankfurt [7]. And th"
    model.always(Say(text + "en some", cut_after=len(text) // 5))
    issued = await ticket_for(memory.owner, memory.tool.project_id)
    streamed = await ask(model_service.http, "/worker/ask", issued["ticket"])
    assert "answer" not in streamed.done
    assert "[7]" in streamed.text
    _, answered = await messages(model_service)
    assert "three times [1]." in answered["content"]
    assert "[7]" not in answered["content"]
    assert "(not in memory)" in answered["content"]
    assert [source["used"] for source in json.loads(answered["sources"])].count(True) == 1


async def test_long_source_is_sent_in_full_and_stored_truncated(service: Service) -> None:
    long = "The payment worker retries a failed charge three times. " + "It waits a while before each of them. " * 100
    memory = await project_with_facts(service, FACTS[:1])
    (item,) = await memory.items()
    changed = await memory.owner.patch(f"/api/v2/items/{item['id']}", {"content": long.strip()})
    assert changed.status_code == 200
    issued = await ticket_for(memory.owner, memory.tool.project_id)
    streamed = await ask(service.http, "/worker/ask", issued["ticket"])
    (source,) = streamed.done["sources"]
    assert len(source["facts"]) > 3_000
    _, answered = await messages(service)
    (stored,) = json.loads(answered["sources"])
    assert stored == {**source, "facts": source["facts"][:2_000] + "…"}


@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=1000/minute,ask=3/minute")
async def test_reusing_a_ticket_counts_against_the_rate_limit(service: Service) -> None:
    memory = await project_with_facts(service)
    issued = await ticket_for(memory.owner, memory.tool.project_id)
    statuses = [(await ask(service.http, "/worker/ask", issued["ticket"])).status for _ in range(7)]
    assert statuses[:3] == [200] * 3
    assert 429 in statuses[3:], "at most one rate limit window ends meanwhile"
