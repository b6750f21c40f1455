"""The answer worker as a separate process: startup, health and CORS."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from loremark.base.settings import Settings, SettingsError
from loremark.entry.worker import open_worker
from loremark.storage.connect import open_database
from loremark.storage.schema import SchemaError
from tests.features.ask_client import QUESTION, SECRET, ask, settings_with, ticket_for
from tests.support.service import BASE_URL, Service, run_service, settings_for

pytestmark = pytest.mark.anyio


@pytest.fixture
async def service(database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    """An API that refers clients to a separate worker."""
    chosen = settings_with(None, LOREMARK_WORKER_URL="https://worker.example/")
    async with run_service(settings_for(tmp_path, database_url, **chosen)) as running:
        yield running


def _elsewhere(service: Service, folder: Path, **changes: str) -> Settings:
    """Settings of a worker on another machine: an empty folder and the database URL."""
    return settings_for(folder / "elsewhere", service.settings.database_url, **changes)


@asynccontextmanager
async def _worker(service: Service, folder: Path, **changes: str) -> AsyncIterator[httpx.AsyncClient]:
    async with open_worker(_elsewhere(service, folder, **{"LOREMARK_WORKER_SECRET": SECRET, **changes})) as app:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport, base_url="https://worker.example") as http:
            yield http


async def test_worker_needs_only_the_secret_and_the_database(service: Service, tmp_path: Path) -> None:
    owner = await service.owner()
    given = await ticket_for(owner, await owner.create_project())
    assert given["workerUrl"] == "https://worker.example"
    async with _worker(service, tmp_path, LOREMARK_ENCRYPTION_KEY="") as http:
        for path in ("/ask", "/worker/ask"):
            told = await ask(http, path, given["ticket"])
            assert told.status == 200
            assert told.done["answer"]
    assert not (tmp_path / "elsewhere" / "keys").exists(), "it makes no key and needs none"
    async with _worker(service, tmp_path, LOREMARK_WORKER_SECRET="another one") as http:
        assert (await ask(http, "/ask", given["ticket"])).status == 401


async def test_worker_reports_its_health_and_serves_nothing_else(service: Service, tmp_path: Path) -> None:
    owner = await service.owner()
    async with _worker(service, tmp_path) as http:
        assert (await http.get("/healthz")).json() == {"status": "ok"}
        ready = await http.get("/readyz")
        assert (ready.status_code, ready.json()["checks"]) == (200, {"database": True, "migrations": True})
        await http.post("/ask", json={})
        assert (
            'loremark_requests_total{method="POST",route="worker.ask",status="400"} 1.0'
            in (await http.get("/metrics")).text
        )
        for path in ("/api/projects", "/api/v2/ask", "/", "/openapi.json"):
            answer = await http.get(path, headers={"Authorization": f"Bearer {owner.key}"})
            assert (answer.status_code, answer.json()) == (404, {"error": "Not found"})
        async with service.runtime.database.write() as tx:
            await tx.run(text("UPDATE alembic_version SET version_num = '0000'"))
        assert (await http.get("/readyz")).json() == {"error": "Not ready: migrations"}


async def test_browser_requests_are_allowed_only_from_the_api_origin(service: Service, tmp_path: Path) -> None:
    owner = await service.owner()
    given = await ticket_for(owner, await owner.create_project())
    body = {"ticket": given["ticket"], "question": QUESTION}
    wish = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    async with _worker(service, tmp_path) as http:
        ours = {"Origin": BASE_URL}
        before = await http.options("/ask", headers={**ours, **wish})
        assert before.status_code == 204
        assert before.headers["access-control-allow-origin"] == BASE_URL
        assert before.headers["access-control-allow-headers"] == "content-type"
        assert "access-control-allow-credentials" not in before.headers
        for answer in (
            await http.post("/ask", json=body, headers=ours),
            await http.post("/ask", json={}, headers=ours),
        ):
            assert answer.headers["access-control-allow-origin"] == BASE_URL
            assert answer.headers["vary"] == "Origin"
        for origin in ("https://evil.example", "null", f"{BASE_URL}.evil.example", BASE_URL.upper()):
            foreign = await http.options("/ask", headers={"Origin": origin, **wish})
            assert foreign.status_code == 405
            asked = await http.post("/ask", json=body, headers={"Origin": origin})
            assert [name for name in {**foreign.headers, **asked.headers} if name.startswith("access-control")] == []
        assert "access-control-allow-origin" not in (await http.get("/metrics", headers=ours)).headers


async def test_worker_does_not_start_without_the_api_secret(service: Service, tmp_path: Path) -> None:
    for changes, words in (({}, "must be set"), ({"LOREMARK_WORKER_SECRET": ""}, "is empty")):
        with pytest.raises(SettingsError, match=words):
            async with open_worker(_elsewhere(service, tmp_path, **changes)):
                pass
    assert not (tmp_path / "elsewhere" / "keys").exists()


async def test_worker_finds_the_secret_in_a_shared_data_folder(database_url: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, database_url)
    async with run_service(settings) as service:
        owner = await service.owner()
        given = await ticket_for(owner, await owner.create_project())
        async with open_worker(settings) as app:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
                assert (await ask(http, "/ask", given["ticket"])).status == 200


async def test_worker_does_not_start_on_another_schema_version(
    service: Service, tmp_path: Path, database_url: str, engine: str
) -> None:
    address = Path(database_url.removeprefix("sqlite:///")) if engine == "sqlite" else database_url
    database = await open_database(address)
    async with database.write() as tx:
        await tx.run(text("UPDATE alembic_version SET version_num = '0000'"))
    await database.close()
    with pytest.raises(SchemaError, match="loremark admin migrate"):
        async with open_worker(_elsewhere(service, tmp_path, LOREMARK_WORKER_SECRET=SECRET)):
            pass
