"""The token limit under load: a hundred concurrent questions, with tokens for some of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.features.ask_client import (
    AnswerServer,
    messages,
    open_streams,
    plan_with,
    project_with_facts,
    reserved,
    run_answer_server,
    settings_with,
    ticket_for,
    used,
)
from tests.servers.scripted_model import Say, ScriptedModel
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

_QUESTIONS = 100
_PROMPT, _ANSWER = 500, 1_000
_CAP = 30 * (_PROMPT + _ANSWER)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        running.always(Say("Three times [1].", prompt_tokens=_PROMPT, completion_tokens=_ANSWER))
        yield running


@pytest.fixture
async def service(model: ScriptedModel, database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    overrides = {**settings_with(model), "LOREMARK_PLANS_FILE": plan_with(tmp_path, _CAP)}
    async with run_service(settings_for(tmp_path, database_url, **overrides)) as running:
        yield running


@pytest.fixture
async def answer_server(service: Service, tmp_path: Path) -> AsyncIterator[AnswerServer]:
    async with run_answer_server("mounted", service, tmp_path) as running:
        yield running


async def test_hundred_concurrent_questions_never_exceed_the_token_limit(
    service: Service, answer_server: AnswerServer, model: ScriptedModel
) -> None:
    memory = await project_with_facts(service)
    tickets = [str((await ticket_for(memory.owner, memory.tool.project_id))["ticket"]) for _ in range(_QUESTIONS)]
    streamed = await asyncio.gather(*(answer_server.ask(ticket) for ticket in tickets))
    answers = Counter((one.status, one.done.get("error", "answered")) for one in streamed)
    spent = (await used(service))["ai_tokens"]
    print(f"\n{_QUESTIONS} asked at once: {dict(answers)}; {spent} of {_CAP} tokens spent")
    answered = answers.pop((200, "answered"))
    assert set(answers) == {(200, "AI token limit reached")}
    assert answered * (_PROMPT + _ANSWER) == spent <= _CAP
    assert len(model.requests) == answered, "every model call is counted"
    assert answered >= 15, "unspent reservations are released"
    assert await reserved(service) == 0
    assert await open_streams(service) == 0
    assert len(await messages(service)) >= 2 * answered
