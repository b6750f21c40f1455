"""On an embedded database, the first process after a crash does not wait for the leases of dead workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremark.jobs.runner_lock import hold_runner_lock
from loremark.storage.database import Database
from tests.jobs import work

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("engine", ["sqlite"], indirect=True)]


async def test_leases_of_dead_workers_are_reclaimed_at_once(database: Database, address: Path) -> None:
    job_id, last = await work.enqueue(database), await work.enqueue(database, max_attempts=1)
    for _ in range(2):
        assert await work.claim(database, "killed") is not None
    async with hold_runner_lock(database, address):
        again = await work.claim(database, "restarted")
    assert again is not None
    assert (again.id, again.attempt) == (job_id, 2)
    assert (await work.get(database, last))["error"] == "the process running the job stopped unexpectedly"


async def test_leases_of_live_workers_are_kept(database: Database, second_database: Database, address: Path) -> None:
    """Even after the first process has stopped, while the second is still running."""
    async with hold_runner_lock(second_database, address):
        first = hold_runner_lock(database, address)
        await first.__aenter__()
        job_id = await work.enqueue(database)
        assert await work.claim(second_database, "living") is not None
        await first.__aexit__(None, None, None)
        async with hold_runner_lock(database, address):
            assert await work.claim(database, "restarted") is None
            assert (await work.get(database, job_id))["lease_owner"] == "living"
