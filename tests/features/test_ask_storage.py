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


class Unsteady:
    """A database whose connection breaks at a chosen point of the next transaction."""

    def __init__(self, steady: Database) -> None:
        self._steady = steady
        self.next_fault: str | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._steady, name)

    def write(self) -> AbstractAsyncContextManager[Tx]:
        return self._write()

    @asynccontextmanager
    async def _write(self) -> AsyncIterator[Tx]:
        fault, self.next_fault = self.next_fault, None
        if fault == "ours":
            raise RuntimeError("unexpected")
        async with self._steady.write() as tx:
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
async def modelled(model: ScriptedModel, database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with run_service(settings_for(tmp_path, database_url, **settings_with(model))) as running:
        yield running


async def _begin(memory: Memory, model: ScriptedModel) -> tuple[Unsteady, AnswerStream]:
    """A question a model is about to answer, on a database that can break."""
    services = cast(Any, memory.service.app)._services
    deps = services.use(AnswerStreams)._deps
    unsteady = Unsteady(deps.database)
    ticket = (await ticket_for(memory.owner, memory.tool.project_id))["ticket"]
    streams = AnswerStreams(replace(deps, database=unsteady))
    running = await streams.begin(ticket, services.use(Tickets).read(ticket), QUESTION)
    await asyncio.to_thread(model.wait_for, 1)
    return unsteady, running


async def _end(running: AnswerStream) -> AnswerDone:
    async with asyncio.timeout(60):
        await asyncio.wait((running.task,))
    assert running.buffer.closed
    assert running.buffer.end is not None
    return running.buffer.end


@pytest.mark.parametrize("fault", ["rolled back", "committed"])
@pytest.mark.parametrize("forgotten", [True, False], ids=["ticket forgotten", "ticket held"])
async def test_answer_is_stored_once_whatever_happens_to_the_first_attempt(
    modelled: Service, model: ScriptedModel, fault: str, forgotten: bool
) -> None:
    """Even if the lease expired meanwhile and another question deleted it."""
    memory = await project_with_facts(modelled)
    model.always(Say("Three times [1].", pause_s=0.5))
    unsteady, running = await _begin(memory, model)
    unsteady.next_fault = fault
    if forgotten:
        async with modelled.runtime.database.write() as tx:
            await tx.run(delete(answer_streams))
    done = await _end(running)
    assert unsteady.next_fault is None
    assert str(done.answer).startswith("Three times")
    assert [message["role"] for message in await messages(modelled)] == ["user", "assistant"]
    assert (await used(modelled))["ai_tokens"] == 18
    assert (await reserved(modelled), await open_streams(modelled)) == (0, 0)


async def test_unexpected_error_ends_the_stream_and_stores_the_partial_answer(
    modelled: Service, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Renewing the lease raises an unexpected error."""
    monkeypatch.setattr(ask_streams, "_RENEW_S", 0.3)
    memory = await project_with_facts(modelled)
    model.always(Say("The payment worker retries a failed charge three times [1]. " * 40, each_s=0.05))
    unsteady, running = await _begin(memory, model)
    async with asyncio.timeout(60):
        await running.buffer.wait(60)
    unsteady.next_fault = "ours"
    done = await _end(running)
    assert done.error == "Internal server error"
    assert isinstance(running.task.exception(), RuntimeError)
    _, answered = await messages(modelled)
    assert answered["content"].startswith("The p")
    assert (await used(modelled))["ai_tokens"] == done.usage.total_tokens > 0
    assert (await reserved(modelled), await open_streams(modelled)) == (0, 0)


async def test_citations_of_an_interrupted_answer_are_checked(modelled: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(modelled)
    text = "The payment worker retries a failed charge three times [1]. It runs on Kubernetes in Frankfurt [7]. And th"
    model.always(Say(text + "en some", cut_after=len(text) // 5))
    given = await ticket_for(memory.owner, memory.tool.project_id)
    told = await ask(modelled.http, "/worker/ask", given["ticket"])
    assert "answer" not in told.done
    assert "[7]" in told.text
    _, answered = await messages(modelled)
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
    given = await ticket_for(memory.owner, memory.tool.project_id)
    told = await ask(service.http, "/worker/ask", given["ticket"])
    (source,) = told.done["sources"]
    assert len(source["facts"]) > 3_000
    _, answered = await messages(service)
    (kept,) = json.loads(answered["sources"])
    assert kept == {**source, "facts": source["facts"][:2_000] + "…"}


@pytest.mark.settings(LOREMARK_ROUTE_LIMITS="login=1000/minute,ask=3/minute")
async def test_reusing_a_ticket_counts_against_the_rate_limit(service: Service) -> None:
    memory = await project_with_facts(service)
    given = await ticket_for(memory.owner, memory.tool.project_id)
    statuses = [(await ask(service.http, "/worker/ask", given["ticket"])).status for _ in range(7)]
    assert statuses[:3] == [200] * 3
    assert 429 in statuses[3:], "at most one minute ends meanwhile"
