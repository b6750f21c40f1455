"""Answers by real processes: many at once, and the process that gives them killed or stopped in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from loremark.base import clock
from loremark.features.ask.streams import LEASE_MS
from loremark.storage.connect import open_database
from loremark.storage.database import Database
from loremark.storage.tables import ai_reservations, answer_streams, chat_messages, usage_counters
from tests.features.ask_client import (
    QUESTION,
    SECRET,
    StreamedAnswer,
    ask,
    open_stream,
    plan_with,
    project_with_facts,
    settings_with,
)
from tests.servers.scripted_model import Say, ScriptedModel
from tests.support import databases
from tests.support.processes import Loremark, Process, free_port
from tests.support.service import run_service, settings_for

pytestmark = pytest.mark.anyio

LONG = "The payment worker retries a failed charge three times [1]. " * 60
_COST = 18


@dataclass
class Town:
    """An API, who answers for it, and somebody who asks."""

    loremark: Loremark
    api: Process
    worker: Process
    url: str
    http: httpx.AsyncClient
    database: Database
    key: str
    project: str

    async def ticket(self) -> str:
        body = {"projectId": self.project, "question": QUESTION}
        headers = {"Authorization": f"Bearer {self.key}"}
        given = await self.http.post(f"{self.api.url}/api/v2/ask", json=body, headers=headers)
        assert given.status_code == 200, given.text
        return str(given.json()["ticket"])

    async def rows(self, table: Any) -> list[Any]:
        async with self.database.read() as tx:
            return await tx.many(select(table))

    async def hold_until(self, until_ms: int) -> None:
        """Every stream that is under way is held until then."""
        async with self.database.write() as tx:
            await tx.run(update(answer_streams).values(expires_at_ms=until_ms))

    async def spent(self) -> int:
        return sum(row["used"] for row in await self.rows(usage_counters) if row["counter"] == "ai_tokens")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture(params=("mounted", "separate"))
async def town(
    loremark: Loremark, model: ScriptedModel, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Town]:
    """The memory is filled first; then the processes start on it."""
    chosen = settings_with(model, LOREMARK_PLANS_FILE=plan_with(tmp_path, 1_000_000_000))
    async with run_service(settings_for(tmp_path, loremark.database_url)) as service:
        memory = await project_with_facts(service)
    loremark.settings |= {**chosen, "LOREMARK_TICKET_TTL_S": "600"}
    async with AsyncExitStack() as stack:
        port = free_port()
        if request.param == "separate":
            folder = tmp_path / "elsewhere"
            folder.mkdir()
            apart = Loremark(folder, loremark.database_url, {**loremark.settings, "LOREMARK_WORKER_SECRET": SECRET})
            worker = stack.enter_context(apart.start("worker", port))
            loremark.settings["LOREMARK_WORKER_URL"] = worker.url
            api = stack.enter_context(loremark.start())
            url = f"{worker.url}/ask"
        else:
            apart = loremark
            api = worker = stack.enter_context(loremark.start(port=port))
            url = f"{api.url}/worker/ask"
        await asyncio.to_thread(api.wait_ready, 90)
        await asyncio.to_thread(worker.wait_ready, 90)
        limits = httpx.Limits(max_connections=300)
        http = await stack.enter_async_context(httpx.AsyncClient(timeout=60, verify=False, limits=limits))
        database = await open_database(databases.storage_address(loremark.database_url), pool=2)
        stack.push_async_callback(database.close)
        yield Town(apart, api, worker, url, http, database, memory.owner.key, memory.tool.project_id)


async def _hear_on(told: StreamedAnswer, lines: AsyncIterator[str]) -> None:
    async for line in lines:
        told.add_line(line)


async def _read_some(town: Town, ticket: str, then: Any) -> StreamedAnswer:
    """Read until a few words have come, let something happen, and read on to the end, whatever that is."""
    told = StreamedAnswer(200)
    async with open_stream(town.http, town.url, ticket, QUESTION) as answer:
        lines = answer.aiter_lines()
        while len(told.tokens) < 4:
            told.add_line(await anext(lines))
        await then()
        with pytest.raises(httpx.HTTPError):
            await _hear_on(told, lines)
    return told


async def test_a_killed_worker_loses_nothing_that_was_told_and_its_ticket_becomes_free(
    town: Town, model: ScriptedModel
) -> None:
    """What was told as done is there; what was not is neither kept nor paid for, and can be asked again."""
    first = await ask(town.http, town.url, await town.ticket())
    assert first.done.get("answer") == "all is well", (first.done, town.worker.output)
    model.always(Say(LONG, each_s=0.02))
    ticket = await town.ticket()

    async def kill() -> None:
        await asyncio.to_thread(town.worker.kill)

    await _read_some(town, ticket, kill)
    assert [row["content"] for row in await town.rows(chat_messages)] == [QUESTION, "all is well"]
    assert await town.spent() == _COST
    (held,) = await town.rows(answer_streams)
    assert 0 < held["expires_at_ms"] - clock.now_ms() <= LEASE_MS
    await town.hold_until(clock.now_ms() + clock.HOUR_MS)  # a slow machine starts a process in more than a lease
    model.always(Say("Three times [1]."))
    with town.loremark.start("serve" if town.worker is town.api else "worker", town.worker.port) as again:
        await asyncio.to_thread(again.wait_ready, 90)
        refused = await ask(town.http, town.url, ticket)
        assert refused.status == 429
        assert "retry after" in refused.body
        await town.hold_until(clock.now_ms() - 1)  # the time has passed
        told = await ask(town.http, town.url, ticket)
        assert told.done["answer"].startswith("Three times")
        assert await town.rows(answer_streams) == []
        assert len(await town.rows(chat_messages)) == 4
        assert await town.spent() == 2 * _COST
        assert len(await town.rows(ai_reservations)) <= 1, "only the lost process's, which runs out by itself"


async def test_a_stopped_worker_keeps_what_it_has_said(town: Town, model: ScriptedModel) -> None:
    model.always(Say(LONG, each_s=0.02))

    async def stop() -> None:
        assert await asyncio.to_thread(town.worker.stop) == 0, town.worker.output

    told = await _read_some(town, await town.ticket(), stop)
    assert "Traceback" not in town.worker.output
    assert not [event for event in told.events if event["type"] == "done"]
    asked, answered = await town.rows(chat_messages)
    assert asked["content"] == QUESTION
    assert answered["content"].startswith(told.text[:20])
    assert len(answered["content"]) < len(LONG)
    assert await town.spent() == answered["prompt_tokens"] + answered["completion_tokens"] > 0
    assert await town.rows(ai_reservations) == await town.rows(answer_streams) == []


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
async def test_many_at_once_are_all_answered_by_one_process(town: Town, model: ScriptedModel, count: int) -> None:
    """None is lost, none comes twice, and each is kept and paid for once."""
    model.always(Say("The payment worker retries a failed charge three times [1].", each_s=0.01))
    tickets = [await town.ticket() for _ in range(count)]
    told = await asyncio.gather(*(ask(town.http, town.url, ticket) for ticket in tickets))
    assert [one.status for one in told] == [200] * count
    assert {one.done["answer"] for one in told} == {told[0].done["answer"]}
    assert len(await town.rows(chat_messages)) == 2 * count
    assert await town.spent() == _COST * count
    assert await town.rows(ai_reservations) == await town.rows(answer_streams) == []
    assert "Traceback" not in town.worker.output
