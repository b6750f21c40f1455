"""The servers under test: Loremark as a user starts it, on either engine."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.servers import lifetime
from tests.support.processes import COMMAND, free_port

from bench.measure import running

ENGINES = ("sqlite", "postgresql")


@dataclass
class Loremark:
    """A running `loremark serve` with an owner, a project and its signing secret."""

    port: int
    pid: int
    project: str
    key: str
    environment: dict[str, str] = field(repr=False)

    def post(self, path: str, body: dict[str, Any]) -> None:
        self._call("POST", path, json.dumps(body).encode())

    def create_project(self, name: str) -> str:
        return str(self._call("POST", "/api/projects", json.dumps({"name": name}).encode())["id"])

    def list(self, path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._call("GET", path)
        return found

    def patch(self, path: str, body: dict[str, Any]) -> None:
        self._call("PATCH", path, json.dumps(body).encode())

    def jobs(self, kind: str) -> tuple[dict[str, Any], ...]:
        """Background jobs of a kind with their stages, newest first."""
        listed = self._admin("jobs", "list", "--kind", kind, "--json")
        return tuple(self._admin("jobs", "show", job["id"]) for job in listed)

    def _admin(self, *words: str) -> Any:
        done = subprocess.run([str(COMMAND), "admin", *words], env=self.environment, capture_output=True, check=True)
        return json.loads(done.stdout)

    def secret_of(self, project: str) -> str:
        return str(self._call("GET", f"/api/projects/{project}/hmac-secret")["secret"])

    def another_team(self) -> Loremark:
        """The same server as seen by another team."""
        owner = _create_owner(self.environment, "Neighbours")
        return Loremark(self.port, self.pid, owner["projectId"], owner["apiKey"], self.environment)

    def call(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = self._call(method, path, json.dumps(body).encode())
        return answer

    def get(self, path: str) -> Any:
        return self._call("GET", path)

    def _call(self, method: str, path: str, body: bytes | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        request = Request(f"http://127.0.0.1:{self.port}{path}", body, headers, method=method)
        with urlopen(request, timeout=20) as answer:
            return json.load(answer)


def _create_owner(environment: dict[str, str], team: str) -> dict[str, str]:
    made = subprocess.run(
        [str(COMMAND), "admin", "create-owner", "--email", f"{team.lower()}@example.com", "--team", team, "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    owner: dict[str, str] = json.loads(made.stdout)
    return owner


def address_for(engine: str, name: str) -> str:
    """An empty database for the engine; an empty string for SQLite, which uses the data folder."""
    if engine == "sqlite":
        return ""
    server = lifetime.postgres()
    server.create_database(name)
    return server.url(name)


def start_loremark(stack: ExitStack, folder: Path, database_url: str, **settings: str) -> Loremark:
    """Start a server that runs until the stack is closed."""
    port = free_port()
    environment = {
        **lifetime.child_env(),
        "LOREMARK_DATA_DIR": str(folder),
        "LOREMARK_PORT": str(port),
        "LOREMARK_RATE_LIMIT_PER_MINUTE": "100000000",
        **settings,
    }
    if database_url:
        environment["LOREMARK_DATABASE_URL"] = database_url
    owner = _create_owner(environment, "Bench")
    pid = stack.enter_context(running([str(COMMAND), "serve"], environment, port))
    return Loremark(port, pid, owner["projectId"], owner["apiKey"], environment)
