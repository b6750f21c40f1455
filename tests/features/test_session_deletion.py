"""Forgetting a session: nothing of it is left in any table, and nothing else is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import func, select, update

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.features.metering.project_deletion import SESSION_PURGE
from loremark.features.metering.recount import recount_team, set_mark
from loremark.features.session_deletion import service as deletion
from loremark.jobs import queue
from loremark.ports.blobs.store import open_blobs
from loremark.storage.tables import (
    audit_entries,
    events,
    hygiene_plans,
    installation,
    jobs,
    metadata,
    outbox,
    sessions,
    turns,
    turns_to_embed,
    webhook_deliveries,
)
from tests.features.memory_project import Memory, digest, save
from tests.features.plan_usage import count_rows, read_counters
from tests.features.steps import ARCHIVED, insert_rows, status_and_body
from tests.support.service import Service

pytestmark = pytest.mark.anyio

GONE = (404, {"error": "Session not found"})
WORD = "zirconium"
SECRET = (
    "decision",
    f"Nightly {WORD} runs use their own queue",
    f"We decided to run nightly {WORD} jobs in the queue night-{WORD}, because long runs delayed password emails.",
)
OTHER = (
    "decision",
    "Errors are answered as one object",
    "We decided to answer all errors as one object with a text, because clients parse a single shape.",
)


async def forget(memory: Memory, session_id: str) -> None:
    answer = await memory.owner.delete(f"/api/v2/sessions/{session_id}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert status_and_body(await memory.owner.get(f"/api/v2/sessions/{session_id}")) == GONE
    assert status_and_body(await memory.owner.delete(f"/api/v2/sessions/{session_id}")) == GONE
    await memory.service.wait_for_jobs()


async def indexed(memory: Memory) -> None:
    """Wait until what was said is indexed and embedded."""
    async with asyncio.timeout(60):
        while True:
            async with memory.service.runtime.database.read() as tx:
                of_project = turns.c.project_id == memory.tool.project_id
                read = await tx.many(select(func.count(turns.c.event_id.distinct()).label("n")).where(of_project))
                sent = await tx.many(
                    select(func.count().label("n")).where(events.c.project_id == memory.tool.project_id)
                )
                queued = await tx.many(
                    select(turns_to_embed).where(turns_to_embed.c.project_id == memory.tool.project_id)
                )
            if read[0]["n"] == sent[0]["n"] and not queued:
                return
            await asyncio.sleep(0.05)


async def event_ids(memory: Memory, session_id: str) -> list[str]:
    found = await memory.owner.get(f"/api/v2/sessions/{session_id}/events")
    return [event["id"] for event in found.json()]


async def mentions(memory: Memory, words: list[str]) -> dict[str, int]:
    """Count the team's rows that contain one of the words, by table.

    The audit log and the deletion's own job name the session that was deleted, and the installation remembers the id of
    the last event that was read.
    """
    found: dict[str, int] = {}
    async with memory.service.runtime.database.read() as tx:
        for table in metadata.sorted_tables:
            if table in (audit_entries, installation):
                continue
            of_team = [table.c.team_id == memory.owner.team_id] if "team_id" in table.c else []
            for row in await tx.many(select(table).where(*of_team)):
                if table is jobs and row["kind"] == SESSION_PURGE:
                    continue
                text = "\n".join(_texts(row[column.name] for column in table.columns))
                found[table.name] = found.get(table.name, 0) + any(word in text for word in words)
    return {name: count for name, count in found.items() if count}


def _texts(values: Iterator[Any]) -> Iterator[str]:
    for value in values:
        yield bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview | bytearray) else str(value)


async def test_nothing_is_left_of_a_session(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1)
    project = memory.tool.project_id
    large = f"{WORD} " * 5_000
    sent = await memory.send(save(SECRET, summary=f"Worked on {WORD}.", notes=large, source="agent:1"))
    session = sent["sessionId"]
    commit = (
        "a" * 40,
        f"fix({WORD}): send through the queue\n\nEmails got lost because the relay refuses bursts.",
        [f"{WORD}.py"],
    )
    commits = digest(commit, branch=f"feature-{WORD}", defaultBranch="main")
    await memory.send({**commits, "source": "agent:1"}, "git_digest")
    await memory.send({"root": ".", "files": [{"path": f"{WORD}.py", "sha": "1"}], "source": "agent:1"}, "scan_result")
    await memory.enrich(session)
    kept = await memory.learn(save(OTHER, source="agent:2"))
    await indexed(memory)
    names = [session, WORD, *await event_ids(memory, session)]
    item_ids = [item["id"] for item in await memory.items() if WORD in item["title"] + item["content"]]
    assert item_ids
    about = {"team_id": memory.owner.team_id, "project_id": project}
    for number, name in enumerate([session, item_ids[0]]):
        texts = {"data": f'{{"id":"{name}"}}', "body": f'{{"id":"{name}"}}', "versions": f'{{"{name}":1}}'}
        for table in (outbox, webhook_deliveries, hygiene_plans):
            await insert_rows(service, table, [_row(table, f"{table.name}{number}", about, texts)])
    before = await mentions(memory, [*names, *item_ids])
    needed = {"sessions", "events", "items", "item_index", "item_files", "revisions", "jobs", "turns", "turn_index"}
    assert needed | {"webhook_deliveries", "hygiene_plans", "branch_commits", "file_states"} <= before.keys()
    blobs = open_blobs(service.settings.blobs_url)
    assert len(await blobs.list_project(project)) == 1

    await forget(memory, session)
    assert await mentions(memory, names) == {}
    assert set(await mentions(memory, item_ids)) <= {"item_index"}, "until every process has removed them"
    assert await blobs.list_project(project) == []
    assert [item["title"] for item in await memory.items()] == [OTHER[1]]
    assert [entry["status"] for entry in await _sessions(memory)] == ["completed"]
    assert kept["status"] == "completed"
    log = (await memory.owner.get("/api/audit?action=session.deleted")).json()
    assert [(entry["target"], entry["projectId"]) for entry in log] == [(session, project)]
    assert log[0]["details"] == {"source": "agent:1", "events": 3}
    found = await memory.owner.get(f"/api/v2/search?projectId={project}&q={WORD}&in=sessions")
    assert (found.json()["results"], found.json()["turns"]) == ([], [])


def _row(table: Any, key: str, about: dict[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column in table.columns:
        kind = column.type.python_type
        row[column.name] = texts.get(column.name, "x" if kind is str else kind(2**50))
    row |= {"id": ids.new("row"), **about}
    # Finished, so that nothing is delivered.
    return row | ({"status": "delivered", "next_attempt_ms": None} if table is webhook_deliveries else {})


async def _sessions(memory: Memory) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        await memory.owner.get(f"/api/v2/sessions?projectId={memory.tool.project_id}&detail=true")
    ).json()
    return found


async def test_approved_items_stay_without_the_quotes(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1)
    sent = await memory.send(save(SECRET, source="agent:1"))
    await memory.enrich(sent["sessionId"])
    (item,) = await memory.items()
    assert item["evidence"][0]["eventId"] == sent["eventId"]
    approved = await memory.owner.patch(f"/api/v2/items/{item['id']}", {"status": "approved"})
    assert approved.status_code == 200
    await forget(memory, sent["sessionId"])
    after = await memory.item(item["id"])
    assert (after["status"], after["title"], after["evidence"]) == ("approved", item["title"], [])
    assert after["version"] == approved.json()["version"] + 1
    history = (await memory.owner.get(f"/api/v2/items/{item['id']}/revisions")).json()
    assert history[0]["actorId"] == memory.owner.user_id
    assert all(revision["snapshot"]["evidence"] == [] for revision in history)
    assert await mentions(memory, [sent["sessionId"], sent["eventId"]]) == {}
    reverted = await memory.owner.post(f"/api/v2/items/{item['id']}/revert", {"version": 1})
    assert (reverted.status_code, reverted.json()["evidence"]) == (200, [])
    brain = await memory.owner.get(f"/api/v2/brain?projectId={memory.tool.project_id}&format=markdown")
    assert item["title"] not in brain.text  # version 1 was a draft


async def test_rejected_drafts_are_deleted_and_deprecated_memory_is_kept(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1)
    sent = await memory.send(save(SECRET, OTHER, source="agent:1"))
    await memory.enrich(sent["sessionId"])
    rejected, retired = (await memory.items())[:2]
    for item, statuses in ((rejected, ["deprecated"]), (retired, ["approved", "deprecated"])):
        for status in statuses:
            assert (await memory.owner.patch(f"/api/v2/items/{item['id']}", {"status": status})).status_code == 200
    await forget(memory, sent["sessionId"])
    (left,) = await memory.items()
    assert (left["id"], left["status"], left["evidence"]) == (retired["id"], "deprecated", [])


async def test_a_draft_that_another_session_supports_stays(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1)
    first = await memory.send(save(SECRET, source="agent:1"))
    await memory.enrich(first["sessionId"])
    second = await memory.send(save(SECRET, summary="Said again.", source="agent:2"))
    await memory.enrich(second["sessionId"])
    (item,) = await memory.items()
    assert {quote["eventId"] for quote in item["evidence"]} == {first["eventId"], second["eventId"]}
    await forget(memory, first["sessionId"])
    (item,) = await memory.items()
    assert {quote["eventId"] for quote in item["evidence"]} == {second["eventId"]}
    assert await mentions(memory, [first["sessionId"], first["eventId"]]) == {}
    await forget(memory, second["sessionId"])
    assert await memory.items() == []


async def test_blobs_that_other_events_use_stay(service: Service) -> None:
    memory = await Memory.of(service)
    shared, own = "shared " * 3_000, "own " * 3_000
    first = await memory.send({"summary": shared, "notes": own, "source": "agent:1"})
    second = await memory.send({"summary": shared, "source": "agent:2"})
    blobs = open_blobs(service.settings.blobs_url)
    assert len(await blobs.list_project(memory.tool.project_id)) == 2
    await forget(memory, first["sessionId"])
    assert len(await blobs.list_project(memory.tool.project_id)) == 1
    answer = await memory.owner.get(f"/api/v2/sessions/{second['sessionId']}/events?blobs=inline")
    assert answer.json()[0]["payload"]["summary"] == shared


async def test_counters_stay_right(service: Service) -> None:
    memory = await Memory.of(service)
    database, team = service.runtime.database, memory.owner.team_id
    first = await memory.send({"summary": "x" * 50_000, "source": "agent:1"})
    await memory.enrich(first["sessionId"])
    await memory.send({"summary": "y", "source": "agent:2"})
    before = await read_counters(database, team)
    await forget(memory, first["sessionId"])
    after, rows = await read_counters(database, team), await count_rows(database, team)
    assert (after["storage"], rows["events"], rows["sessions"], rows["enrichments"]) == (rows["storage"], 1, 1, 0)
    assert after["storage"] < 1_000 < before["storage"]
    assert {**after, "storage": 0} == {**before, "storage": 0}
    await asyncio.sleep(0.01)
    assert await recount_team(database, Scope(team), set_mark()) == []
    assert await read_counters(database, team) == after


async def test_the_recount_waits_for_a_deletion(service: Service) -> None:
    memory = await Memory.of(service)
    database, team = service.runtime.database, memory.owner.team_id
    mark = set_mark()
    sent = await memory.send({"summary": "x", "source": "agent:1"})
    await forget(memory, sent["sessionId"])
    async with database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.team_id == team).values(finished_at_ms=mark.at_ms))
    assert await recount_team(database, Scope(team), mark) == []
    await memory.send({"summary": "y", "source": "agent:1"})


async def test_a_session_that_is_being_enriched_is_refused(service: Service) -> None:
    memory = await Memory.of(service)
    sent = await memory.send(save(SECRET))
    path = f"/api/v2/sessions/{sent['sessionId']}"
    async with service.runtime.database.write() as tx:
        about = {"team_id": memory.owner.team_id, "session_id": sent["sessionId"], "run_at_ms": 2**50}
        job = await queue.enqueue(tx, "enrichment", {}, project_id=memory.tool.project_id, **about)
        await tx.run(update(sessions).where(sessions.c.id == sent["sessionId"]).values(status="enriching"))
    refused = (409, {"error": "Session is being enriched. Try again when enrichment has finished."})
    assert status_and_body(await memory.owner.delete(path)) == refused
    assert len(await event_ids(memory, sent["sessionId"])) == 1
    async with service.runtime.database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.id == job).values(status="failed"))
        await tx.run(update(sessions).where(sessions.c.id == sent["sessionId"]).values(status="failed"))
    archived = await memory.owner.patch(f"/api/projects/{memory.tool.project_id}", {"status": "archived"})
    assert archived.status_code == 200
    assert status_and_body(await memory.owner.delete(path)) == ARCHIVED
    await memory.owner.patch(f"/api/projects/{memory.tool.project_id}", {"status": "active"})
    await forget(memory, sent["sessionId"])


async def test_a_huge_session_is_deleted_in_batches(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "ITEMS_AT_ONCE", 1)
    monkeypatch.setattr(deletion, "EVENTS_AT_ONCE", 2)
    memory = await Memory.of(service, autoApproveThreshold=1)
    changes = [("decision", f"{WORD} {one}", f"We decided to put {WORD} into {one}, because it is fast.") for one in
               ("the parser", "billing", "the night queue", "the login page")]  # fmt: skip
    session = ""
    for change in changes:
        session = (await memory.send(save(change, notes=f"{change[1]} " * 1_000, source="agent:1")))["sessionId"]
    await memory.enrich(session)
    assert len(await memory.items()) > 2
    names = [session, WORD, *await event_ids(memory, session)]
    await forget(memory, session)
    assert await mentions(memory, names) == {}
    assert await open_blobs(service.settings.blobs_url).list_project(memory.tool.project_id) == []


async def test_the_job_can_be_repeated(service: Service) -> None:
    memory = await Memory.of(service)
    first = await memory.send({"summary": "x" * 20_000, "source": "agent:1"})
    await forget(memory, first["sessionId"])
    again = await memory.send({"summary": "x" * 20_000, "source": "agent:1"})
    database = service.runtime.database
    async with database.write() as tx:
        (done,) = await tx.many(
            select(jobs.c.id, jobs.c.payload).where(
                jobs.c.kind == SESSION_PURGE, jobs.c.project_id == memory.tool.project_id
            )
        )
        await tx.run(update(jobs).where(jobs.c.id == done["id"]).values(status="queued"))
    await service.wait_for_jobs()
    answer = await memory.owner.get(f"/api/v2/sessions/{again['sessionId']}/events?blobs=inline")
    assert answer.json()[0]["payload"]["summary"] == "x" * 20_000
