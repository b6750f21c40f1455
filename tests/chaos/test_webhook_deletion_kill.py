"""kill -9 right after a webhook with many deliveries is deleted: the next start removes the remaining ones."""

from __future__ import annotations

import time

from loremark.base import clock, ids
from loremark.storage.database import Database
from loremark.storage.statements import Bulk
from loremark.storage.tables import jobs, webhook_deliveries, webhooks
from tests.chaos import ledger
from tests.entry.owner import make_owner
from tests.support.processes import Loremark

MANY = 30_000
_AT_ONCE = 1_000
_DELIVERIES = Bulk(
    webhook_deliveries,
    (
        "id",
        "team_id",
        "project_id",
        "webhook_id",
        "event_id",
        "type",
        "body",
        "status",
        "attempts",
        "created_at_ms",
    ),
    ("id",),
)


async def _fill(database: Database, team_id: str, project: str, webhook: str) -> None:
    """Insert many completed deliveries."""
    shared = (team_id, project, webhook, "evt_told", "session.created", "{}", "delivered", 1, clock.now_ms())
    async with database.write() as tx:
        for _ in range(MANY // _AT_ONCE):
            await tx.insert_new(_DELIVERIES, [(ids.new("dlv"), *shared) for _ in range(_AT_ONCE)])


async def _remaining(database: Database) -> tuple[int, int, list[str]]:
    """The number of webhooks and deliveries, and the status of the purge job."""
    purges = await ledger.rows(database, jobs, jobs.c.kind == "webhooks.purge")
    counts = [await ledger.count(database, table) for table in (webhooks, webhook_deliveries)]
    return counts[0], counts[1], [row["status"] for row in purges]


def test_killed_webhook_deletion_is_finished_after_the_restart(loremark: Loremark) -> None:
    loremark.settings.pop("LOREMARK_PLANS_FILE", None)
    owner = make_owner(loremark)
    with loremark.start() as process, process.wait_ready(60).client(owner["apiKey"]) as http:
        body = {"projectId": owner["projectId"], "url": "https://93.184.215.14/", "events": ["session.created"]}
        webhook = http.post("/api/webhooks", json=body).json()["id"]
        ledger.with_database(
            loremark.database_url, lambda database: _fill(database, owner["teamId"], owner["projectId"], webhook)
        )
        assert http.delete(f"/api/webhooks/{webhook}").status_code == 204
        process.kill()
    webhook_count, remaining, purge_states = ledger.with_database(loremark.database_url, _remaining)
    assert (webhook_count, len(purge_states)) == (0, 1)
    assert remaining > 0, "the request itself does not delete the deliveries"
    with loremark.start() as process:
        process.wait_ready(60)
        stop = time.monotonic() + 90
        while ledger.with_database(loremark.database_url, _remaining) != (0, 0, ["completed"]):
            assert time.monotonic() < stop, ledger.with_database(loremark.database_url, _remaining)
            time.sleep(0.2)
