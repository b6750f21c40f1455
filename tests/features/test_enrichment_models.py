"""The pipeline with a language model, including its failures."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from loremark.storage.tables import ai_reservations, item_vectors, usage_counters
from tests.features.ask_client import plan_with
from tests.features.memory_project import Memory, save
from tests.servers.scripted_model import Drop, Hang, Refuse, Reply, Say, ScriptedModel
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

BUG = (
    "bugfix",
    "Fix double charge on retry",
    "The payment worker charged twice because the idempotency key was made anew on every retry.",
)
COST = 11 + 7


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
async def service(
    model: ScriptedModel, database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Service]:
    """The service with the scripted model for both tiers."""
    marker = request.node.get_closest_marker("settings")
    overrides = {
        "LOREMARK_LLM_SMALL": "openai:scripted-1",
        "LOREMARK_LLM_MEDIUM": "openai:scripted-1",
        "LOREMARK_LLM_BASE_URL": model.base_url(),
        "LOREMARK_LLM_API_KEY": "sk-test-nobody-sees-this",
        "LOREMARK_LLM_TIMEOUT_S": "2",
        **(dict(marker.kwargs) if marker else {}),
    }
    if "AI_TOKENS" in overrides:
        overrides["LOREMARK_PLANS_FILE"] = plan_with(tmp_path, int(overrides.pop("AI_TOKENS")))
    async with run_service(settings_for(tmp_path, database_url, **overrides)) as running:
        yield running


def reply_with_item(**item: Any) -> Say:
    """An answer with one item of the session."""
    fields = {
        "verdict": "new",
        "known": "",
        "title": "Retries charge once",
        "content": "The idempotency key was made anew on every retry, so the payment worker charged twice.",
        "type": "bug",
        "files": [],
        "schemaKey": "root/payments",
        "confidence": 0.9,
        "quotes": [{"turn": 1, "quote": "the idempotency key was made anew on every retry"}],
        **item,
    }
    return Say(json.dumps({"items": [fields]}))


TALK = {
    "notes": "We never retry a payment more than 5 times. The bank blocks us otherwise.",
    "summary": "Understood, at most 5 retries now.",
    "agent": "claude-code",
}
RULE = {
    "title": "Retry a payment at most 5 times",
    "content": "A payment is retried at most 5 times, because the bank blocks us otherwise.",
    "type": "convention",
    "quotes": [{"turn": 1, "quote": "We never retry a payment more than 5 times."}],
}


async def test_a_model_that_finds_nothing_leaves_nothing_of_a_conversation(
    service: Service, model: ScriptedModel
) -> None:
    model.always(Refuse(400))
    memory = await Memory.of(service)
    await memory.learn(TALK)
    assert [item["title"] for item in await memory.items()] != []  # by the rules
    model.always(Say(json.dumps({"items": []})))
    before = await memory.items()
    job = await memory.learn({**TALK, "notes": TALK["notes"].replace("payment", "refund")})
    assert "warning" not in job
    assert await memory.items() == before


async def test_a_later_session_supersedes_what_an_earlier_one_settled(service: Service, model: ScriptedModel) -> None:
    model.always(reply_with_item(**RULE))
    memory = await Memory.of(service)
    await memory.learn(TALK)
    (old,) = await memory.items()
    changed = {
        **RULE,
        "title": "Retry a payment at most 2 times",
        "content": "A payment is retried at most 2 times.",
        "quotes": [{"turn": 1, "quote": "at most 2 times from now on"}],
        "verdict": "supersedes",
        "known": old["id"],
    }
    model.always(reply_with_item(**changed))
    await memory.learn({**TALK, "notes": "Retry a payment at most 2 times from now on."})
    assert f"[{old['id']}] (convention, unreviewed" in model.requests[-1].text
    now = {item["title"]: item for item in await memory.items()}
    assert now["Retry a payment at most 2 times"]["status"] == "draft"
    assert (await memory.item(old["id"]))["status"] == "deprecated"


@pytest.mark.parametrize(
    ("sureness", "branch", "is_replaced"), [(0.9, None, True), (0.0, None, False), (0.9, "feature/none", False)]
)
async def test_a_reading_replaces_a_reviewed_item_only_where_it_is_served_itself(
    service: Service, model: ScriptedModel, sureness: float, branch: str | None, is_replaced: bool
) -> None:
    model.always(reply_with_item(**RULE))
    memory = await Memory.of(service)
    await memory.learn(TALK)
    await memory.approve_all()
    (old,) = await memory.items()
    said = {"title": "Payments are retried for ever", "content": "A payment is retried until it succeeds."}
    quote = [{"turn": 1, "quote": "payments are retried until they succeed"}]
    changed = {**said, "quotes": quote, "confidence": sureness, "verdict": "supersedes", "known": old["id"]}
    model.always(reply_with_item(**changed))
    there = {"branch": branch} if branch else {}
    await memory.learn({**TALK, **there, "notes": "From now on payments are retried until they succeed."})
    assert len(await memory.items()) == 2
    assert ((await memory.item(old["id"]))["supersededBy"] is not None) == is_replaced


async def test_repeating_a_known_item_only_adds_evidence(service: Service, model: ScriptedModel) -> None:
    model.always(reply_with_item(**RULE))
    memory = await Memory.of(service)
    await memory.learn(TALK)
    (old,) = await memory.items()
    words = {"title": "Payments: five retries", "content": "Five retries, said again.", "type": "convention"}
    quote = [{"turn": 1, "quote": "five retries, as we said"}]
    model.always(reply_with_item(**words, quotes=quote, verdict="repeats", known=old["id"]))
    await memory.learn({**TALK, "notes": "Keep to five retries, as we said."})
    (item,) = await memory.items()
    assert (item["title"], item["content"]) == (old["title"], old["content"])
    assert [entry["quote"] for entry in item["evidence"]] == [RULE["quotes"][0]["quote"], "five retries, as we said"]  # type: ignore[index]


async def _used(service: Service) -> dict[str, int]:
    async with service.runtime.database.read() as tx:
        return {row["counter"]: row["used"] for row in await tx.many(select(usage_counters))}


async def _reserved(service: Service) -> int:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(ai_reservations)))


async def test_model_items_quote_the_event(service: Service, model: ScriptedModel) -> None:
    model.always(reply_with_item())
    memory = await Memory.of(service)
    sent = await memory.send(save(BUG))
    job = await memory.enrich(sent["sessionId"])
    assert (job["status"], job.get("warning")) == ("completed", None)
    (item,) = await memory.items()
    assert item["title"] == "Retries charge once"
    quotes = [(quote["eventId"], quote["quote"]) for quote in item["evidence"]]
    assert quotes == [(sent["eventId"], "the idempotency key was made anew on every retry")]
    assert (await memory.session(sent["sessionId"]))["enrichmentModel"] == "openai:scripted-1"
    assert (await _used(service))["ai_tokens"] == COST
    assert await _reserved(service) == 0
    (request,) = model.requests
    assert "sk-test" not in request.text


@pytest.mark.parametrize(
    "invented",
    [
        {"quotes": [{"turn": 1, "quote": "the ledger was locked for an hour"}]},
        {"quotes": []},
        {"content": "The idempotency key was made anew on every retry; 14 customers paid twice."},
        {"type": "legend"},
    ],
    ids=["quote", "no quote", "number", "type"],
)
async def test_unsupported_model_items_are_dropped(
    service: Service, model: ScriptedModel, invented: dict[str, Any]
) -> None:
    model.always(reply_with_item(**invented))
    memory = await Memory.of(service)
    job = await memory.learn(save(BUG))
    assert job["status"] == "completed"
    (item,) = await memory.items()
    assert item["title"] == "Fix double charge on retry"  # found by the built-in engine
    assert "14 customers" not in item["content"]


FAILURES: dict[str, Reply] = {
    "not JSON": Say("I would rather talk about the weather."),
    "half of the JSON": Say('{"items": [{"event": 1, "title": "Retr'),
    "nothing": Say(""),
    "429": Refuse(429, headers={"Retry-After": "60"}),
    "500": Refuse(500),
    "401": Refuse(401),
    "time-out": Hang(),
    "no answer": Drop(),
    "half an answer": Say(json.dumps({"items": []}), cut_after=1),
}


@pytest.mark.parametrize("reply", FAILURES.values(), ids=FAILURES)
async def test_built_in_engine_replaces_a_failing_model_with_a_warning(
    service: Service, model: ScriptedModel, reply: Reply
) -> None:
    model.always(reply)
    memory = await Memory.of(service)
    sent = await memory.send(save(BUG))
    job = await memory.enrich(sent["sessionId"])
    assert job["status"] == "completed"
    assert "built-in engine" in job["warning"]
    assert "sk-test" not in job["warning"]
    (item,) = await memory.items()
    assert item["type"] == "bug"
    assert (await memory.session(sent["sessionId"]))["enrichmentModel"] == "builtin-medium"
    assert model.requests
    assert await _reserved(service) == 0


@pytest.mark.settings(AI_TOKENS="5600")
async def test_call_that_could_exceed_the_token_limit_is_not_made(service: Service, model: ScriptedModel) -> None:
    """The first call fits; the remaining tokens are less than a second call could cost."""
    model.always(lambda request: Say(json.dumps({"items": []}), prompt_tokens=800, completion_tokens=300))
    memory = await Memory.of(service)
    first = await memory.learn(save(BUG))
    assert "warning" not in first
    calls = len(model.requests)
    assert calls == 1
    second = await memory.learn(save(("decision", "Use Redis streams", "We decided to use Redis streams for jobs.")))
    assert second["status"] == "completed"
    assert "AI token limit" in second["warning"]
    assert len(model.requests) == calls
    assert (await _used(service))["ai_tokens"] == 1_100
    assert len(await memory.items()) == 2


@pytest.mark.settings(AI_TOKENS="0")
async def test_metered_model_enrichment_needs_tokens(service: Service, model: ScriptedModel) -> None:
    memory = await Memory.of(service)
    sent = await memory.send(save(BUG))
    refused = await memory.owner.post(f"/api/v2/sessions/{sent['sessionId']}/enrich")
    assert (refused.status_code, refused.json()) == (403, {"error": "AI token limit reached"})
    assert not model.requests
    assert (await memory.session(sent["sessionId"]))["status"] == "active"


async def test_a_session_is_read_as_a_whole(service: Service, model: ScriptedModel) -> None:
    model.always(Say(json.dumps({"items": []})))
    memory = await Memory.of(service)
    for number in range(23):
        sent = await memory.send(save((*BUG[:2], f"{BUG[2]} Seen in region {number}.")))
    await memory.enrich(sent["sessionId"])
    (request,) = model.requests
    assert all(f"Seen in region {number}." in request.text for number in range(23))
    assert (await _used(service))["ai_tokens"] == COST


async def test_secrets_are_not_sent_to_a_model(service: Service, model: ScriptedModel) -> None:
    secret = "ghp_" + "9aB3xK7LmQ2rT5vW8yZ1cD4eF6gH0jN2pS4u"
    model.always(Say(json.dumps({"items": []})))
    memory = await Memory.of(service)
    await memory.learn(save((*BUG[:2], f"{BUG[2]} The job used {secret} to log in.")))
    assert all(secret not in request.body.decode() for request in model.requests)
    assert model.requests


@pytest.mark.settings(LOREMARK_EMBEDDINGS="openai:nowhere", LOREMARK_LLM_MEDIUM="builtin", LOREMARK_LLM_SMALL="builtin")
async def test_retry_resumes_at_the_failed_stage(
    service: Service, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loremark.features.enrichment import embed
    from loremark.features.enrichment import service as rules

    monkeypatch.setattr(rules, "_ATTEMPTS", 1)
    monkeypatch.setattr(embed, "_RETRY_MS", 1)
    model.always(Refuse(400))
    memory = await Memory.of(service)
    sent = await memory.send(save(BUG))
    failed = await memory.enrich(sent["sessionId"])
    assert failed["status"] == "failed"
    assert [stage["status"] for stage in failed["pipeline"]] == ["completed", "failed", "pending", "pending"]
    assert "embedder" in failed["warning"]
    assert (await memory.session(sent["sessionId"]))["status"] == "failed"
    assert await memory.items() == []
    retried = await memory.owner.post(f"/api/v2/sessions/{sent['sessionId']}/retry")
    assert retried.status_code == 202
    assert retried.json() == {"jobId": retried.json()["jobId"], "status": "queued", "retriedFrom": failed["id"]}
    await service.wait_for_jobs(20)
    again = (await memory.jobs(sent["sessionId"]))[0]
    assert [stage["status"] for stage in again["pipeline"]] == ["completed", "failed", "pending", "pending"]
    assert again["pipeline"][0] == failed["pipeline"][0]  # not run again


async def test_changing_the_embedder_reembeds_all_items(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loremark.entry import background

    monkeypatch.setattr(background, "_EMBED_EVERY_MS", 100)

    async def models(service: Service) -> set[str]:
        async with service.runtime.database.read() as tx:
            return {row["model"] for row in await tx.many(select(item_vectors.c.model))}

    async with run_service(settings_for(tmp_path, database_url)) as service:
        await (await Memory.of(service)).learn(save(BUG))
        assert await models(service) == {"loremark-30m-q8"}
    async with run_service(settings_for(tmp_path, database_url, LOREMARK_EMBEDDINGS="builtin:fp32")) as service:
        import asyncio

        async with asyncio.timeout(60):
            while await models(service) != {"loremark-30m"}:
                await asyncio.sleep(0.05)
