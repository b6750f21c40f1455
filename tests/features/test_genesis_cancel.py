"""Cancelling a scan in any phase, and scans whose job was lost."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from loremark.base import ids
from loremark.features.genesis.jobs import UPKEEP, Upkeep
from loremark.features.genesis.service import PHASES, SCAN
from loremark.jobs import leases, operator
from loremark.jobs.queue import Job
from loremark.jobs.run import Run
from loremark.storage.database import Row, Tx
from loremark.storage.tables import events, findings, jobs, running_scans, scan_files, scans
from tests.features.scan_project import (
    PLANTED,
    REPOSITORY,
    ScanProject,
    create_scan_project,
    rows_of,
    scan_settings,
    serve_shop,
)
from tests.features.signed_tool import tool_for
from tests.servers.git import Commit, GitServer
from tests.servers.https import Authority
from tests.support.service import Service, run_service

pytestmark = pytest.mark.anyio

_TIMEOUT_S = 60.0
_LOST = "The scan was interrupted and could not finish. Start a new scan."


class Gate:
    """Pauses scans at the start of a phase, or just before its end is committed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._point = ("", "")
        self._is_reached = asyncio.Event()
        self._is_open = asyncio.Event()
        begin, finish = Run.begin, Run.finish

        async def held_begin(run: Run, stage: str, *more: Any) -> None:
            await begin(run, stage, *more)
            await self._wait_at(run, stage, "begin")

        @asynccontextmanager
        async def held_finish(run: Run, stage: str) -> AsyncIterator[Tx]:
            async with finish(run, stage) as tx:
                yield tx
                await self._wait_at(run, stage, "end")

        monkeypatch.setattr(Run, "begin", held_begin)
        monkeypatch.setattr(Run, "finish", held_finish)

    async def _wait_at(self, run: Run, stage: str, where: str) -> None:
        if run.job.kind == SCAN and (stage, where) == self._point:
            self._is_reached.set()
            await self._is_open.wait()

    def close(self, phase: str, where: str = "begin") -> None:
        self._point = (phase, where)
        self._is_reached.clear()
        self._is_open.clear()

    async def reached(self) -> None:
        async with asyncio.timeout(_TIMEOUT_S):
            await self._is_reached.wait()

    def open(self) -> None:
        self._point = ("", "")
        self._is_open.set()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    created = Gate(monkeypatch)
    yield created
    created.open()


class SlowServer(GitServer):
    """A git server that can delay its responses like a slow host."""

    def __init__(self, authority: Authority, root: Path) -> None:
        self.is_answering = threading.Event()
        self.is_answering.set()
        self.was_called = threading.Event()
        super().__init__(authority, root)

    def accepts(self, authorization: str | None) -> bool:
        self.was_called.set()
        self.is_answering.wait(60.0)
        return super().accepts(authorization)

    def stop(self) -> None:
        self.is_answering.set()
        super().stop()


@pytest.fixture
def server(authority: Authority, tmp_path: Path) -> Iterator[SlowServer]:
    running = SlowServer(authority, tmp_path / "served")
    with running:
        yield running


@pytest.fixture
async def service(
    server: SlowServer, authority: Authority, database_url: str, tmp_path: Path
) -> AsyncIterator[Service]:
    async with run_service(scan_settings(server, authority, database_url, tmp_path)) as running:
        yield running


@pytest.fixture
async def shop(service: Service, server: SlowServer) -> ScanProject:
    serve_shop(server, Commit(b"feat: run commands", {b"shop/run.py": PLANTED}))
    return await create_scan_project(service, server.url(REPOSITORY))


async def _jobs(service: Service, scan_id: str) -> list[Row]:
    return [row for row in await rows_of(service, jobs) if row["kind"] == SCAN and scan_id in row["payload"]]


async def _completed_phases(service: Service, scan_id: str) -> list[str]:
    """The completed phases of a scan."""
    (job,) = await _jobs(service, scan_id)
    return [stage["stage"] for stage in json.loads(job["stages"]) if stage["status"] == "completed"]


async def test_cancelled_selective_scan_has_findings_from_unchanged_files(shop: ScanProject, gate: Gate) -> None:
    await shop.scan()
    complete = {finding["title"] for finding in (await shop.results())["findings"]} - {"Scan notes"}
    gate.close("analyze")
    assert (await shop.start(selective=True)).status_code == 202
    await gate.reached()
    assert (await shop.cancel()).status_code == 200
    gate.open()
    scan = await shop.wait()
    assert (scan["phase"], scan["filesTotal"], scan["filesProcessed"]) == ("cancelled", 9, 0)
    assert {finding["title"] for finding in (await shop.results())["findings"]} == complete


async def test_scan_can_be_cancelled_in_each_phase(shop: ScanProject, gate: Gate) -> None:
    for phase in PHASES:
        gate.close(phase)
        started = await shop.start()
        assert started.status_code == 202, f"{phase}: {started.text}"
        await gate.reached()
        assert (await shop.status())["phase"] == phase
        answers = [await shop.cancel(), await shop.cancel()]
        assert [answer.status_code for answer in answers] == [200, 200], "the scan is running until its phase has ended"
        assert {answer.json()["scanId"] for answer in answers} == {started.json()["scanId"]}
        assert isinstance(answers[0].json()["findingsPreserved"], int)
        gate.open()
        scan = await shop.wait()
        assert (scan["phase"], scan["error"]) == ("cancelled", None), phase
        done = await _completed_phases(shop.service, scan["id"])
        assert done == list(PHASES[: PHASES.index(phase) + 1]), "the current phase finishes and no other starts"
        await _check_findings(shop, scan, phase, answers[0].json()["findingsPreserved"])
        refused = await shop.cancel()
        assert (refused.status_code, refused.json()["error"]) == (400, "No scan in progress")
        assert not await rows_of(shop.service, running_scans)
        assert not [row for row in await rows_of(shop.service, scan_files) if row["scan_id"] == scan["id"]]
    complete = await shop.scan()
    assert (complete["phase"], complete["error"]) == ("complete", None)
    assert {row["scan_id"] for row in await rows_of(shop.service, findings)} == {complete["id"]}


async def _check_findings(shop: ScanProject, scan: dict[str, Any], phase: str, preserved: int) -> None:
    results = await shop.results()
    found = results["findings"]
    assert results["summary"]["totalFindings"] == len(found) == scan["findingsCount"] >= preserved
    layers = {finding["layer"] for finding in found}
    if PHASES.index(phase) >= PHASES.index("analyze"):
        assert layers >= {"product", "dataModel", "security"}, f"{phase}: findings from its files are kept"
        assert "Python" in {tech["name"] for tech in results["techStack"]}
    else:
        assert layers == set()
    if PHASES.index(phase) > PHASES.index("synthesize"):
        assert preserved > 0


async def test_scan_cancelled_before_the_last_phase_creates_no_items(shop: ScanProject, gate: Gate) -> None:
    gate.close("security_audit")
    await shop.start()
    await gate.reached()
    await shop.cancel()
    gate.open()
    assert (await shop.wait())["phase"] == "cancelled"
    await shop.service.wait_for_jobs(_TIMEOUT_S)
    assert await rows_of(shop.service, events) == []
    assert await shop.items() == []


async def test_scan_of_a_slow_host_can_be_cancelled(shop: ScanProject, server: SlowServer) -> None:
    server.is_answering.clear()
    server.was_called.clear()
    await shop.start()
    assert await asyncio.to_thread(server.was_called.wait, _TIMEOUT_S)
    assert (await shop.cancel()).status_code == 200
    server.is_answering.set()
    assert (await shop.wait())["phase"] == "cancelled"
    assert (await shop.scan())["phase"] == "complete"


async def test_cancelling_a_scan_that_just_ended_fails(shop: ScanProject, gate: Gate) -> None:
    """The end is written but not committed when the cancel arrives: it waits, then finds no running scan."""
    gate.close("assemble", "end")
    await shop.start()
    await gate.reached()
    cancelling = asyncio.create_task(shop.cancel())
    await asyncio.sleep(0.3)
    gate.open()
    answer = await cancelling
    (scan,) = await rows_of(shop.service, scans)
    assert (answer.status_code, scan["phase"], scan["cancel_requested"]) == (400, "complete", False)


async def _run_upkeep(service: Service) -> None:
    job = Job(id=ids.new("job"), kind=UPKEEP, payload={}, attempt=1, max_attempts=1, started_at_ms=0)
    await Upkeep(service.runtime.database)(Run(service.runtime.database, job))


@pytest.mark.parametrize("how", ["under way", "waiting", "lost"])
async def test_scan_with_a_lost_job_fails_with_a_message(
    shop: ScanProject, server: SlowServer, gate: Gate, how: str
) -> None:
    service = shop.service
    gate.close("analyze")
    await shop.start()
    await gate.reached()
    interrupted = shop
    if how != "under way":  # a team runs one scan at a time, so the second waits for the first
        interrupted = ScanProject(service, shop.owner, await tool_for(shop.owner, name="Second"))
        changes = {"repoUrl": server.url(REPOSITORY)}
        assert (await shop.owner.patch(f"/api/projects/{interrupted.tool.project_id}", changes)).status_code == 200
        assert (await interrupted.start()).status_code == 202
    scan_id = (await interrupted.status())["id"]
    (job,) = await _jobs(service, scan_id)
    await _run_upkeep(service)
    assert (await interrupted.status())["completedAt"] is None, "queued and running scans are left alone"
    async with service.runtime.database.write() as tx:
        if how == "lost":
            expired = {"status": "running", "attempt": job["max_attempts"], "lease_until_ms": 1}
            await tx.run(update(jobs).where(jobs.c.id == job["id"]).values(**expired))
            await leases.reclaim_expired(tx)
        else:
            assert await operator.cancel_job(tx, job["id"])
    gate.open()
    await service.wait_for_jobs(_TIMEOUT_S)
    await _run_upkeep(service)
    ended = await interrupted.status()
    assert (ended["id"], ended["phase"], ended["error"]) == (scan_id, "failed", _LOST)
    assert ended["completedAt"] is not None
    async with service.runtime.database.write() as tx:
        assert await operator.retry_job(tx, job["id"])
    assert (await interrupted.scan())["phase"] == "complete"
    await service.wait_for_jobs(_TIMEOUT_S)
    assert [row["phase"] for row in await rows_of(service, scans) if row["id"] == scan_id] == ["failed"]
