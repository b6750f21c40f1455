"""kill -9 while a session with many events is being deleted: the next start deletes the rest."""

from __future__ import annotations

import hashlib
import time

from sqlalchemy import update

from loremark.base import clock, ids
from loremark.features.metering.project_deletion import SESSION_PURGE
from loremark.storage.database import Database
from loremark.storage.statements import Bulk
from loremark.storage.tables import blobs, events, jobs, sessions, turns
from tests.chaos import ledger
from tests.entry.owner import make_owner
from tests.support.processes import Loremark

MANY = 20_000
_AT_ONCE = 1_000
_EVENTS = Bulk(
    events,
    (
        "id",
        "team_id",
        "project_id",
        "session_id",
        "event",
        "payload",
        "content_hash",
        "size_bytes",
        "created_at_ms",
    ),
    ("content_hash",),
)


async def _fill(database: Database, team_id: str, project: str, session: str) -> None:
    """Insert many events without text."""
    for _ in range(MANY // _AT_ONCE):
        rows = []
        for _ in range(_AT_ONCE):
            event_id = ids.new("evt")
            hashed = hashlib.sha256(event_id.encode()).digest()
            rows.append((event_id, team_id, project, session, "context_update", "{}", hashed, 2, clock.now_ms()))
        async with database.write() as tx:
            await tx.insert_new(_EVENTS, rows)
    async with database.write() as tx:
        await tx.run(update(sessions).where(sessions.c.id == session).values(event_count=MANY + 1))


async def _remaining(database: Database) -> tuple[int, int, int, list[str]]:
    """The number of events, turns and blobs, and the status of the purge job."""
    purges = await ledger.rows(database, jobs, jobs.c.kind == SESSION_PURGE)
    counts = [await ledger.count(database, table) for table in (events, turns, blobs)]
    return counts[0], counts[1], counts[2], [row["status"] for row in purges]


def test_killed_session_deletion_is_finished_after_the_restart(loremark: Loremark) -> None:
    loremark.settings.pop("LOREMARK_PLANS_FILE", None)
    owner = make_owner(loremark)
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        body = {"projectId": owner["projectId"], "event": "session_save", "payload": {"summary": "x" * 50_000}}
        session = http.post("/api/v2/events", json=body).json()["sessionId"]
        ledger.with_database(
            loremark.database_url, lambda database: _fill(database, owner["teamId"], owner["projectId"], session)
        )
        assert http.delete(f"/api/v2/sessions/{session}").status_code == 204
        assert http.get(f"/api/v2/sessions/{session}").status_code == 404
        process.kill()
    remaining, _, blob_count, purge_states = ledger.with_database(loremark.database_url, _remaining)
    assert (blob_count, len(purge_states)) == (1, 1)
    assert remaining > 0, "the request itself does not delete all events"
    with loremark.start() as process:
        process.wait_ready(60)
        stop = time.monotonic() + 90
        while ledger.with_database(loremark.database_url, _remaining) != (0, 0, 0, ["completed"]):
            assert time.monotonic() < stop, ledger.with_database(loremark.database_url, _remaining)
            time.sleep(0.2)
