"""Operations endpoints: public and not rate limited."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from loremark.entry.application import ROUTES, open_app
from loremark.entry.background import open_background
from loremark.entry.runtime import open_runtime
from loremark.storage import schema
from tests.features.steps import run_sql, status_and_body
from tests.support.service import BASE_URL, Service, settings_for

pytestmark = pytest.mark.anyio

PATHS = ("/healthz", "/readyz", "/metrics", "/openapi.json", "/docs")


@pytest.mark.settings(LOREMARK_RATE_LIMIT_PER_MINUTE="2")
async def test_operations_endpoints_are_not_rate_limited(service: Service) -> None:
    for _ in range(3):
        for path in PATHS:
            answer = await service.http.get(path)
            assert answer.status_code == 200
            assert [name for name in answer.headers if name.startswith("x-ratelimit")] == []
            assert (await service.http.head(path)).content == b""
    # The limit is active (three calls may span two windows, six cannot).
    statuses = [(await service.http.get("/api/projects")).status_code for _ in range(6)]
    assert (statuses[0], statuses[-1]) == (401, 429)
    assert (await service.http.get("/readyz")).status_code == 200


async def test_readyz_reports_failing_checks(service: Service) -> None:
    ready = {"status": "ready", "checks": {"database": True, "migrations": True, "jobs": True}}
    assert status_and_body(await service.http.get("/healthz")) == (200, {"status": "ok"})
    assert status_and_body(await service.http.get("/readyz")) == (200, ready)
    await run_sql(service, "UPDATE alembic_version SET version_num = '0000'")
    assert status_and_body(await service.http.get("/readyz")) == (503, {"error": "Not ready: migrations"})
    assert status_and_body(await service.http.get("/healthz")) == (200, {"status": "ok"})
    await run_sql(service, f"UPDATE alembic_version SET version_num = '{schema.HEAD}'")
    assert status_and_body(await service.http.get("/readyz")) == (200, ready)


async def test_readyz_fails_when_jobs_stop(database_url: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, database_url)
    async with (
        open_runtime(settings) as runtime,
        open_background(runtime) as background,
        open_app(runtime, background) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=BASE_URL) as http,
    ):
        assert (await http.get("/readyz")).status_code == 200
        await background.runner.stop()
        assert status_and_body(await http.get("/readyz")) == (503, {"error": "Not ready: jobs"})


async def test_requests_for_foreign_hosts_are_refused(service: Service) -> None:
    """As after DNS rebinding, when a page's own host name points to this server."""
    foreign = {"Host": "evil.example.com:8000"}
    for path in ("/", "/api/auth/registration", "/api/projects", "/docs", "/mcp", "/metrics"):
        answer = await service.http.get(path, headers=foreign)
        assert answer.status_code == 403, path
    for path in ("/healthz", "/readyz"):
        assert (await service.http.get(path, headers=foreign)).status_code == 200


async def test_metrics_are_not_for_what_a_proxy_forwards(service: Service) -> None:
    """An ingress or another proxy passes on every path; monitoring reads the processes themselves."""
    for header in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        answer = await service.http.get("/metrics", headers={header: "203.0.113.9"})
        assert (answer.status_code, answer.json()) == (404, {"error": "Not found"}), header
    for path in ("/healthz", "/readyz"):
        assert (await service.http.get(path, headers={"X-Forwarded-For": "203.0.113.9"})).status_code == 200
    assert (await service.http.get("/metrics")).status_code == 200


async def test_metrics_count_requests_by_route_only(service: Service) -> None:
    owner = await service.owner("Top secret team")
    project = await owner.create_project("Top secret project")
    for _ in range(3):
        assert (await owner.get(f"/api/projects/{project}")).status_code == 200
    assert (await owner.get("/api/projects/prj_nothing")).status_code == 404
    assert (await service.http.get(f"/no/such/{project}")).status_code == 404
    assert (await service.http.request("BREW", "/api/projects")).status_code == 405
    answer = await service.http.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    for line in (
        'loremark_requests_total{method="GET",route="projects.get",status="200"} 3.0',
        'loremark_requests_total{method="GET",route="projects.get",status="404"} 1.0',
        'loremark_requests_total{method="POST",route="projects.create",status="201"} 1.0',
        'loremark_requests_total{method="GET",route="unknown",status="404"} 1.0',
        'loremark_requests_total{method="other",route="unknown",status="405"} 1.0',
        'loremark_request_seconds_count{route="projects.get"} 4.0',
    ):
        assert line in lines
    for name in (project, owner.email, owner.team_id, owner.key, "Top secret"):
        assert name not in answer.text


async def test_openapi_and_docs_are_served(service: Service) -> None:
    document = (await service.http.get("/openapi.json")).json()
    assert (document["openapi"], document["info"]["title"]) == ("3.1.0", "Loremark")
    assert document["servers"] == [{"url": BASE_URL}]
    described = {(method.upper(), path) for path, operations in document["paths"].items() for method in operations}
    assert described == {(route.method, route.path) for route in ROUTES if route.in_openapi}
    create = document["paths"]["/api/projects"]["post"]
    assert create["security"] == [{"bearer": []}, {"cookie": []}]
    assert {"201", "400", "401", "403", "413", "415", "429"} <= set(create["responses"])
    referenced = set(re.findall(r'"#/components/schemas/(\w+)"', (await service.http.get("/openapi.json")).text))
    assert referenced <= set(document["components"]["schemas"])

    page = await service.http.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "unsafe" not in page.headers["content-security-policy"]
    assert re.search(r"<script|<style|\sstyle=|\son\w+=", page.text) is None
    for method, path in described:
        assert f"<b>{method}</b> <code>{path}</code>" in page.text
    for name in re.findall(r'href="#([\w-]+)"', page.text):
        assert re.search(rf"""id=["']{name}["']""", page.text), name
