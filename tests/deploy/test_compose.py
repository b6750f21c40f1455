"""What the Compose file starts works together: its settings, processes and proxy, on real servers of this test run.

Only the addresses are replaced: host names of the Compose network become loopback ports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.deploy.dockerfile import ROOT
from tests.deploy.proxy import running_caddy
from tests.installation.first_start import save_and_find
from tests.servers import lifetime
from tests.servers.s3 import BUCKET, CREDENTIALS, S3Server
from tests.support import databases
from tests.support.processes import Loremark, Process, free_port

pytestmark = pytest.mark.slow

COMPOSE = ROOT / "deploy" / "compose"
GIVEN = {
    "POSTGRES_PASSWORD": "",
    "S3_SECRET_KEY": CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    "LOREMARK_ENCRYPTION_KEY": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
    "LOREMARK_WORKER_SECRET": "a worker secret for this test",
}


def _settings(database: str, s3: S3Server, port: int) -> dict[str, str]:
    """The environment of the API in the Compose file, with the addresses of this test run."""
    services: dict[str, Any] = yaml.safe_load((COMPOSE / "compose.yaml").read_text(encoding="utf-8"))["services"]
    given = {**GIVEN, "LOREMARK_BASE_URL": f"http://127.0.0.1:{port}"}
    environment = {
        name: re.sub(r"\$\{(\w+)[^}]*\}", lambda found: given.get(found[1], ""), str(value))
        for name, value in services["api"]["environment"].items()
    }
    replaced = {
        "LOREMARK_DATABASE_URL": database,
        "LOREMARK_REDIS_URL": lifetime.redis().url(7),
        "LOREMARK_BLOBS_URL": f"s3://{BUCKET}/blobs",
        "LOREMARK_S3_ENDPOINT": s3.endpoint,
        "LOREMARK_TRUSTED_PROXIES": "127.0.0.0/8",
    }
    assert replaced.keys() <= environment.keys()
    assert environment["LOREMARK_DATABASE_URL"].startswith("postgresql://")
    return {**environment, **replaced}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Loremark]]:
    """Two API processes, a worker and the jobs behind Caddy; returns their common address."""
    port = free_port()
    with ExitStack() as running:
        s3 = S3Server(tmp_path / "s3")
        running.callback(s3.stop)
        loremark = Loremark(tmp_path, "", _settings(databases.fresh("postgresql", tmp_path), s3, port))
        loremark.run("admin", "migrate")
        apis = [_start(running, loremark, "api") for _ in range(2)]
        worker = _start(running, loremark, "worker")
        running.enter_context(loremark.start("jobs"))
        text = (COMPOSE / "Caddyfile").read_text(encoding="utf-8")
        upstreams = " ".join(f"127.0.0.1:{each.port}" for each in apis)
        text, replaced = re.subn(r"dynamic a \{[^}]*\}", f"to {upstreams}", text)
        assert replaced == 1
        text = text.replace("worker:8000", f"127.0.0.1:{worker.port}").replace("\n:8000 {", f"\n:{port} {{")
        running.enter_context(running_caddy(text, tmp_path, f"http://127.0.0.1:{port}/readyz"))
        yield f"http://127.0.0.1:{port}", loremark


def _start(running: ExitStack, loremark: Loremark, command: str) -> Process:
    return running.enter_context(loremark.start(command)).wait_ready()


def test_compose_serves_through_its_proxy(server: tuple[str, Loremark], tmp_path: Path) -> None:
    url, loremark = server
    owner = loremark.create_owner()
    project = owner["projectId"]
    headers = {"Authorization": f"Bearer {owner['apiKey']}"}
    with httpx.Client(base_url=url, timeout=60, headers=headers) as client:
        save_and_find(client, project)
        large = {"summary": "A long story. " * 5_000}
        event = {"projectId": project, "event": "session_save", "payload": large}
        assert client.post("/api/v2/events", json=event).status_code == 202
        exported = client.get("/api/v2/export", params={"projectId": project})
        assert "A long story." in exported.text, "the text went through the bucket"
        question = "Why do we use SQLite?"
        ticket = client.post("/api/v2/ask", json={"projectId": project, "question": question}).json()["ticket"]
        answer = httpx.post(f"{url}/worker/ask", json={"ticket": ticket, "question": question}, timeout=60)
        assert '"type":"done"' in answer.text
        assert "single file" in answer.text
        assert client.get("/metrics").status_code == 404, "only from the containers"
        assert "<!doctype html>" in client.get("/").text.lower()
    folder = tmp_path / "backup"
    loremark.run("admin", "backup", str(folder))
    assert sorted(path.name for path in folder.iterdir()) == ["blobs", "loremark.db"]
    assert list((folder / "blobs" / project).iterdir())
