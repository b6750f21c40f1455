"""The list of models and their test: one call, metered, and one sentence for whatever is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.features.ask_client import plan_with, reserved, used
from tests.features.memory_project import Memory, save
from tests.servers.process import free_port
from tests.servers.scripted_model import Hang, Raw, Refuse, Reply, Say, ScriptedModel
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

KEY = "sk-only-the-server-knows"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
async def service(
    model: ScriptedModel, database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Service]:
    """A server with a medium model and embeddings on the scripted server, and no small model."""
    marker = request.node.get_closest_marker("settings")
    overrides = {
        "LOREMARK_LLM_MEDIUM": "openai:scripted-1",
        "LOREMARK_LLM_BASE_URL": model.base_url(),
        "LOREMARK_LLM_API_KEY": KEY,
        "LOREMARK_LLM_TIMEOUT_S": "2",
        **(dict(marker.kwargs) if marker else {}),
    }
    if "AI_TOKENS" in overrides:
        overrides["LOREMARK_PLANS_FILE"] = plan_with(tmp_path, int(overrides.pop("AI_TOKENS")))
    async with run_service(settings_for(tmp_path, database_url, **overrides)) as running:
        yield running


async def _test(owner: Person, purpose: str) -> dict[str, Any]:
    answer = await owner.post("/api/models/test", {"purpose": purpose})
    assert answer.status_code == 200, answer.text
    assert KEY not in answer.text
    result: dict[str, Any] = answer.json()
    return result


async def test_models_and_their_test(service: Service, model: ScriptedModel) -> None:
    owner = await service.owner()
    listed = await owner.get("/api/models")
    assert KEY not in listed.text
    assert [(entry["purpose"], entry["model"], entry["server"], entry["hasKey"]) for entry in listed.json()] == [
        ("medium", "openai:scripted-1", model.base_url(), True),
        ("small", "builtin", None, False),
        ("embeddings", "loremark-30m-q8", None, False),
        ("reader", "loremark-reader-1", None, False),
    ]
    assert model.requests == []

    result = await _test(owner, "medium")
    assert result["ok"]
    assert result["message"].startswith("It answered in ")
    assert result["message"].endswith(" and used 18 tokens.")
    assert result["totalTokens"] == 18
    assert result["latencyMs"] < 10_000
    assert (await used(service))["ai_tokens"] == 18, "the team pays for the test"
    assert await reserved(service) == 0

    assert (await _test(owner, "small"))["message"] == ("No language model is configured; the built-in engine is used.")
    for builtin in ("embeddings", "reader"):
        result = await _test(owner, builtin)
        assert result["ok"], result
        assert result["message"].startswith("It answered in ")
    assert len(model.requests) == 1
    refused = await owner.post("/api/models/test", {"purpose": "large"})
    assert refused.status_code == 400
    assert "purpose" in refused.json()["error"]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Refuse(401, f"Incorrect API key: {KEY}"), "The model server rejected the API key (401)."),
        (
            Refuse(404, "The model `scripted-1` does not exist."),
            "The model server does not know this model (404): The model `scripted-1` does not exist.",
        ),
        (Refuse(404, "Not Found"), "The model server has no such API at this address (404); check its URL."),
        (Raw(b"<html>", "text/html"), "The model server's response is invalid."),
        (Hang(), "The model did not answer within 2 s."),
    ],
)
async def test_what_is_wrong_is_one_sentence(
    service: Service, model: ScriptedModel, reply: Reply, message: str
) -> None:
    owner = await service.owner()
    model.always(reply)
    result = await _test(owner, "medium")
    assert (result["ok"], result["message"]) == (False, message)
    assert await reserved(service) == 0


async def test_model_that_is_still_thinking_works(service: Service, model: ScriptedModel) -> None:
    model.always(Say("", finish="length", completion_tokens=200))
    result = await _test(await service.owner(), "medium")
    assert (result["ok"], result["totalTokens"]) == (True, 211)


@pytest.mark.settings(LOREMARK_LLM_BASE_URL=f"http://127.0.0.1:{free_port()}/v1")
async def test_server_that_is_down(service: Service) -> None:
    owner = await service.owner()
    result = await _test(owner, "medium")
    assert (result["ok"], result["message"]) == (False, "The model server cannot be reached: connection refused.")
    for _ in range(4):
        await _test(owner, "medium")
    assert (await _test(owner, "medium"))["message"].endswith(
        "calls are paused for up to 30 s; the last failure: the model server cannot be reached: connection refused."
    )


@pytest.mark.settings(AI_TOKENS="100")
async def test_team_without_tokens(service: Service, model: ScriptedModel) -> None:
    result = await _test(await service.owner(), "medium")
    assert (result["ok"], result["message"]) == (False, "The team has no AI tokens left for a test.")
    assert model.requests == []


@pytest.mark.settings(LOREMARK_EMBEDDINGS="openai:embed", LOREMARK_LLM_MEDIUM="builtin")
async def test_remote_embeddings(service: Service, model: ScriptedModel) -> None:
    owner = await service.owner()
    (entry,) = [entry for entry in (await owner.get("/api/models")).json() if entry["purpose"] == "embeddings"]
    assert (entry["model"], entry["server"], entry["hasKey"]) == ("openai:embed", model.base_url(), True)
    result = await _test(owner, "embeddings")  # the scripted server has no embeddings
    assert (result["ok"], result["message"]) == (
        False,
        "The model server has no such API at this address (404); check its URL.",
    )


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_servers_are_hidden_where_anyone_can_register(service: Service, model: ScriptedModel) -> None:
    listed = await (await service.owner()).get("/api/models")
    assert [entry["server"] for entry in listed.json()] == ["hidden", None, None, None]
    assert str(model.port) not in listed.text


async def test_session_warns_in_the_same_words(service: Service, model: ScriptedModel) -> None:
    model.always(Refuse(401))
    memory = await Memory.of(service)
    sent = await memory.send(save(("decision", "Use PgBouncer", "We decided to use PgBouncer in transaction mode.")))
    job = await memory.enrich(sent["sessionId"])
    assert job["status"] == "completed"
    assert "the model server rejected the API key (401)" in job["warning"]
