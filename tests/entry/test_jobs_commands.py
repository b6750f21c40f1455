"""``loremark admin jobs``."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Awaitable, Callable
from typing import TypeVar

from loremark.base import clock
from loremark.jobs import queue
from loremark.jobs.run import Run
from loremark.storage.connect import open_database
from loremark.storage.database import Database
from tests.support import databases
from tests.support.processes import Loremark

T = TypeVar("T")


def _on(loremark: Loremark, ask: Callable[[Database], Awaitable[T]]) -> T:
    async def inside() -> T:
        database = await open_database(databases.storage_address(loremark.database_url))
        try:
            return await ask(database)
        finally:
            await database.close()

    return asyncio.run(inside())


async def _prepare(database: Database) -> tuple[str, str, str]:
    """One job that failed in its second stage, one running, one queued."""
    async with database.write() as tx:
        failed = await queue.enqueue(tx, "mail", {"to": "secret@example.com"}, max_attempts=1, stages=["ask", "send"])
        await queue.enqueue(tx, "purge", {})
        job = await queue.claim(tx, "/mail", "worker", 60_000)
        running = await queue.claim(tx, "/purge", "worker", 60_000)
    assert job is not None
    assert running is not None
    run = Run(database, job)
    async with run.finish("ask"):
        pass
    await run.begin("send")
    async with database.write() as tx:
        await run.mark_failed(tx)
        await queue.fail(tx, job, "OSError: no route\nto host", retry_in_ms=None)
        waiting = await queue.enqueue(tx, "purge", {}, run_at_ms=clock.now_ms() + clock.DAY_MS)
    return failed, running.id, waiting


def _refused(ended: subprocess.CompletedProcess[str]) -> str:
    assert (ended.returncode, ended.stdout) == (2, ""), ended
    assert ended.stderr.startswith("loremark: ")
    assert ended.stderr.count("\n") == 1
    return ended.stderr.strip().removeprefix("loremark: ")


def test_list_show_retry_and_cancel_jobs(loremark: Loremark) -> None:
    failed, running, waiting = _on(loremark, _prepare)

    def jobs(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return loremark.run("admin", "jobs", *arguments, check=check)

    lines = jobs("list").stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [[waiting, "queued"], [running, "running"], [failed, "failed"]]
    assert lines[2].endswith("1/1  mail  OSError: no route to host")
    some = json.loads(jobs("list", "--status", "queued", "--kind", "purge", "--json").stdout)
    assert [job["id"] for job in some] == [waiting]

    shown = jobs("show", failed).stdout
    assert "secret@example.com" not in shown
    job = json.loads(shown)
    assert (job["status"], job["error"], job["attempt"]) == ("failed", "OSError: no route\nto host", 1)
    assert [(stage["stage"], stage["status"]) for stage in job["stages"]] == [("ask", "completed"), ("send", "failed")]

    assert jobs("retry", failed).stdout == f"{failed} is queued again.\n"
    assert (
        _refused(jobs("retry", failed, check=False))
        == f"{failed} is queued; only failed and cancelled jobs can be retried"
    )

    assert jobs("cancel", waiting).stdout == f"{waiting} is cancelled.\n"
    assert jobs("cancel", running).stdout == f"{running} will stop at its next step.\n"
    assert _refused(jobs("cancel", waiting, check=False)) == f"{waiting} is cancelled; there is nothing to cancel"
    left = {job["id"]: job for job in json.loads(jobs("list", "--json").stdout)}
    assert [left[job_id]["status"] for job_id in (failed, running, waiting)] == ["queued", "running", "cancelled"]
    assert [left[job_id]["cancelRequested"] for job_id in (failed, running)] == [False, True]


def test_unknown_job(loremark: Loremark) -> None:
    for command in ("show", "retry", "cancel"):
        ended = loremark.run("admin", "jobs", command, "job_nobody", check=False)
        assert _refused(ended) == "No job job_nobody (see: loremark admin jobs list)"
