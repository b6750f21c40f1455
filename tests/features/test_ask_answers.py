"""Answers: text, sources, token usage and storage."""

from __future__ import annotations

import asyncio
import json
import struct
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from loremark.base.caller import Scope
from loremark.base.plans import load_plans
from loremark.features.metering import service as metering
from loremark.features.metering import store as metering_store
from loremark.memory.answering.extractive_answer import NO_ANSWER
from loremark.ports.llm import tokens
from loremark.ports.reader.reader import ReaderFailed
from loremark.storage.tables import item_vectors
from tests.features.ask_client import (
    FACTS,
    MODEL,
    QUESTION,
    StreamedAnswer,
    ask,
    messages,
    open_streams,
    plan_with,
    project_with_facts,
    reserved,
    settings_with,
    ticket_for,
    used,
)
from tests.features.memory_project import Memory
from tests.servers.scripted_model import Drop, Refuse, Reply, Say, ScriptedModel
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

SESSIONS = "Where are sessions kept?"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
async def model_service(
    model: ScriptedModel, database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Service]:
    """The service with the scripted model for both tiers; ``@pytest.mark.settings(AI_TOKENS=…)`` bounds the plan."""
    marker = request.node.get_closest_marker("settings")
    overrides = dict(marker.kwargs) if marker else {}
    if "AI_TOKENS" in overrides:
        overrides["LOREMARK_PLANS_FILE"] = plan_with(tmp_path, overrides.pop("AI_TOKENS"))
    async with run_service(settings_for(tmp_path, database_url, **settings_with(model, **overrides))) as running:
        yield running


async def _ask(memory: Memory, question: str = QUESTION, **more: Any) -> StreamedAnswer:
    issued = await ticket_for(memory.owner, memory.tool.project_id, question, **more)
    return await ask(memory.service.http, "/worker/ask", issued["ticket"], question)


async def _chat(memory: Memory) -> str:
    listed = await memory.owner.get(f"/api/v2/chat-sessions?projectId={memory.tool.project_id}")
    return str(listed.json()["sessions"][0]["id"])


async def _tokens_left(memory: Memory) -> int:
    """The team's tokens that are neither used nor reserved."""
    async with memory.service.runtime.database.read() as tx:
        return await metering.tokens_left(tx, Scope(memory.owner.team_id), load_plans("team").get("team"))


async def _leave_tokens(memory: Memory, remaining: int) -> None:
    """Use up the team's tokens except for this many."""
    surplus = await _tokens_left(memory) - remaining
    async with memory.service.runtime.database.write() as tx:
        await metering_store.count(tx, Scope(memory.owner.team_id), metering.period(), metering.AI_TOKENS, surplus)


async def test_answer_without_a_model_quotes_the_memory(service: Service) -> None:
    memory = await project_with_facts(service)
    before = (await used(service))["builtin_tokens"]
    streamed = await _ask(memory)
    done = streamed.done
    assert len(streamed.tokens) > 5
    assert streamed.text == done["answer"]
    assert "retries a failed charge three times" in done["answer"]
    cited = [source for source in done["sources"] if source["used"]]
    assert [(source["title"], source["facts"], source["files"]) for source in cited] == [
        (FACTS[0][0], FACTS[0][1], [FACTS[0][2]])
    ]
    similarities = [source["similarity"] for source in done["sources"]]
    assert all(0.5 <= similarity <= 1 for similarity in similarities)
    assert done["avgSimilarity"] == pytest.approx(sum(similarities) / len(similarities), abs=1e-3)
    assert done["model"] == "builtin-medium"
    assert done["embedUsage"]["totalTokens"] > 5
    usage = done["usage"]
    assert usage["completionTokens"] == tokens.count(done["answer"])
    assert usage["totalTokens"] == usage["promptTokens"] + usage["completionTokens"]
    counted = await used(service)
    assert counted["builtin_tokens"] == before + usage["totalTokens"]
    assert "ai_tokens" not in counted
    asked, answered = (await memory.owner.get(f"/api/v2/chat-sessions/{await _chat(memory)}/messages")).json()[
        "messages"
    ]
    assert (asked["role"], asked["content"], asked["model"]) == ("user", QUESTION, None)
    assert (answered["content"], answered["sources"]) == (done["answer"], done["sources"])
    assert (answered["totalTokens"], answered["model"]) == (usage["totalTokens"], "builtin-medium")


async def test_question_not_covered_by_memory_is_answered_as_such(model_service: Service, model: ScriptedModel) -> None:
    """No model is called: without sources it could only hallucinate."""
    memory = await project_with_facts(model_service)
    streamed = await _ask(memory, "Which colour does the moon have on a Tuesday in Lisbon?")
    done = streamed.done
    assert (done["sources"], done["avgSimilarity"]) == ([], 0)
    assert "memory" in done["answer"]
    assert done["model"] == "builtin-medium"
    assert model.requests == []


async def test_word_match_is_shown_with_the_minimum_similarity(service: Service) -> None:
    """With a low similarity, the words still find the item and the answer cites it."""
    memory = await project_with_facts(service)
    async with service.runtime.database.write() as tx:
        for row in await tx.many(select(item_vectors.c.item_id, item_vectors.c.vector)):
            (scale,) = struct.unpack("<f", row["vector"][:4])
            scaled = struct.pack("<f", scale * 0.25) + row["vector"][4:]
            await tx.run(update(item_vectors).where(item_vectors.c.item_id == row["item_id"]).values(vector=scaled))
    path = f"/api/v2/search?projectId={memory.tool.project_id}&q={QUESTION}&minSimilarity=0"
    found = (await memory.owner.get(path)).json()["results"][0]
    assert (found["title"], 0 < found["similarity"] < 0.5) == (FACTS[0][0], True)
    done = (await _ask(memory)).done
    assert "three times" in done["answer"]
    [source] = done["sources"]
    assert (source["title"], source["used"], source["similarity"]) == (FACTS[0][0], True, 0.5)
    assert done["avgSimilarity"] == 0.5


async def test_a_near_miss_is_not_answered(service: Service) -> None:
    """The search finds the item as well as for a question that it answers; only reading it tells the difference."""
    memory = await project_with_facts(service)
    done = (await _ask(memory, "Who wrote the payment worker that charges the cards?")).done
    assert [source for source in done["sources"] if source["used"]] == []
    assert done["answer"].startswith(NO_ANSWER)


async def test_without_the_reader_the_similarity_decides(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: object) -> None:
        raise ReaderFailed("the weights of the reader are not installed")

    monkeypatch.setattr(service.runtime.engines.reader, "read", fail)
    memory = await project_with_facts(service)
    assert "three times" in (await _ask(memory)).done["answer"]
    unknown = (await _ask(memory, "Which colour does the moon have on a Tuesday in Lisbon?")).done
    assert unknown["answer"] == NO_ANSWER


async def test_drafts_and_deprecated_items_are_never_cited(service: Service) -> None:
    memory = await project_with_facts(service)
    for item in await memory.items():
        status = "draft" if item["title"] == FACTS[0][0] else "deprecated"
        assert (await memory.owner.patch(f"/api/v2/items/{item['id']}", {"status": status})).status_code == 200
    for question in (QUESTION, SESSIONS):
        assert (await _ask(memory, question)).done["sources"] == []


async def test_citations_of_a_model_answer_are_checked(model_service: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(model_service)
    model.always(Say("The payment worker retries a failed charge three times [1]. See also [7]."))
    streamed = await _ask(memory)
    done = streamed.done
    assert streamed.text == "The payment worker retries a failed charge three times [1]. See also [7]."
    assert done["answer"].startswith("The payment worker retries a failed charge three times [1].")
    assert "[7]" not in done["answer"]
    assert [source["title"] for source in done["sources"] if source["used"]] == [FACTS[0][0]]
    assert done["usage"] == {"promptTokens": 11, "completionTokens": 7, "totalTokens": 18}
    assert done["model"] == MODEL
    (request,) = model.requests
    assert FACTS[0][1] in request.text
    assert (await used(model_service))["ai_tokens"] == 18
    assert await reserved(model_service) == 0
    assert [message["content"] for message in await messages(model_service)] == [QUESTION, done["answer"]]


async def test_secrets_in_questions_are_not_sent_to_models(model_service: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(model_service)
    await _ask(memory, f"{QUESTION} I use the key AKIAIOSFODNN7EXAMPLQ for it.")
    assert "AKIAIOSFODNN7EXAMPLQ" not in model.requests[0].text


async def test_follow_up_question_uses_the_first_one(model_service: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(model_service)
    model.always(Say("Sessions live in Redis [1]."))
    await _ask(memory, SESSIONS)
    streamed = await _ask(memory, "And for how long do they live there?", chatSessionId=await _chat(memory))
    assert FACTS[1][0] in [source["title"] for source in streamed.done["sources"]]
    assert "Sessions live in Redis" in model.requests[1].text
    assert len(await messages(model_service)) == 4


REFUSED = "The model provider rejected the request"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Refuse(400), REFUSED),
        (Refuse(401, "bad key"), REFUSED),
        (Say(""), "The model returned an invalid answer"),
    ],
    ids=["400", "401", "empty"],
)
async def test_model_fails_before_the_first_token(
    model_service: Service, model: ScriptedModel, reply: Reply, words: str
) -> None:
    """The final event has our own error text and no answer, and only the cost is stored."""
    memory = await project_with_facts(model_service)
    model.always(reply)
    streamed = await _ask(memory)
    assert streamed.tokens == []
    assert "answer" not in streamed.done
    assert streamed.done["error"] == words
    assert streamed.done["sources"]
    assert await messages(model_service) == []
    assert (await used(model_service)).get("ai_tokens", 0) == streamed.done["usage"]["totalTokens"]
    assert await reserved(model_service) == 0
    assert await open_streams(model_service) == 0


async def test_model_fails_in_the_middle_of_an_answer(model_service: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(model_service)
    model.always(Say("The worker retries three times [1].", cut_after=3))
    streamed = await _ask(memory)
    assert streamed.text == "The worker retr"
    assert "answer" not in streamed.done
    assert streamed.done["error"] == "The model's answer was interrupted"
    _, answered = await messages(model_service)
    assert answered["content"] == "The worker retr"
    spent = answered["prompt_tokens"] + answered["completion_tokens"]
    assert (await used(model_service))["ai_tokens"] == streamed.done["usage"]["totalTokens"] == spent > 0
    assert await reserved(model_service) == 0


@pytest.mark.settings(AI_TOKENS=500)
async def test_call_that_could_exceed_the_token_limit_is_not_made(model_service: Service, model: ScriptedModel) -> None:
    """There are tokens left, so a ticket is issued, but an answer could cost more."""
    memory = await project_with_facts(model_service)
    streamed = await _ask(memory)
    assert streamed.done["error"] == "AI token limit reached"
    assert "answer" not in streamed.done
    assert model.requests == []
    assert await reserved(model_service) == 0
    assert (await used(model_service)).get("ai_tokens", 0) == 0


@pytest.mark.settings(LOREMARK_METER_BUILTIN="true")
async def test_metered_built_in_engine_is_charged(service: Service) -> None:
    memory = await project_with_facts(service)
    before = (await used(service))["ai_tokens"]
    streamed = await _ask(memory)
    assert (await used(service))["ai_tokens"] == before + streamed.done["usage"]["totalTokens"]


@pytest.mark.settings(LOREMARK_METER_BUILTIN="true")
async def test_metered_built_in_engine_respects_the_token_limit(service: Service) -> None:
    memory = await project_with_facts(service)
    cost = (await _ask(memory)).done["usage"]["totalTokens"]
    await _leave_tokens(memory, cost - 1)
    spent, message_count = (await used(service))["ai_tokens"], len(await messages(service))
    streamed = await _ask(memory)
    assert (streamed.done["error"], streamed.tokens, "answer" in streamed.done) == ("AI token limit reached", [], False)
    assert streamed.done["usage"]["totalTokens"] == 0
    assert (await used(service))["ai_tokens"] == spent
    assert (await reserved(service), len(await messages(service))) == (0, message_count)

    await _leave_tokens(memory, cost)
    assert (await _ask(memory)).done["usage"]["totalTokens"] == cost
    for left in (0, 3):  # too few for any answer
        await _leave_tokens(memory, left)
        body = {"projectId": memory.tool.project_id, "question": QUESTION}
        refused = await memory.owner.post("/api/v2/ask", body)
        assert (refused.status_code, refused.json()) == (403, {"error": "AI token limit reached"})


@pytest.mark.settings(LOREMARK_METER_BUILTIN="true")
async def test_concurrent_questions_to_the_metered_engine_respect_the_token_limit(service: Service) -> None:
    memory = await project_with_facts(service)
    cost = (await _ask(memory)).done["usage"]["totalTokens"]
    await _leave_tokens(memory, 3 * cost - 1)
    issued = [await ticket_for(memory.owner, memory.tool.project_id) for _ in range(8)]
    streamed = await asyncio.gather(*(ask(service.http, "/worker/ask", one["ticket"]) for one in issued))
    answered = [one for one in streamed if "answer" in one.done]
    assert len(answered) == 2
    assert {one.done["error"] for one in streamed if one not in answered} == {"AI token limit reached"}
    assert await _tokens_left(memory) == 3 * cost - 1 - len(answered) * cost
    assert await reserved(service) == 0


@pytest.mark.settings(LOREMARK_METER_BUILTIN="true")
async def test_metered_enrichment_does_not_start_without_tokens(service: Service) -> None:
    memory = await project_with_facts(service)
    sent = await memory.send({"operation": "create", "item": {"title": "More", "content": "More."}}, "memory_operation")
    await _leave_tokens(memory, 0)
    refused = await memory.owner.post(f"/api/v2/sessions/{sent['sessionId']}/enrich")
    assert (refused.status_code, refused.json()) == (403, {"error": "AI token limit reached"})
    await _leave_tokens(memory, 1)
    started = await memory.owner.post(f"/api/v2/sessions/{sent['sessionId']}/enrich")
    assert started.status_code == 202
    await service.wait_for_jobs()


async def test_interrupted_attempt_is_counted(model_service: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(model_service)
    model.answer(Drop())
    model.always(Say("Three times [1]."))
    streamed = await _ask(memory)
    assert streamed.done["usage"]["totalTokens"] > 18
    assert (await used(model_service))["ai_tokens"] == streamed.done["usage"]["totalTokens"]


async def test_answer_for_a_deleted_chat_is_still_charged(model_service: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(model_service)
    gate = threading.Event()
    model.always(Say("Three times [1].", gate=gate))
    issued = await ticket_for(memory.owner, memory.tool.project_id)
    pending = asyncio.create_task(ask(model_service.http, "/worker/ask", issued["ticket"]))
    await asyncio.to_thread(model.wait_for, 1)
    assert (await memory.owner.delete(f"/api/v2/chat-sessions/{await _chat(memory)}")).status_code == 200
    gate.set()
    assert (await pending).done["answer"].startswith("Three times")
    assert await messages(model_service) == []
    assert (await used(model_service))["ai_tokens"] == 18
    assert (await ask(model_service.http, "/worker/ask", issued["ticket"])).status == 401


async def test_invalid_characters_in_model_output_are_replaced(model_service: Service, model: ScriptedModel) -> None:
    memory = await project_with_facts(model_service)
    model.always(Say("Three\0 times \ud83d [1]. Größe ✓"))
    streamed = await _ask(memory)
    assert streamed.text == "Three\ufffd times ? [1]. Größe ✓"
    assert "Größe" in json.dumps(streamed.done["answer"], ensure_ascii=False)
