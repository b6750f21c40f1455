"""Scans by login, without the project's secret, and the import graph."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from loremark.memory.codebase.analysis import graph_summary
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Codebase, FileFacts, Import
from loremark.storage.tables import scans
from tests.features.scan_project import MODELS, REPOSITORY, ScanProject, create_scan_project, scan_settings, serve_shop
from tests.features.steps import ARCHIVED, FORBIDDEN, NO_PROJECT, cookies_of, log_in, status_and_body
from tests.servers.git import GitServer
from tests.servers.https import Authority
from tests.support.people import Person
from tests.support.service import Service, run_service

pytestmark = pytest.mark.anyio

EMPTY_GRAPH: dict[str, Any] = {"modules": [], "edges": [], "remaining": 0}


@pytest.fixture
def server(authority: Authority, tmp_path: Path) -> Iterator[GitServer]:
    with GitServer(authority, tmp_path / "served") as running:
        yield running


@pytest.fixture
async def service(server: GitServer, authority: Authority, database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with run_service(scan_settings(server, authority, database_url, tmp_path)) as running:
        yield running


@pytest.fixture
async def shop(service: Service, server: GitServer) -> ScanProject:
    serve_shop(server)
    return await create_scan_project(service, server.url(REPOSITORY))


async def _member_of(shop: ScanProject) -> Person:
    """A project member who is not an admin and cannot read the secret."""
    member = await shop.service.join(shop.owner)
    added = await shop.owner.post(f"/api/projects/{shop.tool.project_id}/members", {"email": member.email})
    assert added.status_code == 201, added.text
    return member


async def test_member_can_scan_from_a_browser_and_see_the_import_graph(shop: ScanProject) -> None:
    member = await _member_of(shop)
    login = cookies_of(shop.service, await log_in(shop.service, member.email))
    project = shop.tool.project_id

    async def get(name: str = "") -> Any:
        answer = await shop.service.browser_call("GET", f"/api/v2/scans{name}?projectId={project}", login)
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert (await get(), await get("/graph")) == ({"scan": None}, EMPTY_GRAPH)
    body = {"projectId": project, "branch": "main", "maxFiles": 100}
    started = await shop.service.browser_call("POST", "/api/v2/scans", login, json=body)
    assert (started.status_code, started.json()["status"]) == (202, "fetch_tree")
    scan = await shop.wait()
    assert (scan["id"], scan["phase"]) == (started.json()["scanId"], "complete")
    assert await get() == {"scan": scan}
    assert (await get("/results"))["findings"] == (await shop.results())["findings"] != []

    graph = await get("/graph")
    paths = [module["path"] for module in graph["modules"]]
    assert paths == ["shop/models.py", "shop/api.py", "shop/money.py", "shop/__main__.py"]
    assert graph["modules"][0] == {
        "path": "shop/models.py",
        "language": "python",
        "lines": MODELS.count(b"\n"),
        "imports": 0,
        "importedBy": 2,
    }
    edges = {(paths[start], paths[end]) for start, end in graph["edges"]}
    assert edges == {
        ("shop/api.py", "shop/models.py"),
        ("shop/api.py", "shop/money.py"),
        ("shop/money.py", "shop/models.py"),
        ("shop/__main__.py", "shop/api.py"),
    }
    assert graph["remaining"] == 0
    refused = await shop.service.browser_call("POST", "/api/v2/scans/cancel", login, json={"projectId": project})
    assert status_and_body(refused) == (400, {"error": "No scan in progress"})

    await shop.service.wait_for_jobs(60.0)
    again = await shop.scan()
    assert await get("/graph") == graph
    async with shop.service.runtime.database.read() as tx:
        rows = await tx.many(select(scans.c.id).where(scans.c.imports.is_not(None)))
    assert [row["id"] for row in rows] == [again["id"]], "only the newest scan keeps its graph"


async def test_readers_see_scans_and_others_get_not_found(shop: ScanProject) -> None:
    project = shop.tool.project_id
    await shop.owner.patch(f"/api/projects/{project}", {"visibility": "public"})
    reader, stranger = await shop.service.join(shop.owner), await shop.service.owner("Others")
    for path in ("", "/results", "/graph"):
        assert (await reader.get(f"/api/v2/scans{path}?projectId={project}")).status_code == 200
        assert status_and_body(await stranger.get(f"/api/v2/scans{path}?projectId={project}")) == NO_PROJECT
    for path in ("", "/cancel"):
        assert status_and_body(await reader.post(f"/api/v2/scans{path}", {"projectId": project})) == FORBIDDEN
        assert status_and_body(await stranger.post(f"/api/v2/scans{path}", {"projectId": project})) == NO_PROJECT
    await shop.owner.patch(f"/api/projects/{project}", {"status": "archived"})
    assert status_and_body(await shop.owner.post("/api/v2/scans", {"projectId": project})) == ARCHIVED
    assert await shop.status() is None


async def test_both_endpoints_share_one_rate_limit(
    server: GitServer, authority: Authority, database_url: str, tmp_path: Path
) -> None:
    settings = scan_settings(server, authority, database_url, tmp_path)
    limited = dataclasses.replace(settings, route_limits="genesis.start=1/hour")
    async with run_service(limited) as service:
        shop = await create_scan_project(service, server.url("o/nothing"))
        unconnected = await shop.owner.create_project()
        for _ in range(3):  # rejected requests are not counted
            assert (await shop.owner.post("/api/v2/scans", {"projectId": unconnected})).status_code == 400
        selective = {"projectId": unconnected, "selective": True}
        refused = await shop.owner.post("/api/v2/scans", selective)
        assert status_and_body(refused) == (400, {"error": "No previous scan for selective mode"})
        assert (await shop.start()).status_code == 202
        await service.wait_for_jobs(30.0)
        refused = await shop.owner.post("/api/v2/scans", {"projectId": shop.tool.project_id})
        assert refused.status_code == 429
        assert refused.json()["error"].startswith("Rate limit exceeded. Please retry after")


def _facts(language: str, *targets: str) -> FileFacts:
    return FileFacts(language, 10, imports=tuple(Import(target, 1) for target in targets))


def test_graph_holds_the_most_connected_modules_and_is_deterministic() -> None:
    files = {f"app/m{number:03}.py": _facts("python", "app.base", "app.hub") for number in range(120)}
    files |= {
        "app/base.py": _facts("python"),
        "app/hub.py": _facts("python", "app.base"),
        "app/alone.py": _facts("python"),
    }
    reversed_files = dict(reversed(files.items()))
    graph = graph_summary.summarize_graph(Survey(Codebase("app", tuple(files), files)))
    assert graph == graph_summary.summarize_graph(Survey(Codebase("app", tuple(reversed_files), reversed_files)))
    assert len(graph.modules) == graph_summary.MAX_MODULES
    assert graph.remaining == 122 - graph_summary.MAX_MODULES
    assert [(module.path, module.imported_by) for module in graph.modules[:2]] == [
        ("app/base.py", 121),
        ("app/hub.py", 120),
    ]
    assert graph.modules[2].path == "app/m000.py"
    assert all(0 <= index < len(graph.modules) for edge in graph.edges for index in edge)


def test_packages_imported_as_a_whole_are_one_module() -> None:
    files = {
        "go.mod": FileFacts("gomod", 3, signs={"name": "example.com/shop"}),
        "main.go": _facts("go", "fmt", "example.com/shop/orders"),
        "orders/orders.go": _facts("go", "example.com/shop/money"),
        "orders/lines.go": _facts("go", "example.com/shop/money"),
        "money/money.go": _facts("go", "fmt"),
    }
    graph = graph_summary.summarize_graph(Survey(Codebase("shop", tuple(files), files)))
    summary = [(module.path, module.lines, module.imports, module.imported_by) for module in graph.modules]
    assert summary == [("orders/", 20, 1, 1), ("money/", 10, 0, 1), ("main.go", 10, 1, 0)]
    assert graph.edges == [(0, 1), (2, 0)]
