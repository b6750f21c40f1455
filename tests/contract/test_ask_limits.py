"""The contract's limits on ask: accepted at the limit and refused beyond it."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from loremark.base import clock, limits
from loremark.base.settings import Settings
from loremark.wire.answers import AnswerDone, AnswerToken, EmbedUsage, Source, TokenUsage
from tests.contract.cast import Cast
from tests.contract.contract import load
from tests.contract.examples_ask import QUESTION, make_ticket
from tests.features.ask_client import ask, project_with_facts, read_stream, ticket_for
from tests.servers.scripted_model import Say, ScriptedModel

pytestmark = pytest.mark.anyio

CONTRACT = load()
PATH = "/api/v2/ask"


def _figure(name: str) -> int:
    value = CONTRACT.limit(name).value
    assert value is not None
    return int(value)


async def test_ask_rate_limit_per_team(cast: Cast) -> None:
    most = _figure("rate.ask")
    minute_ms = (clock.now_ms() // 60_000 - 2) * 60_000
    async with cast.elsewhere(LOREMARK_ROUTE_LIMITS="login=1000/minute") as service:
        owner = await service.owner()
        project = await owner.create_project()
        other = await service.join(owner, "admin")
        body = {"projectId": project, "question": QUESTION}
        with clock.use(lambda: minute_ms + 18_500):
            statuses = [(await person.post(PATH, body)).status_code for person in (owner, other) * (most // 2)]
            assert statuses == [200] * most
            refused = await other.post(PATH, body)
            assert refused.status_code == 429
            assert refused.json() == {"error": "Rate limit exceeded. Please retry after 42 seconds."}
            assert refused.headers["retry-after"] == "42"
            stranger = await service.owner("Others")
            other_question = {"projectId": await stranger.create_project(), "question": QUESTION}
            assert (await stranger.post(PATH, other_question)).status_code == 200
        with clock.use(lambda: minute_ms + 60_000):
            assert (await owner.post(PATH, body)).status_code == 200


async def test_ticket_expires_after_a_minute(cast: Cast) -> None:
    valid_ms = _figure("time.ticket") * 1000
    assert Settings().ticket_ttl_s * 1000 == valid_ms
    for late_ms, status in ((-1, 200), (0, 401)):
        issued_ms = clock.now_ms() - valid_ms
        with clock.use(lambda now_ms=issued_ms: now_ms):  # type: ignore[misc]
            ticket = await make_ticket(cast.owner, await cast.project())
        with clock.use(lambda now_ms=issued_ms + valid_ms + late_ms: now_ms):  # type: ignore[misc]
            answer_stream = await ask(cast.service.http, "/worker/ask", ticket, QUESTION)
        assert answer_stream.status == status, answer_stream.body


@pytest.mark.parametrize(
    "said",
    [Say("The worker retries three times [1].", pause_s=2.6), Say("It retries three times [1].", each_s=0.4)],
    ids=["silent", "speaking"],
)
async def test_stream_sends_keep_alives(cast: Cast, said: Say) -> None:
    """Every second in this test, while the model is silent and while it is slow."""
    assert Settings().keepalive_s == _figure("time.keep_alive")
    with ScriptedModel() as model:
        model.always(said)
        settings = {"LOREMARK_LLM_MEDIUM": "openai:scripted-1", "LOREMARK_LLM_BASE_URL": model.base_url()}
        async with cast.elsewhere(LOREMARK_KEEPALIVE_S="1", **settings) as service:
            memory = await project_with_facts(service)
            given = await ticket_for(memory.owner, memory.tool.project_id)
            answer_stream = await ask(service.http, "/worker/ask", given["ticket"])
    assert set(answer_stream.comments) == {CONTRACT.constants["keep_alive_comment"]}
    assert len(answer_stream.comments) >= 2
    assert "answer" in answer_stream.done


def test_stream_duration_limit() -> None:
    """The configured value; its effect is tested in tests/features/test_ask_streams.py."""
    assert _figure("time.answer_stream") * 1000 == limits.ANSWER_STREAM_MS


async def test_ticket_allows_one_stream_at_a_time(cast: Cast) -> None:
    assert _figure("count.streams_per_ticket") == 1
    with ScriptedModel() as model:
        model.always(Say("The worker retries three times [1].", pause_s=1.5))
        settings = {"LOREMARK_LLM_MEDIUM": "openai:scripted-1", "LOREMARK_LLM_BASE_URL": model.base_url()}
        async with cast.elsewhere(**settings) as service:
            memory = await project_with_facts(service)
            ticket = (await ticket_for(memory.owner, memory.tool.project_id))["ticket"]
            answer_stream = await asyncio.gather(*(ask(service.http, "/worker/ask", ticket) for _ in range(3)))
            assert sorted(one.status for one in answer_stream) == [200, 429, 429]
            assert (await ask(service.http, "/worker/ask", ticket)).status == 200


async def test_source_similarity_and_event_fields(cast: Cast) -> None:
    limit = CONTRACT.limit("score.similarity")
    async with cast.elsewhere() as service:
        memory = await project_with_facts(service)
        given = await ticket_for(memory.owner, memory.tool.project_id)
        async with service.http.stream(
            "POST", "/worker/ask", json={"ticket": given["ticket"], "question": "Where are sessions kept?"}
        ) as answer:
            answer_stream = await read_stream(answer)
    assert limit.min is not None
    assert limit.max is not None
    assert answer_stream.done["sources"]
    assert all(limit.min <= source["similarity"] <= limit.max for source in answer_stream.done["sources"])
    known = {event.name: event for event in CONTRACT.events("stream")}
    for event in answer_stream.events:
        fields = set(event) - {"type"}
        row = known[event["type"]]
        assert set(row.fields) - set(row.optional) <= fields <= set(row.fields)
    for name, kind in (("sources", Source), ("usage", TokenUsage), ("embedUsage", EmbedUsage)):
        assert _names(kind) == set(known["done"].nested[name])
    assert _names(AnswerDone) == {"type", *known["done"].fields}
    assert _names(AnswerToken) == {"type", *known["token"].fields}


def _names(kind: type[Any]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(kind)}
