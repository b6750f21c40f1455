"""kill -9 in each pipeline stage: it resumes without duplicate items, lost events or double charges."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from loremark.storage.connect import open_database
from loremark.storage.database import Database, Row
from loremark.storage.tables import ai_reservations, candidates, events, jobs, usage_counters
from tests.chaos.crashes import crashing_process
from tests.features.signed_tool import Tool
from tests.servers.scripted_model import Request, Say, ScriptedModel
from tests.support import databases
from tests.support.forking import ForkedProcess
from tests.support.processes import Loremark

pytestmark = pytest.mark.anyio

_STAGES = ("enrich", "embed", "dedup", "drift_check")
_EVENTS = 25
_CALLS = 1  # the session fits into one prompt
_COST = 11 + 7
_TIMEOUT_S = 60.0
_THINGS = (
    "invoice renderer", "session store", "thumbnail worker", "search indexer", "rate limiter", "audit log",
    "mail queue", "feature flags", "price import", "map tiles", "login form", "backup job", "chat relay",
    "export wizard", "barcode scanner", "weather feed", "video encoder", "tax engine", "seat planner",
    "log shipper", "photo uploader", "quota service", "route planner", "voice menu", "table editor",
)  # fmt: skip


def _payload(number: int) -> dict[str, Any]:
    thing = _THINGS[number]
    text = f"The {thing} lost data because its buffer was not flushed on shutdown. Fixed in src/part{number}.py."
    return {
        "summary": "",
        "changes": [{"category": "bugfix", "title": f"Fix lost data in the {thing}", "content": text}],
    }


def _answer(request: Request) -> Say:
    """A model that finds nothing new but still uses tokens."""
    return Say(json.dumps({"items": []}))


def _wait_ready(child: ForkedProcess, http: httpx.Client, log: Path) -> bool:
    """Wait until the server responds; returns False if it was killed first."""
    stop = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < stop:
        if child.poll() is not None:
            assert child.returncode == -9, log.read_text(errors="replace")
            return False
        try:
            if http.get("/readyz").status_code == 200:
                return True
        except httpx.HTTPError:
            pass
        time.sleep(0.05)
    raise TimeoutError(log.read_text(errors="replace"))


def _wait_killed(child: ForkedProcess, log: Path) -> None:
    try:
        child.wait(_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"the crash point was not reached:\n{log.read_text(errors='replace')[-4000:]}") from None
    assert child.returncode == -9, log.read_text(errors="replace")


def _wait_job(http: httpx.Client, key: dict[str, str], session_id: str) -> dict[str, Any]:
    stop = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < stop:
        (job, *_) = http.get(f"/api/v2/sessions/{session_id}/jobs", headers=key).json()
        if job["status"] in ("completed", "failed"):
            return dict(job)
        time.sleep(0.1)
    raise TimeoutError(str(job))


@pytest.mark.parametrize(
    ("engine", "when"),
    [
        ("postgresql", "before"),
        ("sqlite", "after"),
        pytest.param("postgresql", "after", marks=pytest.mark.nightly),
        pytest.param("sqlite", "before", marks=pytest.mark.nightly),
    ],
    indirect=["engine"],
)
async def test_pipeline_survives_kill_in_every_stage(loremark: Loremark, when: str) -> None:
    log = loremark.folder / "crashing.log"
    loremark.settings.pop("LOREMARK_PLANS_FILE", None)  # the default plans allow a model
    with ScriptedModel() as model:
        model.always(_answer)
        loremark.settings |= {
            "LOREMARK_LLM_SMALL": "openai:scripted-1",
            "LOREMARK_LLM_MEDIUM": "openai:scripted-1",
            "LOREMARK_LLM_BASE_URL": model.base_url(),
            "LOREMARK_LLM_API_KEY": "none",
            "LOREMARK_LOG_LEVEL": "warning",
        }
        owner = loremark.create_owner()
        key = {"Authorization": f"Bearer {owner['apiKey']}"}
        with crashing_process(loremark, f"{_STAGES[0]}/{when}") as (child, http):
            assert _wait_ready(child, http, log)
            session_id = _send_events(http, key, owner["projectId"])
            started = http.post(f"/api/v2/sessions/{session_id}/enrich", headers=key)
            assert started.status_code == 202, started.text
            _wait_killed(child, log)
        for stage in _STAGES[1:]:
            with crashing_process(loremark, f"{stage}/{when}") as (child, http):
                _wait_killed(child, log)
        with crashing_process(loremark, "") as (child, http):
            assert _wait_ready(child, http, log)
            job = _wait_job(http, key, session_id)
            assert job["status"] == "completed", job
            items = http.get(f"/api/v2/items?projectId={owner['projectId']}", headers=key).json()
            session = http.get(f"/api/v2/sessions/{session_id}", headers=key).json()
    assert job["itemsExtracted"] == session["itemsExtracted"] == len(items) == _EVENTS
    assert max(Counter(item["title"] for item in items).values()) == 1
    assert session["status"] == "completed"
    assert session["enrichmentModel"] == "openai:scripted-1"
    await _check_ledger(loremark, job["id"])


def _send_events(http: httpx.Client, key: dict[str, str], project_id: str) -> str:
    secret = http.get(f"/api/projects/{project_id}/hmac-secret", headers=key).json()["secret"]
    tool = Tool(project_id, secret)
    sessions = {tool.send_sync(http, _payload(number)).json()["sessionId"] for number in range(_EVENTS)}
    (session_id,) = sessions
    return str(session_id)


async def _check_ledger(loremark: Loremark, job_id: str) -> None:
    database = await open_database(databases.storage_address(loremark.database_url))
    try:
        counts = Counter(row["enriched_by"] for row in await _rows(database, events))
        assert counts == {job_id: _EVENTS}
        assert [row["attempt"] for row in await _rows(database, jobs) if row["id"] == job_id] == [5]
        used = {row["counter"]: row["used"] for row in await _rows(database, usage_counters)}
        assert used["ai_tokens"] == _CALLS * _COST
        assert not await _rows(database, candidates)
        assert len(await _rows(database, ai_reservations)) <= 1  # of a lost call, until it expires
    finally:
        await database.close()


async def _rows(database: Database, table: Any) -> list[Row]:
    async with database.read() as tx:
        return await tx.many(select(table))
