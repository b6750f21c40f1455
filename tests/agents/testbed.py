"""The test environment of an agent: a real server with a project, and a machine that is signed in and linked."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from loremark.client.calls.events import send_signed_event
from loremark.client.client import Client
from tests.agents.agent_specs import Agent, Workspace
from tests.agents.runs import AgentRunner, Run, run_bounded
from tests.support.processes import Loremark, Process

_BIN = Path(sys.executable).parent
_GIT = ("-c", "user.name=Dev", "-c", "user.email=dev@example.com", "-c", "commit.gpgsign=false")


@dataclass
class AgentEnvironment:
    """One server and one machine. The server can be stopped and restarted at the same address."""

    loremark: Loremark
    folder: Path
    key: str
    project: str
    server: Process
    waited: dict[str, float] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, database_url: str) -> AgentEnvironment:
        data = folder / "server"
        data.mkdir()
        loremark = Loremark(data, database_url)
        owner = loremark.create_owner()
        server = loremark.start().wait_ready(90)
        return cls(loremark, folder, owner["apiKey"], owner["projectId"], server)

    def close(self) -> None:
        if self.is_up:
            self.server.stop()

    @property
    def is_up(self) -> bool:
        return Path(f"/proc/{self.server.pid}").exists()

    def stop_server(self) -> None:
        self.server.stop()

    def restart_server(self) -> None:
        self.server = self.loremark.start(port=self.server.port).wait_ready(90)

    # The machine

    def runner(self, agent: Agent, packages: Path, model_url: str) -> AgentRunner:
        """Create a home and a linked repository for the agent, signed in but without Loremark installed."""
        place = Workspace(self.folder / "home", self.folder / "project")
        runner = AgentRunner(agent, place, packages, model_url, tools=(_BIN,))
        runner.prepare()
        (place.project / "README.md").write_text("A shop for stones.\n")
        for words in (["init", "-q", "-b", "main"], ["add", "."], [*_GIT, "commit", "-q", "-m", "First stone"]):
            subprocess.run(["git", "-C", str(place.project), *words], check=True, timeout=30)
        self.command(runner, "login", "--url", self.server.url, "--key", self.key)
        self.command(runner, "init", "--project", self.project)
        return runner

    def command(self, runner: AgentRunner, *words: str) -> Run:
        """Run a loremark command in the agent's environment. It must succeed."""
        run = run_bounded(
            [str(_BIN / "loremark"), *words], runner.place.project, runner.environment(), self.folder, seconds=90.0
        )
        assert run.code == 0, f"loremark {' '.join(words)} ended with {run.code}:\n{run.output}\n{run.errors}"
        return run

    # The memory

    def http(self) -> httpx.Client:
        return self.server.client(self.key)

    def get(self, path: str, **query: str) -> Any:
        with self.http() as http:
            answer = http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def briefing(self) -> str:
        """What holds for every task, as the server says it."""
        with self.http() as http:
            answer = http.post("/api/v2/briefing", json={"projectId": self.project})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["markdown"])

    def seed(self, title: str, content: str) -> str:
        """Create an approved item and return its ID."""
        item = {"title": title, "content": content, "type": "convention", "confidence": 0.9}
        with Client(self.server.url, self.key) as client:
            kept = client.send(
                send_signed_event(
                    self.project, "memory_operation", {"operation": "create", "item": item, "source": "cli"}
                )
            )
        self.enrich(kept.session_id)
        (found,) = [item for item in self.items() if item["title"] == title]
        self.approve(found)
        return str(found["id"])

    def seed_many(self) -> None:
        """Create as many approved items as a project has after a few months."""
        with Client(self.server.url, self.key) as client:
            for title, content in _sample_items():
                item = {"title": title, "content": content, "type": "architecture", "confidence": 0.9}
                payload = {"operation": "create", "item": item, "source": "cli"}
                kept = client.send(send_signed_event(self.project, "memory_operation", payload))
        self.enrich(kept.session_id)
        for item in self.items():
            self.approve(item)

    def enrich(self, session_id: str, seconds: float = 90.0) -> None:
        """Enrich a session, unless that was already done, and wait for it."""
        with self.http() as http:
            asked = http.post(f"/api/v2/sessions/{session_id}/enrich")
        assert asked.status_code in (202, 409), asked.text
        self.wait_for(lambda: self.is_enriched(session_id), f"the enrichment of {session_id}", seconds)

    def is_enriched(self, session_id: str) -> bool:
        jobs = self.get(f"/api/v2/sessions/{session_id}/jobs")
        assert not any(job["status"] == "failed" for job in jobs), jobs
        return bool(jobs) and all(job["status"] == "completed" for job in jobs)

    def items(self) -> list[dict[str, Any]]:
        return list(self.get("/api/v2/items", projectId=self.project, limit="100"))

    def approve(self, item: dict[str, Any]) -> None:
        if item["status"] == "approved":
            return
        with self.http() as http:
            answer = http.patch(f"/api/v2/items/{item['id']}", json={"status": "approved"})
        assert answer.status_code == 200, answer.text

    def events(self) -> list[dict[str, Any]]:
        """Return all events of the project with their session IDs."""
        found: list[dict[str, Any]] = []
        for session in self.get("/api/v2/sessions", projectId=self.project, limit="100"):
            events = self.get(f"/api/v2/sessions/{session['id']}/events", blobs="inline", limit="100")
            found.extend({**event, "sessionId": session["id"]} for event in events)
        return found

    def wait_for(self, condition: Callable[[], object], what: str, seconds: float = 60.0) -> None:
        begin = time.monotonic()
        while not condition():
            if time.monotonic() - begin > seconds:
                raise AssertionError(f"{what} did not happen within {seconds:.0f} s")
            time.sleep(0.1)
        self.waited[what] = time.monotonic() - begin


_STONES = ("agate", "basalt", "chert", "dolomite", "emerald", "flint", "gneiss", "jasper", "marble", "opal", "slate")
_PARTS = ("ledger", "scanner", "invoice", "gateway", "planner", "courier")


def _sample_items() -> Iterator[tuple[str, str]]:
    for number, (stone, part) in enumerate((stone, part) for stone in _STONES for part in _PARTS):
        words = " ".join(f"{stone}-{part}-{letter}{number}" for letter in "abcdefghijkl")
        yield f"The {part} of {stone}", f"The {part} for {stone} lives in shop/{stone}/{part}.py and reads {words}."


def files_with(text: str, *folders: Path) -> list[Path]:
    """Return the files below these folders that contain a text."""
    wanted = text.encode()
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path for path in found if wanted in path.read_bytes()]
