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
    overrides = settings_with(None, LOREMARK_WORKER_URL="https://worker.example/")
    async with run_service(settings_for(tmp_path, database_url, **overrides)) as running:
        yield running


def _worker_settings(service: Service, folder: Path, **changes: str) -> Settings:
    """Settings of a worker on another machine: an empty folder and the database URL."""
    return settings_for(folder / "elsewhere", service.settings.database_url, **changes)


@asynccontextmanager
async def _worker(service: Service, folder: Path, **changes: str) -> AsyncIterator[httpx.AsyncClient]:
    async with open_worker(_worker_settings(service, folder, **{"LOREMARK_WORKER_SECRET": SECRET, **changes})) as app:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        async with httpx.AsyncClient(transport=transport, base_url="https://worker.example") as http:
            yield http


async def test_worker_needs_only_the_secret_and_the_database(service: Service, tmp_path: Path) -> None:
    owner = await service.owner()
    issued = await ticket_for(owner, await owner.create_project())
    assert issued["workerUrl"] == "https://worker.example"
    async with _worker(service, tmp_path, LOREMARK_ENCRYPTION_KEY="") as http:
        for path in ("/ask", "/worker/ask"):
            streamed = await ask(http, path, issued["ticket"])
            assert streamed.status == 200
            assert streamed.done["answer"]
    assert not (tmp_path / "elsewhere" / "keys").exists(), "the worker neither creates nor needs keys"
    async with _worker(service, tmp_path, LOREMARK_WORKER_SECRET="another one") as http:
        assert (await ask(http, "/ask", issued["ticket"])).status == 401


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
    issued = await ticket_for(owner, await owner.create_project())
    body = {"ticket": issued["ticket"], "question": QUESTION}
    preflight_headers = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    async with _worker(service, tmp_path) as http:
        own_origin = {"Origin": BASE_URL}
        preflight = await http.options("/ask", headers={**own_origin, **preflight_headers})
        assert preflight.status_code == 204
        assert preflight.headers["access-control-allow-origin"] == BASE_URL
        assert preflight.headers["access-control-allow-headers"] == "content-type"
        assert "access-control-allow-credentials" not in preflight.headers
        for answer in (
            await http.post("/ask", json=body, headers=own_origin),
            await http.post("/ask", json={}, headers=own_origin),
        ):
            assert answer.headers["access-control-allow-origin"] == BASE_URL
            assert answer.headers["vary"] == "Origin"
        for origin in ("https://evil.example", "null", f"{BASE_URL}.evil.example", BASE_URL.upper()):
            foreign = await http.options("/ask", headers={"Origin": origin, **preflight_headers})
            assert foreign.status_code == 405
            posted = await http.post("/ask", json=body, headers={"Origin": origin})
            assert [name for name in {**foreign.headers, **posted.headers} if name.startswith("access-control")] == []
        assert "access-control-allow-origin" not in (await http.get("/metrics", headers=own_origin)).headers


async def test_worker_does_not_start_without_the_api_secret(service: Service, tmp_path: Path) -> None:
    for changes, message in (({}, "must be set"), ({"LOREMARK_WORKER_SECRET": ""}, "is empty")):
        with pytest.raises(SettingsError, match=message):
            async with open_worker(_worker_settings(service, tmp_path, **changes)):
                pass
    assert not (tmp_path / "elsewhere" / "keys").exists()


async def test_worker_finds_the_secret_in_a_shared_data_folder(database_url: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, database_url)
    async with run_service(settings) as service:
        owner = await service.owner()
        issued = await ticket_for(owner, await owner.create_project())
        async with open_worker(settings) as app:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
                assert (await ask(http, "/ask", issued["ticket"])).status == 200


async def test_worker_does_not_start_on_another_schema_version(
    service: Service, tmp_path: Path, database_url: str, engine: str
) -> None:
    address = Path(database_url.removeprefix("sqlite:///")) if engine == "sqlite" else database_url
    database = await open_database(address)
    async with database.write() as tx:
        await tx.run(text("UPDATE alembic_version SET version_num = '0000'"))
    await database.close()
    with pytest.raises(SchemaError, match="loremark admin migrate"):
        async with open_worker(_worker_settings(service, tmp_path, LOREMARK_WORKER_SECRET=SECRET)):
            pass
