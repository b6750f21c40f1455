"""Answers from real processes: many at once, and with the answering process killed or stopped midway."""

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
class Deployment:
    """An API process, the worker that answers its questions, and a client."""

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
        response = await self.http.post(f"{self.api.url}/api/v2/ask", json=body, headers=headers)
        assert response.status_code == 200, response.text
        return str(response.json()["ticket"])

    async def rows(self, table: Any) -> list[Any]:
        async with self.database.read() as tx:
            return await tx.many(select(table))

    async def expire_streams_at(self, until_ms: int) -> None:
        """Set when the leases of all running streams expire."""
        async with self.database.write() as tx:
            await tx.run(update(answer_streams).values(expires_at_ms=until_ms))

    async def spent(self) -> int:
        return sum(row["used"] for row in await self.rows(usage_counters) if row["counter"] == "ai_tokens")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture(params=("mounted", "separate"))
async def deployment(
    loremark: Loremark, model: ScriptedModel, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Deployment]:
    """Fill the memory, then start the processes."""
    model_settings = settings_with(model, LOREMARK_PLANS_FILE=plan_with(tmp_path, 1_000_000_000))
    async with run_service(settings_for(tmp_path, loremark.database_url)) as service:
        memory = await project_with_facts(service)
    loremark.settings |= {**model_settings, "LOREMARK_TICKET_TTL_S": "600"}
    async with AsyncExitStack() as stack:
        port = free_port()
        if request.param == "separate":
            folder = tmp_path / "elsewhere"
            folder.mkdir()
            worker_loremark = Loremark(
                folder, loremark.database_url, {**loremark.settings, "LOREMARK_WORKER_SECRET": SECRET}
            )
            worker = stack.enter_context(worker_loremark.start("worker", port))
            loremark.settings["LOREMARK_WORKER_URL"] = worker.url
            api = stack.enter_context(loremark.start())
            url = f"{worker.url}/ask"
        else:
            worker_loremark = loremark
            api = worker = stack.enter_context(loremark.start(port=port))
            url = f"{api.url}/worker/ask"
        await asyncio.to_thread(api.wait_ready, 90)
        await asyncio.to_thread(worker.wait_ready, 90)
        limits = httpx.Limits(max_connections=300)
        http = await stack.enter_async_context(httpx.AsyncClient(timeout=60, verify=False, limits=limits))
        database = await open_database(databases.storage_address(loremark.database_url), pool=2)
        stack.push_async_callback(database.close)
        yield Deployment(worker_loremark, api, worker, url, http, database, memory.owner.key, memory.tool.project_id)


async def _read_rest(streamed: StreamedAnswer, lines: AsyncIterator[str]) -> None:
    async for line in lines:
        streamed.add_line(line)


async def _read_interrupted(deployment: Deployment, ticket: str, action: Any) -> StreamedAnswer:
    """Read a few tokens, run ``action``, and read on until the connection breaks."""
    streamed = StreamedAnswer(200)
    async with open_stream(deployment.http, deployment.url, ticket, QUESTION) as answer:
        lines = answer.aiter_lines()
        while len(streamed.tokens) < 4:
            streamed.add_line(await anext(lines))
        await action()
        with pytest.raises(httpx.HTTPError):
            await _read_rest(streamed, lines)
    return streamed


async def test_killed_worker_keeps_completed_answers_and_frees_its_ticket(
    deployment: Deployment, model: ScriptedModel
) -> None:
    """Completed answers are stored; an unfinished one is neither stored nor charged, and can be asked again."""
    first = await ask(deployment.http, deployment.url, await deployment.ticket())
    assert first.done.get("answer") == "all is well", (first.done, deployment.worker.output)
    model.always(Say(LONG, each_s=0.02))
    ticket = await deployment.ticket()

    async def kill() -> None:
        await asyncio.to_thread(deployment.worker.kill)

    await _read_interrupted(deployment, ticket, kill)
    assert [row["content"] for row in await deployment.rows(chat_messages)] == [QUESTION, "all is well"]
    assert await deployment.spent() == _COST
    (stream,) = await deployment.rows(answer_streams)
    assert 0 < stream["expires_at_ms"] - clock.now_ms() <= LEASE_MS
    await deployment.expire_streams_at(clock.now_ms() + clock.HOUR_MS)  # a restart may take longer than a lease
    model.always(Say("Three times [1]."))
    with deployment.loremark.start(
        "serve" if deployment.worker is deployment.api else "worker", deployment.worker.port
    ) as restarted:
        await asyncio.to_thread(restarted.wait_ready, 90)
        refused = await ask(deployment.http, deployment.url, ticket)
        assert refused.status == 429
        assert "retry after" in refused.body
        await deployment.expire_streams_at(clock.now_ms() - 1)  # expired
        streamed = await ask(deployment.http, deployment.url, ticket)
        assert streamed.done["answer"].startswith("Three times")
        assert await deployment.rows(answer_streams) == []
        assert len(await deployment.rows(chat_messages)) == 4
        assert await deployment.spent() == 2 * _COST
        assert len(await deployment.rows(ai_reservations)) <= 1, (
            "only that of the killed process, which expires by itself"
        )


async def test_stopped_worker_stores_its_partial_answer(deployment: Deployment, model: ScriptedModel) -> None:
    model.always(Say(LONG, each_s=0.02))

    async def stop() -> None:
        assert await asyncio.to_thread(deployment.worker.stop) == 0, deployment.worker.output

    streamed = await _read_interrupted(deployment, await deployment.ticket(), stop)
    assert "Traceback" not in deployment.worker.output
    assert not [event for event in streamed.events if event["type"] == "done"]
    question, partial = await deployment.rows(chat_messages)
    assert question["content"] == QUESTION
    assert partial["content"].startswith(streamed.text[:20])
    assert len(partial["content"]) < len(LONG)
    assert await deployment.spent() == partial["prompt_tokens"] + partial["completion_tokens"] > 0
    assert await deployment.rows(ai_reservations) == await deployment.rows(answer_streams) == []


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
async def test_one_process_answers_many_concurrent_questions(
    deployment: Deployment, model: ScriptedModel, count: int
) -> None:
    """No answer is lost or duplicated, and each is stored and charged once."""
    model.always(Say("The payment worker retries a failed charge three times [1].", each_s=0.01))
    tickets = [await deployment.ticket() for _ in range(count)]
    answers = await asyncio.gather(*(ask(deployment.http, deployment.url, ticket) for ticket in tickets))
    assert [answer.status for answer in answers] == [200] * count
    assert {answer.done["answer"] for answer in answers} == {answers[0].done["answer"]}
    assert len(await deployment.rows(chat_messages)) == 2 * count
    assert await deployment.spent() == _COST * count
    assert await deployment.rows(ai_reservations) == await deployment.rows(answer_streams) == []
    assert "Traceback" not in deployment.worker.output
