"""kill -9 at any moment: after the restart, acknowledged writes are stored and no write is partial."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import update

from loremark.features.projects.jobs import project_tables
from loremark.storage import schema
from loremark.storage.database import Database
from loremark.storage.tables import events, jobs, metadata, outbox, projects
from tests.chaos import ledger
from tests.chaos.clients import Clients
from tests.chaos.filling import fill, fill_table
from tests.chaos.preparation import prepare
from tests.entry.owner import make_owner
from tests.support import databases
from tests.support.processes import Loremark, Process

_ROUNDS = 6


@pytest.mark.both_engines
def test_no_acknowledged_write_is_lost(loremark: Loremark) -> None:
    """Five clients write; the server is killed at random moments, also during startup, and restarted."""
    rng = random.Random()
    clients = Clients(make_owner(loremark)["apiKey"])
    for number in range(_ROUNDS):
        if number == _ROUNDS // 2:
            with loremark.start() as starting:
                time.sleep(rng.uniform(0.2, 0.8))
                starting.kill()
        with loremark.start() as process:
            process.wait_ready()
            _check_keys(process, rng.sample(clients.keys, min(5, len(clients.keys))))
            with clients.writing(process.url, rng.randint(4, 30)):
                time.sleep(rng.uniform(0.0, 0.05))
                process.kill()
            assert clients.refused == []
        ledger.check_acknowledged_writes(loremark.database_url, clients.acknowledged, clients.attempted)
    assert clients.writes > 3 * _ROUNDS
    assert sum(clients.connection_errors.values()) >= _ROUNDS, "each kill interrupts a request"


def _check_keys(process: Process, keys: list[str]) -> None:
    """Keys issued before the kill still work."""
    with process.client() as http:
        for key in keys:
            assert http.get("/api/auth/me", headers={"Authorization": f"Bearer {key}"}).status_code == 200


def _migration_has_begun(address: str | Path) -> bool:
    if isinstance(address, Path):
        return address.exists()
    return asyncio.run(_holds_migration_lock(address))


async def _holds_migration_lock(url: str) -> bool:
    connection = await asyncpg.connect(url)
    try:
        found: bool = await connection.fetchval(
            "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database "
            "WHERE locktype = 'advisory' AND datname = current_database())"
        )
        return found
    finally:
        await connection.close()


async def _tables(address: str | Path) -> set[str]:
    if isinstance(address, Path):
        with closing(sqlite3.connect(address)) as file:
            return {row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection = await asyncpg.connect(address)
    try:
        found = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {row["tablename"] for row in found}
    finally:
        await connection.close()


def test_kill_during_the_first_migration_leaves_all_or_nothing(engine: str, tmp_path: Path) -> None:
    address = databases.empty(engine, tmp_path)
    url = f"sqlite:///{address}" if isinstance(address, Path) else address
    loremark = prepare(Loremark(tmp_path, url))
    for pause in (0.0, 0.05):
        with loremark.start() as process:
            stop = time.monotonic() + 60
            while not _migration_has_begun(address) and time.monotonic() < stop:
                time.sleep(0.001)
            time.sleep(pause)
            process.kill()
        found = asyncio.run(_tables(address))
        if found:
            assert found == {*metadata.tables, "alembic_version"}
            assert asyncio.run(schema.version(address)) == schema.HEAD
            break
    with loremark.start() as process:
        process.wait_ready()
        owner = make_owner(loremark)
        with process.client(owner["apiKey"]) as http:
            assert [project["id"] for project in http.get("/api/projects").json()] == [owner["projectId"]]


_MANY = 60_000


def _purge_is_halfway(url: str, project_id: str) -> bool:
    """Wait until some of the rows are deleted; returns whether others remain."""

    async def watch(database: Database) -> bool:
        async with asyncio.timeout(60):
            while (remaining := await ledger.count(database, events, events.c.project_id == project_id)) == _MANY:
                await asyncio.sleep(0.002)
        return remaining > 0

    return ledger.with_database(url, watch)


async def _end_leases(database: Database) -> None:
    """Expire the dead worker's lease immediately."""
    async with database.write() as tx:
        await tx.run(update(jobs).where(jobs.c.status == "running").values(lease_until_ms=0))


async def _remaining_rows(database: Database, project_id: str) -> dict[str, int]:
    permanent = [table for table in project_tables() if table is not outbox]  # the outbox empties itself
    tables = {table: table.c.project_id == project_id for table in permanent}
    tables[projects] = projects.c.id == project_id
    counts = {table.name: await ledger.count(database, table, condition) for table, condition in tables.items()}
    return {name: number for name, number in counts.items() if number}


# Background jobs update the brain, re-embed the inserted rows, whose vectors belong to no embedder, send what is in the
# outbox and prune old deliveries and plans.
_CHANGED_BY_JOBS = {
    "brains_to_check", "hygiene_plans", "items_to_embed", "item_vectors", "outbox", "turns_to_embed",
    "webhook_deliveries",
}  # fmt: skip


def test_killed_purge_is_finished_after_the_restart(loremark: Loremark) -> None:
    owner = make_owner(loremark)
    with loremark.start() as process, process.wait_ready().client(owner["apiKey"]) as http:
        doomed, kept = (http.post("/api/projects", json={"name": name}).json()["id"] for name in ("Doomed", "Kept"))
        blobs = [loremark.folder / "blobs" / project_id / ("0" * 64) for project_id in (doomed, kept)]
        for path, project_id in zip(blobs, (doomed, kept), strict=True):
            path.parent.mkdir(parents=True)
            path.write_bytes(b"content")
            ledger.with_database(
                loremark.database_url, partial(fill, team_id=owner["teamId"], project_id=project_id, rows=3)
            )
        ledger.with_database(
            loremark.database_url, lambda db: fill_table(db, events, owner["teamId"], doomed, _MANY - 3)
        )
        full = ledger.with_database(loremark.database_url, lambda db: _remaining_rows(db, kept))
        assert set(full) | _CHANGED_BY_JOBS >= {table.name for table in project_tables()}
        assert http.delete(f"/api/projects/{doomed}").status_code == 204
        assert http.get(f"/api/projects/{doomed}").status_code == 404
        assert _purge_is_halfway(loremark.database_url, doomed)
        process.kill()
    assert ledger.with_database(loremark.database_url, lambda db: _remaining_rows(db, doomed))["projects"] == 1
    assert blobs[0].exists()
    ledger.with_database(loremark.database_url, _end_leases)
    with loremark.start() as process:
        process.wait_ready()
        stop = time.monotonic() + 60
        while (remaining := ledger.with_database(loremark.database_url, lambda db: _remaining_rows(db, doomed))) != {}:
            assert time.monotonic() < stop, remaining
            time.sleep(0.1)
    assert [path.exists() for path in blobs] == [False, True]
    remaining = ledger.with_database(loremark.database_url, lambda db: _remaining_rows(db, kept))
    shrunk = {name for name, number in full.items() if remaining.get(name, 0) < number}
    assert shrunk <= _CHANGED_BY_JOBS, "only background jobs change the kept project"
