"""Questions that no item covers are answered from what sessions and commits say, marked as unreviewed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.features.ask_client import ask, settings_with, ticket_for
from tests.features.test_recall import Conversation
from tests.servers.scripted_model import Say, ScriptedModel
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

PROMPT = "the HL7 sender hangs up on St. Anna before their ACK arrives, give it 45 seconds"
ANSWER = "Done. The HL7 sender now waits 45 seconds for the ACK of St. Anna. Do you want me to deploy it?"
QUESTION = "How long does the HL7 sender wait for the ACK of St. Anna?"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
async def model_service(model: ScriptedModel, database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with run_service(settings_for(tmp_path, database_url, **settings_with(model))) as running:
        yield running


async def _talk(service: Service) -> tuple[Conversation, str]:
    talk = await Conversation.of(service)
    session = await talk.say(
        "claude-code:1", PROMPT, ANSWER, agent="claude-code", startedAt="2026-11-03T10:00:00Z", files=["src/hl7.py"]
    )
    await talk.say("claude-code:2", "rename the settings page", "Renamed it to Preferences.", agent="claude-code")
    await talk.indexed()
    return talk, session


async def _ask(talk: Conversation, question: str = QUESTION) -> dict[str, Any]:
    ticket = await ticket_for(talk.owner, talk.project, question)
    streamed = await ask(talk.service.http, "/worker/ask", ticket["ticket"], question)
    return dict(streamed.done)


async def test_a_session_answers_what_no_item_covers(service: Service) -> None:
    talk, session = await _talk(service)
    done = await _ask(talk)
    assert done["answer"].startswith("Unreviewed, from a session with claude-code on 2026-11-03: ")
    assert "waits 45 seconds for the ACK of St. Anna. [1]" in done["answer"]
    assert "deploy it?" not in done["answer"]
    assert f"Sources:\n- [1] {PROMPT[:80]}" in done["answer"]
    (source,) = done["sources"]
    assert (source["sessionId"], source["reviewed"], source["used"]) == (session, False, True)
    assert (source["type"], source["title"], source["files"]) == ("implementation", PROMPT[:80], ["src/hl7.py"])
    assert "45 seconds" in source["facts"]
    assert done["avgSimilarity"] == source["similarity"]
    chats = (await talk.owner.get(f"/api/v2/chat-sessions?projectId={talk.project}")).json()["sessions"]
    stored = (await talk.owner.get(f"/api/v2/chat-sessions/{chats[0]['id']}/messages")).json()["messages"]
    assert stored[1]["sources"] == done["sources"]


async def test_a_commit_is_named_by_its_hash(service: Service) -> None:
    talk = await Conversation.of(service)
    commit = {
        "sha": "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678",
        "message": "Wait 45 seconds for the ACK of St. Anna\n\nThe HL7 sender hung up before it arrived.",
        "author": "Olga",
        "date": "2026-11-04T10:00:00Z",
    }
    await talk.send("git_digest", {"commits": [commit], "source": "git"})
    await talk.indexed()
    done = await _ask(talk)
    assert done["answer"].startswith("Unreviewed, from commit a1b2c3d on 2026-11-04: ")
    assert done["sources"][0]["reviewed"] is False


@pytest.mark.parametrize(
    "question",
    [
        "Which colour does the moon have on a Tuesday in Lisbon?",
        "How long does the invoice importer wait for the bank of Estonia?",
        "Who approves the HL7 budget for radiology in Vienna?",
        "What is it for?",
    ],
)
async def test_questions_about_something_else_are_not_answered(service: Service, question: str) -> None:
    talk, _ = await _talk(service)
    done = await _ask(talk, question)
    assert done["sources"] == []
    assert done["answer"].startswith("Nothing in this project's memory answers that question.")


async def test_a_project_can_turn_unreviewed_answers_off(service: Service) -> None:
    talk, _ = await _talk(service)
    await talk.owner.patch(f"/api/projects/{talk.project}", {"showUnreviewed": False})
    done = await _ask(talk)
    assert done["sources"] == []
    assert done["answer"].startswith("Nothing in this project's memory answers that question.")


async def test_a_model_reads_quotations_below_the_items(model_service: Service, model: ScriptedModel) -> None:
    talk, session = await _talk(model_service)
    model.always(Say("According to an unreviewed session of 2026-11-03, it waits 45 seconds [1]."))
    done = await _ask(talk)
    sent = str(model.requests[-1])
    assert "UNREVIEWED: from a session with claude-code on 2026-11-03" in sent
    assert "Nobody has confirmed a passage marked UNREVIEWED" in sent
    assert "it waits 45 seconds [1]" in done["answer"]
    assert [(source["sessionId"], source["used"]) for source in done["sources"]] == [(session, True)]
