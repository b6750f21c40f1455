"""Recall: what was said in sessions and commits is found again, as it was said, and is gone with its session."""

from __future__ import annotations

import asyncio
import contextvars
from typing import Any

import pytest
from sqlalchemy import func, select

from loremark.base.caller import Scope
from loremark.features.recall import store
from loremark.storage.tables import events as events_table
from loremark.storage.tables import turn_index, turns, turns_to_embed
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio


class Conversation:
    """A project whose agent sessions are sent turn by turn, as the hook sends them."""

    def __init__(self, service: Service, owner: Person, project: str) -> None:
        self.service, self.owner, self.project = service, owner, project

    @classmethod
    async def of(cls, service: Service) -> Conversation:
        owner = await service.owner()
        return cls(service, owner, await owner.create_project())

    async def say(self, session: str, prompt: str, answer: str, **fields: Any) -> str:
        """Send a turn and return the id of its session."""
        payload = {"notes": prompt, "summary": answer, "changes": [], "source": session, **fields}
        return await self.send("session_save", payload)

    async def send(self, event: str, payload: dict[str, Any]) -> str:
        body = {"projectId": self.project, "event": event, "payload": payload}
        sent = await self.owner.post("/api/v2/events", body)
        assert sent.status_code == 202, sent.text
        return str(sent.json()["sessionId"])

    async def indexed(self) -> None:
        """Wait until every turn of the project has its vector."""
        async with asyncio.timeout(30):
            while (
                await self._count(select(func.count().label("count")).where(*self._in(turns))) == 0
                or await self._pending()
            ):
                await asyncio.sleep(0.02)

    async def _pending(self) -> int:
        events = await self.owner.get(f"/api/v2/sessions?projectId={self.project}")
        sent: int = sum(session["eventCount"] for session in events.json())
        read = await self._count(select(func.count(turns.c.event_id.distinct()).label("count")).where(*self._in(turns)))
        queued = await self._count(
            select(func.count().label("count")).where(turns_to_embed.c.project_id == self.project)
        )
        return sent - read + queued

    def _in(self, table: Any) -> tuple[Any, ...]:
        return (table.c.project_id == self.project,)

    async def _count(self, query: Any) -> int:
        async with self.service.runtime.database.read() as tx:
            row = await tx.one(query)
        assert row is not None
        return int(row["count"])

    async def rows(self) -> dict[str, int]:
        tables = (turns, turn_index, turns_to_embed)
        return {
            table.name: await self._count(
                select(func.count().label("count")).select_from(table).where(*self._in(table))
            )
            for table in tables
        }

    async def search(self, question: str, within: str = "sessions", **query: Any) -> dict[str, Any]:
        await self.indexed()
        parameters = {"projectId": self.project, "q": question, "in": within, **query}
        found = await self.owner.get("/api/v2/search", params=parameters)
        assert found.status_code == 200, found.text
        return dict(found.json())


async def test_a_turn_is_found_as_it_was_said(service: Service) -> None:
    talk = await Conversation.of(service)
    session = await talk.say(
        "claude-code:1",
        "the sender hangs up on St. Anna before their ACK arrives, give it 45 seconds",
        "Done: `ACK_TIMEOUT_S = 45` in outbound.py, for all sites.",
        agent="claude-code",
        branch="fix/ack",
        files=["hl7/outbound.py"],
    )
    await talk.say("claude-code:2", "rename the settings page", "Renamed it to Preferences.")
    found = await talk.search("how long do we wait for an acknowledgement?")
    assert found["results"] == []
    first = found["turns"][0]
    assert (first["sessionId"], first["agent"], first["branch"]) == (session, "claude-code", "fix/ack")
    assert first["files"] == ["hl7/outbound.py"]
    assert "`ACK_TIMEOUT_S = 45`" in first["excerpt"]


async def test_search_answers_with_items_alone_unless_asked_for_more(service: Service) -> None:
    talk = await Conversation.of(service)
    await talk.say("claude-code:1", "which port?", "The gateway listens on port 7443.")
    assert "turns" not in await talk.search("gateway port", "items")
    both = await talk.search("gateway port", "all")
    assert both["turns"]
    assert "results" in both


async def test_a_short_reply_is_found_by_the_question_it_answers(service: Service) -> None:
    talk = await Conversation.of(service)
    await talk.say("codex:1", "add the alert", "Should the potassium limit be 6.2 (page 2) or 6.0 (page 5)?")
    await talk.say("codex:1", "the first", "Set. Hemolyzed samples alert too.")
    found = await talk.search("potassium limit for the alert", limit=2)
    assert any("the first" in turn["excerpt"] for turn in found["turns"])


async def test_commits_are_recalled_with_their_sha_and_date(service: Service) -> None:
    talk = await Conversation.of(service)
    commit = {
        "sha": "ab" * 20,
        "message": "fix(billing): round half-cents down\n\nAudit rejected rounding up in March.\n\nSigned-off-by: A",
        "date": "2024-03-05T10:00:00+01:00",
        "files": ["billing/rounding.py"],
    }
    await talk.send("git_digest", {"branch": "main", "commits": [commit], "source": "git:x"})
    first = (await talk.search("how do we round half cents"))["turns"][0]
    assert (first["kind"], first["commitSha"], first["saidAt"][:10]) == ("commit", "ab" * 20, "2024-03-05")
    assert "Audit rejected rounding up in March." in first["excerpt"]
    assert "Signed-off-by" not in first["excerpt"]


async def test_secrets_are_not_recalled(service: Service) -> None:
    talk = await Conversation.of(service)
    secret = "ghp_" + "k7Rt2Qx9" * 4 + "w1Zb"
    await talk.say("claude-code:1", f"use {secret} for the mirror push", f"Stored {secret} in the secret manager.")
    found = await talk.search("token for the mirror push")
    assert found["turns"]
    assert secret not in str(found)


async def test_each_project_recalls_only_its_own_sessions(service: Service) -> None:
    one, other = await Conversation.of(service), await Conversation.of(service)
    await one.say("claude-code:1", "which database?", "We use CockroachDB 23.")
    await other.say("claude-code:1", "which cache?", "We use Valkey 8.")
    assert "Valkey" not in str(await one.search("which cache do we use", minSimilarity=0))
    parameters = {"projectId": one.project, "q": "database", "in": "sessions"}
    assert (await other.owner.get("/api/v2/search", params=parameters)).status_code == 404


async def test_a_reverted_commit_is_told_with_its_revert_first(service: Service) -> None:
    talk = await Conversation.of(service)
    cache, revert, other = "a1" * 20, "b2" * 20, "c3" * 20
    messages = {
        cache: "Cache the sailings response for a minute\n\nThe departure screens ask for sailings every second.",
        revert: f'Revert "Cache the sailings response"\n\nThis reverts commit {cache}.\n\nTerminals sold taken spaces.',
        other: f'Revert "Something else"\n\nThis reverts commit {"d4" * 20}.',
    }
    await talk.send("git_digest", {"commits": [{"sha": sha, "message": text} for sha, text in messages.items()]})
    await talk.indexed()
    about = {"projectId": talk.project, "prompt": "How stale can the sailings on the departure screens be?"}
    briefing = (await talk.owner.post("/api/v2/briefing", about)).json()["markdown"]
    assert briefing.index("Terminals sold taken spaces") < briefing.index("screens ask for sailings every second")
    assert "outdated" in briefing
    search = f"/api/v2/search?projectId={talk.project}&in=sessions&minSimilarity=0&q=cache+sailings+response+minute"
    found = (await talk.owner.get(search)).json()["turns"]
    assert found[0]["commitSha"] == revert
    assert cache not in {turn["commitSha"] for turn in found}
    again = f'Revert "Revert \\"Cache the sailings response\\""\n\nThis reverts commit {revert}.'
    await talk.send("git_digest", {"commits": [{"sha": "e5" * 20, "message": again}]})
    await talk.indexed()
    found = (await talk.owner.get(search)).json()["turns"]
    assert cache in {turn["commitSha"] for turn in found}
    assert revert not in {turn["commitSha"] for turn in found}


@pytest.mark.both_engines
async def test_events_are_accepted_while_the_turns_of_their_session_are_stored(service: Service) -> None:
    if service.runtime.database.engine.name != "postgresql":
        pytest.skip("one writer at a time")
    talk = await Conversation.of(service)
    session = await talk.say("tool", "Which port?", "8123.")
    async with service.runtime.database.read() as tx:
        (event,) = await tx.many(select(events_table).where(events_table.c.session_id == session))
    async with service.runtime.database.write() as tx, asyncio.timeout(60):
        await store.create_turns(tx, Scope(talk.owner.team_id), talk.project, [(event, [])])
        later = talk.say("tool", "And the host?", "The same machine.")
        assert await asyncio.create_task(later, context=contextvars.Context()) == session  # as another request
