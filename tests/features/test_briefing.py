"""Briefings: what was settled before reaches the session that needs it, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from loremark.base.caller import Scope
from loremark.base.phrases import phrase_hashes
from loremark.features.enrichment.records import text_hash
from loremark.features.index import vectors
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.ports.embeddings.vector_packing import pack
from loremark.ports.reader.reader import ReaderFailed
from tests.contract.examples_memory import new_item
from tests.features.test_recall import Conversation
from tests.support.service import Service

pytestmark = pytest.mark.anyio

ACK = "the sender hangs up on St. Anna before their ACK arrives, give it 45 seconds"
TASK = "write the HL7 sender for St. Anna: send the message and wait for the ACK before hanging up"


async def brief(talk: Conversation, prompt: str = "", **fields: Any) -> dict[str, Any]:
    answer = await talk.owner.post(
        "/api/v2/briefing", {"projectId": talk.project, "prompt": prompt, "session": "claude-code:new", **fields}
    )
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def remember(talk: Conversation, **fields: Any) -> str:
    item = new_item(**{"status": "approved", "branch": None, "files": (), **fields})
    scope = Scope(talk.owner.team_id)
    embedder = talk.service.runtime.engines.embedder
    text = records.item_text(item)
    packed = pack((await embedder.embed([text])).vectors)[0]
    async with talk.service.runtime.database.write() as tx:
        item_id = await items.create_item(
            tx, scope, talk.project, item, session_id=None, source_ref=None, reason="created"
        )
        await vectors.upsert_vector(
            tx, scope, talk.project, item_id, model=embedder.name, text_hash=text_hash(text), vector=packed
        )
    return item_id


async def test_what_a_session_settled_is_quoted_with_its_date_and_agent(service: Service) -> None:
    talk = await Conversation.of(service)
    session = await talk.say("claude-code:1", ACK, "Done: `ACK_TIMEOUT_S = 45` for all sites.", agent="claude-code")
    await talk.say("claude-code:2", "rename the settings page", "Renamed it to Preferences.")
    await talk.indexed()
    found = await brief(talk, TASK)
    assert "give it 45 seconds" in found["markdown"]
    assert "unreviewed" in found["markdown"]
    assert "claude-code" in found["markdown"]
    assert {"kind": "session", "id": session, "reviewed": False} in found["entries"]
    assert found["id"].startswith("brf_")


async def test_nothing_is_said_when_nothing_fits(service: Service) -> None:
    talk = await Conversation.of(service)
    await talk.say("claude-code:1", ACK, "Done: `ACK_TIMEOUT_S = 45` for all sites.")
    await talk.indexed()
    found = await brief(talk, "translate the landing page into Estonian")
    assert found == {"id": None, "markdown": "", "tokenEstimate": 0, "entries": []}


async def test_words_in_common_are_not_enough(service: Service) -> None:
    """The search finds the session for both prompts; only the reader tells that one of them is about something else."""
    talk = await Conversation.of(service)
    await talk.say("claude-code:1", ACK, "Done: `ACK_TIMEOUT_S = 45` for all sites.")
    await talk.indexed()
    elsewhere = await brief(talk, "rename the HL7 sender page of St. Anna in the menu and bump its icon")
    assert elsewhere["tokenEstimate"] < 120
    assert (await brief(talk, TASK))["tokenEstimate"] >= elsewhere["tokenEstimate"]


async def test_without_the_reader_the_search_decides(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(pairs: object) -> None:
        raise ReaderFailed("the reader's weights are not installed")

    monkeypatch.setattr(service.runtime.engines.reader, "read", fail)
    talk = await Conversation.of(service)
    await talk.say("claude-code:1", ACK, "Done: `ACK_TIMEOUT_S = 45` for all sites.")
    await talk.indexed()
    assert "give it 45 seconds" in (await brief(talk, TASK))["markdown"]


async def test_reviewed_rules_come_before_quotations(service: Service) -> None:
    talk = await Conversation.of(service)
    item_id = await remember(
        talk, type="convention", title="HL7 senders wait for the ACK in a queue of their own", content="See ADR 12."
    )
    await talk.say("claude-code:1", ACK, "Done.")
    await talk.indexed()
    found = await brief(talk, TASK)
    assert [entry["kind"] for entry in found["entries"]] == ["item", "session"]
    assert found["entries"][0] == {"kind": "item", "id": item_id, "reviewed": True}
    assert found["markdown"].index("queue of their own") < found["markdown"].index("45 seconds")


async def test_the_later_session_on_a_subject_leads_and_the_earlier_one_is_marked(service: Service) -> None:
    talk = await Conversation.of(service)
    await talk.say(
        "claude-code:1", "merge rule for contacts: on a collision keep the latest record", "Set: latest wins."
    )
    await talk.say(
        "claude-code:2",
        "change the merge rule for contacts: on a collision keep the record with more filled fields",
        "Set: the most filled record wins.",
    )
    await talk.indexed()
    markdown = (await brief(talk, "contacts collide in the merge, fix which record is kept"))["markdown"]
    assert markdown.index("more filled fields") < markdown.find("keep the latest record") % len(markdown)
    assert "keep the latest record" not in markdown or "outdated where it differs" in markdown


async def test_what_the_repository_says_itself_is_left_out(service: Service) -> None:
    talk = await Conversation.of(service)
    rule = "HL7 senders wait for the ACK in a queue of their own, never in the request."
    await remember(talk, type="convention", title=rule, content=rule)
    assert rule[:-1] in (await brief(talk, TASK))["markdown"]
    known = sorted(phrase_hashes(f"# Agents\n\n* {rule}\n"))
    assert (await brief(talk, TASK, known=known))["markdown"] == ""


async def test_a_project_can_turn_unreviewed_memory_or_briefings_off(service: Service) -> None:
    talk = await Conversation.of(service)
    await talk.say("claude-code:1", ACK, "Done: `ACK_TIMEOUT_S = 45` for all sites.")
    await talk.indexed()
    await talk.owner.patch(f"/api/projects/{talk.project}", {"showUnreviewed": False})
    assert (await brief(talk, TASK))["markdown"] == ""
    await talk.owner.patch(f"/api/projects/{talk.project}", {"showUnreviewed": True, "briefingsEnabled": False})
    assert (await brief(talk, TASK))["markdown"] == ""
    changed = await talk.owner.patch(f"/api/projects/{talk.project}", {"briefingsEnabled": True})
    assert changed.json()["briefingsEnabled"] is True
    assert "45" in (await brief(talk, TASK))["markdown"]


async def test_replaced_items_and_contradicted_drafts_are_not_served(service: Service) -> None:
    talk = await Conversation.of(service)
    await remember(talk, title="HL7 sender waits 15 s for the ACK of St. Anna", status="draft", flags=("conflict",))
    await remember(talk, title="HL7 sender may hang up on St. Anna before the ACK", status="deprecated")
    assert (await brief(talk, TASK))["markdown"] == ""


async def test_the_standing_block_has_rules_and_what_is_in_flight_on_the_branch(service: Service) -> None:
    talk = await Conversation.of(service)
    await remember(talk, type="convention", title="Migrations are reviewed by two people", content="Since March.")
    await remember(talk, type="architecture", title="The API is written in Go", content="")
    await talk.say("codex:1", "move the queue to NATS", "Half done: producers moved, consumers next.", branch="nats")
    await talk.indexed()
    found = await brief(talk, branch="nats")
    assert "Migrations are reviewed by two people" in found["markdown"]
    assert "consumers next" in found["markdown"]
    assert "written in Go" not in found["markdown"]
    assert found["tokenEstimate"] <= 500
    assert "consumers next" not in (await brief(talk, branch="main"))["markdown"]


async def test_a_briefing_never_exceeds_its_budget(service: Service) -> None:
    talk = await Conversation.of(service)
    for number in range(6):
        await talk.say(f"claude-code:{number}", f"{ACK} ({number})", f"Done. {'Some details follow. ' * 60}{number}")
    await remember(talk, title="HL7 sender of St. Anna and the ACK", content="Long. " * 400)
    await talk.indexed()
    for budget in (100, 200, 560):
        assert (await brief(talk, TASK, tokenBudget=budget))["tokenEstimate"] <= budget
