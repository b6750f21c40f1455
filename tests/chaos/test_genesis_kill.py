"""kill -9 in each phase of a scan: it resumes, reports everything once, and releases its slot."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from loremark.features.genesis.service import PHASES
from loremark.storage.connect import open_database
from loremark.storage.database import Row
from loremark.storage.tables import ai_reservations, events, jobs, running_scans, sessions, usage_counters
from tests.chaos.crashes import crashing_process
from tests.features.scan_project import FILES, PLANTED
from tests.features.signed_tool import Tool
from tests.servers.git import Commit, GitServer, make_repository
from tests.servers.https import Authority
from tests.servers.scripted_model import Request, Say, ScriptedModel
from tests.support import databases
from tests.support.forking import ForkedProcess
from tests.support.processes import Loremark

pytestmark = pytest.mark.anyio

_TIMEOUT_S = 90.0
_CHUNKS = 3
_MODULE = (
    b'"""Part %d of the shop."""\n\nfrom shop.money import total\n\n\ndef count_%d(order):\n    return total(order)\n'
)
_TREE = (
    FILES
    | {b"shop/run.py": PLANTED}
    | {b"shop/parts/part%d.py" % number: _MODULE % (number, number) for number in range(90)}
)
_POINTS = {
    "in short": ["fetch_files/after-end", "analyze/after", "assemble/before-end"],
    "before": [*(f"{phase}/before-end" for phase in PHASES[:3]), "analyze/before"]
    + [f"{phase}/before-end" for phase in PHASES[3:]],
    "after": [*(f"{phase}/after-end" for phase in PHASES[:3]), "analyze/after"]
    + [f"{phase}/after-end" for phase in PHASES[3:]],
}
_WAYS = [pytest.param(name, marks=[] if name == "in short" else [pytest.mark.slow]) for name in _POINTS]


def _answer(request: Request) -> Say:
    """A model that reports one finding per chunk, uses tokens, and finds nothing in the scan's own events."""
    if '"findings"' not in request.text:
        return Say(json.dumps({"items": []}))
    named = re.search(r"BEGIN DATA file=(\S+)", request.text)
    path = named[1] if named is not None else "README.md"
    finding = {"layer": "conventions", "title": f"Counting begins in {path}", "content": f"{path} counts first."}
    return Say(json.dumps({"findings": [{**finding, "importance": 3, "files": [path], "tags": ["count"]}]}))


class _Project:
    """A project with the repository, used by a signed tool and its owner."""

    def __init__(self, key: dict[str, str], tool: Tool) -> None:
        self.key = key
        self.tool = tool

    @classmethod
    def connect(cls, http: httpx.Client, key: dict[str, str], url: str, project_id: str | None = None) -> _Project:
        if project_id is None:
            made = http.post("/api/projects", headers=key, json={"name": "Another"})
            assert made.status_code == 201, made.text
            project_id = str(made.json()["id"])
        changed = http.patch(f"/api/projects/{project_id}", headers=key, json={"repoUrl": url})
        assert changed.status_code == 200, changed.text
        secret = http.get(f"/api/projects/{project_id}/hmac-secret", headers=key).json()["secret"]
        return cls(key, Tool(project_id, secret))

    def start(self, http: httpx.Client) -> str:
        raw = json.dumps({"projectId": self.tool.project_id}).encode()
        started = http.post("/api/v2/genesis/start", content=raw, headers=self.tool.headers(raw))
        assert started.status_code == 202, started.text
        return str(started.json()["scanId"])

    def ask(self, http: httpx.Client, name: str) -> dict[str, Any]:
        path = f"/api/v2/genesis/{name}?projectId={self.tool.project_id}"
        answer = http.get(path, headers=self.tool.headers(b""))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def wait(self, http: httpx.Client) -> dict[str, Any]:
        """Wait for the scan and the sessions it creates; returns the scan."""

        def is_finished() -> bool:
            if self.ask(http, "status")["scan"]["completedAt"] is None:
                return False
            listed = http.get(f"/api/v2/sessions?projectId={self.tool.project_id}", headers=self.key).json()
            return all(session["status"] in ("completed", "failed") for session in listed)

        _wait_until(is_finished)
        scan: dict[str, Any] = self.ask(http, "status")["scan"]
        return scan

    def outcome(self, http: httpx.Client) -> dict[str, Any]:
        """Everything the scan produced, without ids and times."""
        results = self.ask(http, "results")
        findings = [{k: v for k, v in found.items() if k not in ("id", "createdAt")} for found in results["findings"]]
        named = f"projectId={self.tool.project_id}"
        items = http.get(f"/api/v2/items?{named}", headers=self.key).json()
        listed = http.get(f"/api/contexts?{named}", headers=self.key).json()
        contexts = [http.get(f"/api/contexts/{one['id']}", headers=self.key).json() for one in listed]
        return {
            "findings": sorted(findings, key=lambda found: (found["layer"], found["title"])),
            "techStack": results["techStack"],
            "files": results["summary"]["filesAnalyzed"],
            "items": sorted((item["title"], item["type"], item["content"]) for item in items),
            "contexts": sorted((context["schemaKey"], context["content"]) for context in contexts),
        }


def _wait_until(condition: Callable[[], bool]) -> None:
    stop = time.monotonic() + _TIMEOUT_S
    while not condition():
        assert time.monotonic() < stop, "timed out"
        time.sleep(0.05)


def _is_ready(http: httpx.Client) -> bool:
    try:
        return http.get("/readyz").status_code == 200
    except httpx.HTTPError:
        return False


def _wait_killed(child: ForkedProcess, point: str, log: Path) -> None:
    try:
        child.wait(_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{point} was not reached:\n{log.read_text(errors='replace')[-4000:]}") from None
    assert child.returncode == -9, log.read_text(errors="replace")


def _processes_in(folder: Path) -> list[str]:
    """The commands of processes whose working folder is inside this one: ours, readers and git."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if place.joinpath("cwd").readlink().is_relative_to(folder):
                found.append(place.joinpath("cmdline").read_text().replace("\0", " "))
    return found


@pytest.mark.parametrize("way", _WAYS)
async def test_scan_survives_kill(loremark: Loremark, tmp_path: Path, way: str) -> None:
    log = loremark.folder / "crashing.log"
    loremark.settings.pop("LOREMARK_PLANS_FILE", None)  # the default plans allow a model
    authority = Authority(tmp_path / "authority")
    with ScriptedModel() as model, GitServer(authority, tmp_path / "served") as server:
        model.always(_answer)
        make_repository(server.root / "o/shop", [Commit(b"feat: the shop opens", _TREE)])
        loremark.settings |= _settings(loremark.folder, server, authority, model)
        made = loremark.create_owner()
        key = {"Authorization": f"Bearer {made['apiKey']}"}
        first, *others = _POINTS[way]
        with crashing_process(loremark, first) as (child, http):
            _wait_until(lambda: _is_ready(http))
            shop = _Project.connect(http, key, server.url("o/shop"), made["projectId"])
            scan_id = shop.start(http)
            _wait_killed(child, first, log)
        for point in others:
            with crashing_process(loremark, point) as (child, _):
                _wait_killed(child, point, log)
            _wait_until(lambda: not _processes_in(loremark.folder))
        with crashing_process(loremark, "") as (child, http):
            _wait_until(lambda: _is_ready(http))
            scan = shop.wait(http)
            assert (scan["id"], scan["phase"], scan["error"]) == (scan_id, "complete", None)
            assert scan["filesProcessed"] == scan["filesTotal"] == len(_TREE) - 1  # the image is not text
            assert scan["chunksProcessed"] == scan["chunksTotal"] == _CHUNKS
            interrupted = shop.outcome(http)
            assert max(Counter(title for title, _, _ in interrupted["items"]).values()) == 1
            charged = await _check_rows(loremark, shop, scan_id, _POINTS[way])
            uninterrupted = _Project.connect(http, key, server.url("o/shop"))
            uninterrupted.start(http)
            assert uninterrupted.wait(http)["phase"] == "complete"
            assert interrupted == uninterrupted.outcome(http), "same as an uninterrupted scan"
            assert await _charged_tokens(loremark) == 2 * charged, "nothing was charged twice"
            again = shop.start(http)
            assert (shop.wait(http)["id"], shop.outcome(http)["items"]) == (again, interrupted["items"])
        _wait_until(lambda: not _processes_in(loremark.folder))


def _settings(folder: Path, server: GitServer, authority: Authority, model: ScriptedModel) -> dict[str, str]:
    return {
        "LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8",
        "LOREMARK_CA_FILE": str(authority.ca_file),
        "LOREMARK_REPO_HOSTS": f"127.0.0.1:{server.port}",
        "LOREMARK_CACHE_DIR": str(folder / "cache"),
        "LOREMARK_ROUTE_LIMITS": "genesis.start=0",
        "LOREMARK_LLM_SMALL": "openai:scripted-1",
        "LOREMARK_LLM_MEDIUM": "openai:scripted-1",
        "LOREMARK_LLM_BASE_URL": model.base_url(),
        "LOREMARK_LLM_API_KEY": "none",
        "LOREMARK_LOG_LEVEL": "warning",
    }


async def _check_rows(loremark: Loremark, shop: _Project, scan_id: str, points: Sequence[str]) -> int:
    """Check for one session, one event, one job and no held slot; returns the charged tokens."""
    sent = [row for row in await _rows(loremark, events) if row["project_id"] == shop.tool.project_id]
    assert [json.loads(row["payload"])["scanId"] for row in sent] == [scan_id]
    assert [row["id"] for row in await _rows(loremark, sessions)] == [sent[0]["session_id"]]
    scans = [row for row in await _rows(loremark, jobs) if row["kind"] == "genesis.scan"]
    assert [row["attempt"] for row in scans] == [len(points) + 1]
    assert not await _rows(loremark, running_scans)
    lost = len(await _rows(loremark, ai_reservations))  # of calls whose answer was lost, until they expire
    assert lost <= sum(point.endswith(("before", "before-end")) for point in points)
    return await _charged_tokens(loremark)


async def _charged_tokens(loremark: Loremark) -> int:
    used = {row["counter"]: int(row["used"]) for row in await _rows(loremark, usage_counters)}
    return used["ai_tokens"]


async def _rows(loremark: Loremark, table: Any) -> list[Row]:
    database = await open_database(databases.storage_address(loremark.database_url))
    try:
        async with database.read() as tx:
            return await tx.many(select(table))
    finally:
        await database.close()
