"""Proof of use: what sessions made of their briefings, as the job decides it and the API reports it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from loremark.features.briefing.outcome_store import list_due
from loremark.jobs.notices import notify_changed
from loremark.memory.hygiene.deprecation import SERVED_IN_VAIN
from loremark.storage.tables import briefing_entries
from tests.features.test_briefing import ACK, TASK, brief, remember
from tests.features.test_recall import Conversation
from tests.support.service import Service

pytestmark = pytest.mark.anyio

NEW = "claude-code:new"
RULE = {"type": "convention", "title": "HL7 senders wait for the ACK in a queue of their own", "content": "See ADR 12."}


async def outcomes(talk: Conversation) -> dict[str, str]:
    """Wait until the job has looked at every briefing, and return the outcome of each entry."""
    await talk.indexed()
    database = talk.service.runtime.database
    async with asyncio.timeout(20):
        while True:
            async with database.read() as tx:
                if not await list_due(tx, 1):
                    break
            async with database.write() as tx:
                notify_changed(tx, talk.owner.team_id, "sessions", talk.project)
            await asyncio.sleep(0.6)
    return await recorded(talk)


async def recorded(talk: Conversation) -> dict[str, str]:
    statement = select(briefing_entries).where(briefing_entries.c.project_id == talk.project)
    async with talk.service.runtime.database.read() as tx:
        return {row["entry_id"]: row["outcome"] for row in await tx.many(statement)}


async def test_an_item_whose_file_the_session_changes_is_used(service: Service) -> None:
    talk = await Conversation.of(service)
    item_id = await remember(talk, **RULE, files=("hl7/outbound.py",))
    await brief(talk, TASK)
    assert await recorded(talk) == {item_id: ""}
    await talk.say(NEW, TASK, "Done.", files=["hl7/outbound.py"])
    assert await outcomes(talk) == {item_id: "used"}


async def test_a_quoted_session_that_the_person_has_to_repeat_is_corrected(service: Service) -> None:
    talk = await Conversation.of(service)
    quoted = await talk.say("claude-code:1", ACK, "Done: `ACK_TIMEOUT_S = 45` for all sites.", files=["outbound.py"])
    await talk.indexed()
    await brief(talk, TASK)
    await talk.say(NEW, TASK, "Written. It waits 10 seconds.", files=["outbound.py"])
    assert await outcomes(talk) == {quoted: "used"}
    await talk.say(NEW, "the sender hangs up on St. Anna before their ACK arrives: give it 45 seconds", "Sorry, done.")
    assert await outcomes(talk) == {quoted: "corrected"}
    await talk.say(NEW, "now rename the settings page", "Renamed.", files=["outbound.py"])
    assert await outcomes(talk) == {quoted: "corrected"}


async def test_what_other_sessions_and_projects_say_decides_nothing(service: Service) -> None:
    talk = await Conversation.of(service)
    item_id = await remember(talk, **RULE, files=("hl7/outbound.py",))
    await brief(talk, TASK)
    other = await Conversation.of(service)
    await other.say(NEW, TASK, f"As {item_id} says.", files=["hl7/outbound.py"])
    await other.indexed()
    await talk.say("codex:other", TASK, f"As {item_id} says.", files=["hl7/outbound.py"])
    assert await outcomes(talk) == {item_id: ""}


async def test_what_was_said_before_the_briefing_decides_nothing(service: Service) -> None:
    talk = await Conversation.of(service)
    item_id = await remember(talk, **RULE, files=("hl7/outbound.py",))
    await talk.say(NEW, "write the parser", "Done.", files=["hl7/outbound.py"])
    await talk.indexed()
    await brief(talk, TASK)
    await talk.say(NEW, "translate the landing page", "Done.")
    assert (await outcomes(talk))[item_id] == ""


async def test_usefulness_reports_what_was_served_used_and_said_again(service: Service) -> None:
    talk = await Conversation.of(service)
    item_id = await remember(talk, **RULE, files=("hl7/outbound.py",))
    first = await brief(talk, TASK)
    second = await brief(talk, TASK, session="codex:2")
    await talk.say(NEW, TASK, "Done.", files=["hl7/outbound.py"])
    await talk.say("codex:2", TASK, "Done, right in the request.")
    await talk.say("codex:2", "HL7 senders wait for the ACK in a queue of their own, see ADR 12!", "Sorry, moved.")
    await outcomes(talk)
    found = (await talk.owner.get(f"/api/v2/usefulness?projectId={talk.project}&days=7")).json()
    counts = {"served": 2, "used": 1, "corrected": 1}
    assert found["items"] == [{"itemId": item_id, "title": RULE["title"], **counts}]
    assert (found["briefings"], found["sessionsBriefed"]) == (2, 2)
    assert (found["entriesServed"], found["entriesUsed"], found["entriesCorrected"]) == (2, 1, 1)
    assert found["repeatCorrectionRate"] == 0.5
    assert found["tokensMedian"] == min(first["tokenEstimate"], second["tokenEstimate"]) > 0
    usage = (await talk.owner.get(f"/api/v2/items/{item_id}/usage")).json()
    assert {name: usage[name] for name in counts} == counts
    assert usage["lastServedAt"] is not None


async def test_the_time_without_briefings_is_compared_with_the_time_with_them(service: Service) -> None:
    talk = await Conversation.of(service)
    item_id = await remember(talk, **RULE)
    await brief(talk, TASK)
    await talk.owner.patch(f"/api/projects/{talk.project}", {"briefingsEnabled": False})
    await talk.owner.patch(f"/api/projects/{talk.project}", {"briefingsEnabled": False, "name": "Still off"})
    assert (await brief(talk, TASK, session="codex:2"))["markdown"] == ""
    await talk.say("codex:2", TASK, "Done, right in the request.")
    await talk.say("codex:2", "HL7 senders wait for the ACK in a queue of their own, see ADR 12!", "Sorry, moved.")
    await outcomes(talk)
    found = (await talk.owner.get(f"/api/v2/usefulness?projectId={talk.project}")).json()
    assert [(one["enabled"], one["sessions"], one["corrections"]) for one in found["periods"]] == [
        (True, 1, 0),
        (False, 1, 1),
    ]
    assert found["periods"][0]["to"] == found["periods"][1]["from"]
    assert (found["periods"][0]["tokensMedian"] > 0, found["periods"][1]["tokensMedian"]) == (True, 0)
    assert (found["briefings"], found["entriesServed"]) == (1, 1)
    assert (await talk.owner.get(f"/api/v2/items/{item_id}/usage")).json()["served"] == 1


async def test_usefulness_of_a_project_without_briefings_is_zero(service: Service) -> None:
    talk = await Conversation.of(service)
    item_id = await remember(talk, **RULE)
    found = (await talk.owner.get(f"/api/v2/usefulness?projectId={talk.project}")).json()
    assert (found["briefings"], found["tokensMedian"], found["repeatCorrectionRate"], found["items"]) == (0, 0, 0, [])
    assert [one["enabled"] for one in found["periods"]] == [True]
    unused = {"served": 0, "used": 0, "corrected": 0, "lastServedAt": None}
    assert (await talk.owner.get(f"/api/v2/items/{item_id}/usage")).json() == unused
    for days, status in ((0, 400), (1, 200), (365, 200), (366, 400)):
        answer = await talk.owner.get(f"/api/v2/usefulness?projectId={talk.project}&days={days}")
        assert answer.status_code == status


async def test_an_item_that_no_session_uses_is_proposed_for_deprecation(service: Service) -> None:
    talk = await Conversation.of(service)
    item_id = await remember(talk, **RULE)
    for number in range(SERVED_IN_VAIN):
        await brief(talk, TASK, session=f"codex:{number}")
    assert not await _proposals(talk), "no session went on, so none could use it"
    for number in range(SERVED_IN_VAIN):
        await talk.say(f"codex:{number}", TASK, "Written.")
    await outcomes(talk)
    (action,) = await _proposals(talk)
    assert (action["itemId"], action["requiresHumanApproval"]) == (item_id, True)
    assert action["description"].startswith(f"Served {SERVED_IN_VAIN} times, never used")


async def _proposals(talk: Conversation) -> list[dict[str, Any]]:
    body = {"projectId": talk.project, "action": "analyze"}
    plan = (await talk.owner.post("/api/v2/hygiene", body)).json()
    return [action for action in plan["actions"] if action["type"] == "DEPRECATE_MEMORY"]
