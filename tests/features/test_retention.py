"""Retention: what a project no longer keeps is gone from every table and the blob store, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select, update

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.metering.project_deletion import RETENTION
from loremark.features.metering.recount import recount_team, set_mark
from loremark.features.metering.service import chat_storage
from loremark.features.retention import jobs as retention
from loremark.features.retention.jobs import SCHEDULE, EnforceRetention
from loremark.jobs import queue
from loremark.jobs.queue import Job
from loremark.jobs.run import LeaseLost, Run
from loremark.ports.blobs.store import open_blobs
from loremark.storage.tables import jobs, metadata, sessions
from tests.contract.examples_chats import keep_turn, make_chat
from tests.features.memory_project import Memory, digest, save
from tests.features.plan_usage import count_rows, read_counters
from tests.features.recurring_jobs import run_once_more
from tests.features.steps import status_and_body
from tests.features.test_session_deletion import event_ids, indexed
from tests.support.service import Service

pytestmark = [pytest.mark.anyio, pytest.mark.own_service, pytest.mark.both_engines]

MARKER = "zirconium"
"""In what was sent, but in nothing that is made from it."""
LARGE = f"{MARKER} blob " * 2_000
DRAFT = (
    "decision",
    "Nightly tungsten runs use their own queue",
    "We decided to run nightly tungsten jobs in the queue night-tungsten, because long runs delayed password emails.",
)
APPROVED = (
    "decision",
    "Errors are answered as one object",
    "We decided to answer all errors as one object with a text, because clients parse a single shape.",
)


@contextmanager
def after_days(days: float) -> Iterator[None]:
    """Travel into the future."""
    now_ms = clock.now_ms() + int(days * clock.DAY_MS)
    with clock.use(lambda: now_ms):
        yield


async def limit(memory: Memory, **days: int | None) -> None:
    changed = await memory.owner.patch(f"/api/projects/{memory.tool.project_id}", days)
    assert changed.status_code == 200, changed.text
    assert {name: changed.json()[name] for name in days} == days


async def enforce(service: Service) -> None:
    await run_once_more(service, SCHEDULE)
    await service.wait_for_jobs()


async def tables_with(service: Service, *words: str) -> set[str]:
    """The tables with a row that contains one of the words: all tables, without exception."""
    found = set()
    async with service.runtime.database.read() as tx:
        for table in metadata.sorted_tables:
            for row in await tx.many(select(table)):
                texts = (
                    value.decode("latin-1") if isinstance(value, bytes) else str(value)
                    for value in (row[column.name] for column in table.columns)
                )
                if any(word in text for text in texts for word in words):
                    found.add(table.name)
    return found


def blob_files_with(service: Service, word: str) -> list[Path]:
    folder = Path(urlsplit(service.settings.blobs_url).path)
    return [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


async def log_entries(memory: Memory) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await memory.owner.get("/api/audit?action=retention.applied")).json()
    return found[::-1]


async def test_settings(service: Service) -> None:
    memory = await Memory.of(service)
    path = f"/api/projects/{memory.tool.project_id}"
    names = ("eventRetentionDays", "sessionRetentionDays", "chatRetentionDays")
    before = (await memory.owner.get(path)).json()
    assert [before[name] for name in names] == [None, None, None]
    await limit(memory, eventRetentionDays=30, chatRetentionDays=1)
    assert [(await memory.owner.get(path)).json()[name] for name in names] == [30, None, 1]
    await limit(memory, eventRetentionDays=None)
    assert [(await memory.owner.get(path)).json()[name] for name in names] == [None, None, 1]
    for refused in (0, -1, 3_651, 1.5, "30"):
        answer = await memory.owner.patch(path, {"sessionRetentionDays": refused})
        assert answer.status_code == 400, refused
        assert "sessionRetentionDays" in answer.json()["error"]
    log = (await memory.owner.get("/api/audit?action=project.updated")).json()
    assert log[0]["details"] == {"fields": ["event_retention_days"]}


async def test_nothing_is_deleted_by_default(service: Service) -> None:
    memory = await Memory.of(service)
    sent = await memory.send({"summary": "Kept.", "raw": LARGE})
    with after_days(4_000):
        await enforce(service)
    assert await event_ids(memory, sent["sessionId"]) == [sent["eventId"]]
    assert await log_entries(memory) == []


async def test_expired_events_are_gone_from_every_table_and_the_blob_store(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1)
    first = await memory.send(save(DRAFT, APPROVED, raw=f"{MARKER} itself", log=LARGE, source="agent:1"))
    await memory.enrich(first["sessionId"])
    items = await memory.items()
    await memory.approve_all()
    await indexed(memory)
    assert {"events"} == await tables_with(service, MARKER)
    assert len(blob_files_with(service, MARKER)) == 1
    await limit(memory, eventRetentionDays=7)
    with after_days(6.9):
        await enforce(service)
        assert await event_ids(memory, first["sessionId"]) == [first["eventId"]]
    with after_days(7.1):
        shared = await memory.send({"summary": "Later.", "note": "kept " * 3_000, "source": "agent:2"})
        await enforce(service)
        assert await tables_with(service, MARKER) == set()
        assert blob_files_with(service, MARKER) == []
        assert len(await open_blobs(service.settings.blobs_url).list_project(memory.tool.project_id)) == 1
        assert await event_ids(memory, shared["sessionId"]) == [shared["eventId"]]
        cutoff = clock.iso(clock.now_ms() - 7 * clock.DAY_MS)

        # What was made from them stays, with its quotes.
        assert await event_ids(memory, first["sessionId"]) == []
        assert (await memory.session(first["sessionId"]))["eventCount"] == 1
        after = await memory.items()
        assert [item["evidence"] for item in after] == [item["evidence"] for item in items]
        evidence = (await memory.owner.get(f"/api/v2/items/{items[0]['id']}/evidence")).json()
        assert {(quote["found"], quote["event"], quote["excerpt"]) for quote in evidence} == {(False, None, "")}
        assert [quote["quote"] for quote in evidence] == [quote["quote"] for quote in items[0]["evidence"]]
        found = await memory.owner.get(f"/api/v2/search?projectId={memory.tool.project_id}&q=tungsten&in=sessions")
        assert [turn["sessionId"] for turn in found.json()["turns"]] == [first["sessionId"]]

        (entry,) = await log_entries(memory)
        assert entry["details"] == {"events": 1, "sessions": 0, "drafts": 0, "chats": 0, "eventsBefore": cutoff}
        assert (entry["target"], entry["projectId"]) == (memory.tool.project_id, memory.tool.project_id)
        assert (entry["actor"]["name"], entry["actor"]["authMethod"]) == ("Loremark", "operator")
        counters, rows = (
            await read_counters(service.runtime.database, memory.owner.team_id),
            await count_rows(service.runtime.database, memory.owner.team_id),
        )
        assert (counters["storage"], rows["events"]) == (rows["storage"], 1)


async def test_sending_an_expired_event_again_captures_it_again(service: Service) -> None:
    memory = await Memory.of(service)
    payload = {"summary": "Said twice.", "raw": LARGE}
    first = await memory.send(payload)
    await limit(memory, eventRetentionDays=1)
    with after_days(2):
        await enforce(service)
        again = await memory.send(payload)
        assert again["eventId"] != first["eventId"]
        await enforce(service)
        answer = await memory.owner.get(f"/api/v2/sessions/{again['sessionId']}/events?blobs=inline")
        assert answer.json()[0]["payload"]["raw"] == LARGE


@pytest.mark.parametrize("event_days", [None, 5], ids=["with events", "after events"])
async def test_expired_sessions_are_deleted_with_their_drafts(service: Service, event_days: int | None) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1)
    commit = ("a" * 40, "fix(tungsten): send through the queue\n\nEmails got lost.", ["tungsten.py"])
    sent = await memory.send(save(DRAFT, summary="Worked on tungsten.", notes=LARGE, source="agent:1"))
    await memory.send({**digest(commit, branch="feature-tungsten"), "source": "agent:1"}, "git_digest")
    await memory.send({"root": ".", "files": [{"path": "tungsten.py"}], "source": "agent:1"}, "scan_result")
    await memory.enrich(sent["sessionId"])
    other = await memory.send(save(APPROVED, source="agent:2"))
    await memory.enrich(other["sessionId"])
    (kept,) = [item for item in await memory.items() if item["title"] == APPROVED[1]]
    assert (await memory.owner.patch(f"/api/v2/items/{kept['id']}", {"status": "approved"})).status_code == 200
    await indexed(memory)
    drafts = [item["id"] for item in await memory.items() if item["id"] != kept["id"]]
    assert drafts
    names = [sent["sessionId"], *await event_ids(memory, sent["sessionId"]), MARKER, "tungsten"]
    found = await tables_with(service, *names)
    assert {"sessions", "events", "items", "revisions", "turns", "turn_index", "branch_commits", "file_states"} <= found
    await limit(memory, sessionRetentionDays=30, eventRetentionDays=event_days)
    if event_days:
        with after_days(10):
            await enforce(service)
            assert await event_ids(memory, sent["sessionId"]) == []
            assert len(await memory.items()) == len(drafts) + 1
    with after_days(31):
        await enforce(service)
        left = await tables_with(service, *names)
        # Finished jobs name sessions for two weeks; the installation remembers the last event that was indexed.
        assert left <= {"jobs", "installation"}
        assert await tables_with(service, MARKER, "tungsten") == set()
        assert blob_files_with(service, MARKER) == []
        assert await tables_with(service, *drafts) <= {"jobs", "item_index"}
        (item,) = await memory.items()
        assert item["evidence"] == kept["evidence"] != []
        assert item["status"] == "approved"
        listed = await memory.owner.get(f"/api/v2/sessions?projectId={memory.tool.project_id}")
        assert listed.json() == []
        last = (await log_entries(memory))[-1]
        events = 0 if event_days else 4
        counts = {name: last["details"][name] for name in ("events", "sessions", "drafts", "chats")}
        assert counts == {"events": events, "sessions": 2, "drafts": len(drafts), "chats": 0}
        assert last["details"]["sessionsBefore"] == clock.iso(clock.now_ms() - 30 * clock.DAY_MS)


async def test_quotes_leave_drafts_that_a_newer_session_supports(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1)
    first = await memory.send(save(DRAFT, source="agent:1"))
    await memory.enrich(first["sessionId"])
    await limit(memory, sessionRetentionDays=30, eventRetentionDays=1)
    with after_days(20):
        second = await memory.send(save(DRAFT, summary="Said again.", source="agent:2"))
        await memory.enrich(second["sessionId"])
        await enforce(service)
    with after_days(31):
        await enforce(service)
        (item,) = await memory.items()
        assert {quote["eventId"] for quote in item["evidence"]} == {second["eventId"]}
        assert "revisions" not in await tables_with(service, first["eventId"])


async def test_a_user_can_delete_a_session_whose_events_have_expired(service: Service) -> None:
    memory = await Memory.of(service, autoApproveThreshold=1)
    sent = await memory.send(save(DRAFT, source="agent:1"))
    await memory.enrich(sent["sessionId"])
    await limit(memory, eventRetentionDays=1)
    with after_days(2):
        await enforce(service)
        assert (await memory.owner.delete(f"/api/v2/sessions/{sent['sessionId']}")).status_code == 204
        await service.wait_for_jobs()
        assert await memory.items() == []
        assert await tables_with(service, "tungsten") == set()


async def test_expired_chats_are_deleted_with_their_messages(service: Service) -> None:
    memory = await Memory.of(service)
    old = await make_chat(memory.owner, memory.tool.project_id)
    await keep_turn(service, memory.owner, old, answer=f"The answer mentions {MARKER}.")
    await memory.owner.post(f"/api/v2/chat-sessions/{old}/favorite")
    await limit(memory, chatRetentionDays=14)
    with after_days(15):
        recent = await make_chat(memory.owner, memory.tool.project_id)
        await enforce(service)
        listed = (await memory.owner.get(f"/api/v2/chat-sessions?projectId={memory.tool.project_id}")).json()
        assert [chat["id"] for chat in listed["sessions"]] == [recent]
        assert await tables_with(service, MARKER, old) == set()
        (entry,) = await log_entries(memory)
        assert (entry["details"]["chats"], entry["details"]["events"]) == (1, 0)
        async with service.runtime.database.read() as tx:
            assert await chat_storage(tx, Scope(memory.owner.team_id)) == 0


async def test_work_is_done_in_batches_and_other_teams_get_a_turn(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "EVENTS_AT_ONCE", 2)
    monkeypatch.setattr(retention, "CHATS_AT_ONCE", 1)
    monkeypatch.setattr(retention, "MAX_RUN_S", 0.0)
    memory = await Memory.of(service)
    for number in range(5):
        await memory.send({"summary": f"{MARKER} {number}", "log": f"{number} {LARGE}", "source": f"agent:{number}"})
        await make_chat(memory.owner, memory.tool.project_id)
    await limit(memory, eventRetentionDays=1, chatRetentionDays=1)
    with after_days(2):
        await enforce(service)
        assert await count_rows(service.runtime.database, memory.owner.team_id) | {"storage": 0} == {
            "events": 0, "sessions": 5, "enrichments": 0, "storage": 0,
        }  # fmt: skip
        assert blob_files_with(service, MARKER) == []
        entries = await log_entries(memory)
        assert len(entries) >= 5, "one for each turn"
        assert sum(entry["details"]["events"] for entry in entries) == 5
        assert sum(entry["details"]["chats"] for entry in entries) == 5


async def test_a_job_that_lost_its_lease_deletes_nothing(service: Service) -> None:
    memory = await Memory.of(service)
    sent = await memory.send({"summary": "Kept."})
    await limit(memory, eventRetentionDays=1)
    database, team = service.runtime.database, memory.owner.team_id
    with after_days(2):
        async with database.write() as tx:
            about = {"team_id": team, "project_id": memory.tool.project_id, "run_at_ms": 2**50}
            job_id = await queue.enqueue(tx, RETENTION, {}, **about)  # type: ignore[arg-type]
        stale = Job(
            id=job_id,
            kind=RETENTION,
            payload={},
            attempt=1,
            max_attempts=2,
            started_at_ms=clock.now_ms(),
            team_id=team,
            project_id=memory.tool.project_id,
        )
        with pytest.raises(LeaseLost):
            await EnforceRetention(service.runtime.blobs)(Run(database, stale))
        assert await event_ids(memory, sent["sessionId"]) == [sent["eventId"]]
        async with database.write() as tx:
            await tx.run(update(jobs).where(jobs.c.id == job_id).values(run_at_ms=0))
            tx.notify(queue.TOPIC, RETENTION)
        await service.wait_for_jobs()
        assert await event_ids(memory, sent["sessionId"]) == []


async def test_a_session_that_is_being_enriched_waits(service: Service) -> None:
    memory = await Memory.of(service)
    sent = await memory.send(save(DRAFT))
    await limit(memory, eventRetentionDays=1, sessionRetentionDays=1)
    async with service.runtime.database.write() as tx:
        about = {"team_id": memory.owner.team_id, "session_id": sent["sessionId"], "run_at_ms": 2**50}
        job_id = await queue.enqueue(tx, "enrichment", {}, project_id=memory.tool.project_id, **about)
        await tx.run(update(sessions).where(sessions.c.id == sent["sessionId"]).values(status="enriching"))
    with after_days(2):
        await run_once_more(service, SCHEDULE)
        assert await event_ids(memory, sent["sessionId"]) == [sent["eventId"]]
        async with service.runtime.database.write() as tx:
            await tx.run(update(jobs).where(jobs.c.id == job_id).values(status="completed", finished_at_ms=1))
            await tx.run(update(sessions).where(sessions.c.id == sent["sessionId"]).values(status="completed"))
        await enforce(service)
        assert (await memory.owner.get(f"/api/v2/sessions/{sent['sessionId']}")).status_code == 404


async def test_archived_projects_are_cleaned_up_too(service: Service) -> None:
    memory = await Memory.of(service)
    await memory.send({"summary": MARKER})
    await limit(memory, sessionRetentionDays=1)
    archived = await memory.owner.patch(f"/api/projects/{memory.tool.project_id}", {"status": "archived"})
    assert archived.status_code == 200
    refused = await memory.owner.patch(f"/api/projects/{memory.tool.project_id}", {"sessionRetentionDays": 2})
    assert status_and_body(refused) == (409, {"error": "Project is archived"})
    with after_days(2):
        await enforce(service)
        assert await tables_with(service, MARKER) == set()


async def test_the_recount_waits_for_a_deletion(service: Service) -> None:
    memory = await Memory.of(service)
    database, team = service.runtime.database, memory.owner.team_id
    await memory.send({"summary": "Old.", "raw": LARGE})
    await limit(memory, eventRetentionDays=1)
    with after_days(2):
        mark = set_mark()
        await enforce(service)
        async with database.write() as tx:
            await tx.run(update(jobs).where(jobs.c.team_id == team).values(finished_at_ms=mark.at_ms))
        assert await recount_team(database, Scope(team), mark) == []
        async with database.write() as tx:
            await tx.run(update(jobs).where(jobs.c.team_id == team).values(finished_at_ms=mark.at_ms - 1))
        assert await recount_team(database, Scope(team), set_mark()) == [], "the counters are right"
