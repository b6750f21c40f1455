"""Genesis: a repository is scanned over HTTPS and becomes findings, contexts and items."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.features.scan_project import PLANTED, REPOSITORY, ScanProject, create_scan_project, serve_shop
from tests.servers.git import Commit, GitServer, add_commits
from tests.servers.https import Authority
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

TOKEN = "a-token-of-the-host"


@pytest.fixture
def server(authority: Authority, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[GitServer]:
    with GitServer(authority, tmp_path / "served", token=getattr(request, "param", None)) as running:
        yield running


@pytest.fixture
async def service(server: GitServer, authority: Authority, database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    """A service that may read from the git server on loopback."""
    overrides = {
        "LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8",
        "LOREMARK_CA_FILE": str(authority.ca_file),
        "LOREMARK_REPO_HOSTS": server.url("o/r").removeprefix("https://").partition("/")[0],
        "LOREMARK_CACHE_DIR": str(tmp_path / "cache"),
        "LOREMARK_ROUTE_LIMITS": "genesis.start=0",
    }
    async with run_service(settings_for(tmp_path, database_url, **overrides)) as running:
        yield running


@pytest.fixture
async def shop(service: Service, server: GitServer) -> ScanProject:
    serve_shop(server)
    return await create_scan_project(service, server.url(REPOSITORY))


async def test_repository_is_scanned_and_reported(shop: ScanProject) -> None:
    started = await shop.start()
    assert started.status_code == 202, started.text
    assert started.json()["status"] == "fetch_tree"
    scan = await shop.wait()
    assert (scan["id"], scan["phase"], scan["progress"], scan["error"]) == (
        started.json()["scanId"],
        "complete",
        1.0,
        None,
    )
    assert scan["filesTotal"] == scan["filesProcessed"] == 8  # without the image
    assert scan["chunksTotal"] == scan["chunksProcessed"] >= 1
    assert {"Python", "FastAPI", "SQLAlchemy"} <= set(scan["techStack"])
    results = await shop.results()
    found = results["findings"]
    assert results["summary"]["totalFindings"] == len(found) == scan["findingsCount"]
    assert results["summary"]["filesAnalyzed"] == 8
    assert sum(results["summary"]["byLayer"].values()) == len(found)
    layers = {finding["layer"] for finding in found}
    assert {"product", "architecture", "dependencies", "dataModel", "entryPoints"} <= layers
    assert "stones" in " ".join(finding["content"] for finding in found if finding["layer"] == "product")
    models = " ".join(finding["content"] for finding in found if finding["layer"] == "dataModel")
    assert "Order" in models
    assert "Customer" in models
    entries = [finding for finding in found if finding["layer"] == "entryPoints"]
    assert any("/orders" in finding["content"] for finding in entries)
    assert any("shop/__main__.py" in finding["files"] for finding in entries)
    assert {"name": "Python", "version": "3.11", "category": "language"} in results["techStack"]
    (scan_notes,) = [finding for finding in found if finding["title"] == "Scan notes"]
    assert scan_notes["content"] == "- Readable files in the repository: 8 of 9 (left out: 1 binary)."


async def test_findings_become_items_and_contexts(shop: ScanProject) -> None:
    await shop.scan()
    await shop.service.wait_for_jobs(60.0)
    items = await shop.items()
    assert {item["type"] for item in items} >= {"architecture", "codemap"}
    assert any("shop/models.py" in item["files"] for item in items)
    assert not any("left out" in item["title"] for item in items)
    contexts = (await shop.owner.get(f"/api/contexts?projectId={shop.tool.project_id}")).json()
    keys = {context["schemaKey"] for context in contexts}
    assert "root/codebase" in keys
    again = await shop.scan()
    assert again["phase"] == "complete"
    await shop.service.wait_for_jobs(60.0)
    assert len(await shop.items()) == len(items), "rescanning the same repository adds nothing"


async def test_user_edits_to_contexts_survive_rescans(shop: ScanProject, server: GitServer) -> None:
    await shop.scan()
    listed = (await shop.owner.get(f"/api/contexts?projectId={shop.tool.project_id}")).json()
    by_key = {context["schemaKey"]: context for context in listed}
    edited, unedited = by_key["root/codebase"]["id"], by_key["root/codebase/product"]["id"]
    changed = await shop.owner.patch(f"/api/contexts/{edited}", {"content": "Ask Olga first."})
    assert changed.status_code == 200, changed.text
    readme = b"# Shop\n\nShop now sells feathers to builders of nests, by post and in person, all the year round.\n"
    add_commits(server.root / REPOSITORY, [Commit(b"docs: feathers", {b"README.md": readme})])
    await shop.scan()
    assert (await shop.owner.get(f"/api/contexts/{edited}")).json()["content"] == "Ask Olga first."
    assert "feathers" in (await shop.owner.get(f"/api/contexts/{unedited}")).json()["content"]


async def test_selective_scan_reads_only_changed_files(shop: ScanProject, server: GitServer) -> None:
    refused = await shop.start(selective=True)
    assert (refused.status_code, refused.json()["error"]) == (400, "No previous scan for selective mode")
    await shop.scan()
    before = {finding["title"]: finding for finding in (await shop.results())["findings"]}
    changes: dict[bytes, bytes | None] = {b"shop/run.py": PLANTED, b"shop/money.py": None}
    add_commits(server.root / REPOSITORY, [Commit(b"feat: run commands", changes)])
    scan = await shop.scan(selective=True)
    assert (scan["phase"], scan["filesTotal"], scan["chunksTotal"]) == ("complete", 8, 1)
    after = {finding["title"]: finding for finding in (await shop.results())["findings"]}
    (security,) = [finding for finding in after.values() if finding["layer"] == "security"]
    assert "shop/run.py:5" in security["content"]
    models = [title for title, finding in before.items() if finding["layer"] == "dataModel"]
    assert models
    for title in models:
        assert after[title]["createdAt"] == before[title]["createdAt"], "untouched findings are carried over"
    unchanged = await shop.scan(selective=True)
    assert (unchanged["phase"], unchanged["chunksTotal"]) == ("complete", 0)
    assert {finding["title"] for finding in (await shop.results())["findings"]} == set(after)


async def test_files_processed_counts_only_files_read_in_this_scan(shop: ScanProject, server: GitServer) -> None:
    """Files whose facts are carried over from the last scan are part of the results, but not processed again."""
    first = await shop.scan()
    assert (first["filesTotal"], first["filesProcessed"]) == (8, 8)
    add_commits(server.root / REPOSITORY, [Commit(b"feat: run commands", {b"shop/run.py": PLANTED})])
    changed = await shop.scan(selective=True)
    assert (changed["filesTotal"], changed["filesProcessed"]) == (9, 1)
    assert (await shop.results())["summary"]["filesAnalyzed"] == 9
    unchanged = await shop.scan(selective=True)
    assert (unchanged["phase"], unchanged["filesTotal"], unchanged["filesProcessed"]) == ("complete", 9, 0)
    assert (await shop.results())["summary"]["filesAnalyzed"] == 9


async def test_item_is_stale_when_a_scan_finds_its_file_changed(shop: ScanProject, server: GitServer) -> None:
    await shop.scan()
    await shop.service.wait_for_jobs(60.0)
    payload = {
        "summary": "",
        "changes": [
            {
                "category": "decision",
                "title": "Amounts are integer cents",
                "content": "Amounts are integer cents because floats lost a cent a day. See shop/money.py.",
            }
        ],
    }
    await shop.learn(payload)
    add_commits(server.root / REPOSITORY, [Commit(b"feat: floats", {b"shop/money.py": b"TOTAL = 0.1\n"})])
    await shop.scan(selective=True)
    await shop.service.wait_for_jobs(60.0)
    (item,) = [item for item in await shop.items() if "cents" in item["title"]]
    assert "stale" in (await shop.item(item["id"]))["flags"]


@pytest.mark.parametrize("server", [TOKEN], indirect=True)
@pytest.mark.parametrize("token", [TOKEN, "wrong", None])
async def test_private_repository_requires_its_token(service: Service, server: GitServer, token: str | None) -> None:
    serve_shop(server)
    shop = await create_scan_project(service, server.url(REPOSITORY), **({"repoHostToken": token} if token else {}))
    scan = await shop.scan()
    if token == TOKEN:
        assert scan["phase"] == "complete"
        return
    assert scan["phase"] == "failed"
    assert scan["error"] == (
        "The repository host rejected the access token."
        if token
        else "The repository cannot be read without an access token."
    )
    assert (await shop.results())["findings"] == []
    again = await shop.start()
    assert again.status_code == 202, "a failed scan holds no slot"


async def test_repository_errors_are_reported_in_plain_words(
    service: Service, server: GitServer, shop: ScanProject
) -> None:
    missing = await shop.scan(branch="no-such-branch")
    assert (missing["phase"], missing["error"]) == ("failed", "The repository has no branch named `no-such-branch`.")
    missing_repository = await create_scan_project(service, server.url("o/nothing"))
    assert (await missing_repository.scan())[
        "error"
    ] == "The repository was not found, or its access token cannot read it."
    server.stop()
    unreachable = await shop.scan()
    assert (unreachable["phase"], unreachable["error"]) == ("failed", "The repository host cannot be reached.")


async def test_one_scan_at_a_time(shop: ScanProject) -> None:
    first = await shop.start()
    assert first.status_code == 202
    second = await shop.start()
    assert (second.status_code, second.json()["error"]) == (409, "Scan already in progress")
    assert (await shop.wait())["phase"] == "complete"
    assert (await shop.start()).status_code == 202


async def test_cancelled_scan_keeps_its_findings(shop: ScanProject) -> None:
    none = await shop.cancel()
    assert (none.status_code, none.json()["error"]) == (400, "No scan in progress")
    started = await shop.start()
    cancelled = await shop.cancel()
    assert cancelled.status_code == 200, cancelled.text
    answer = cancelled.json()
    assert (answer["scanId"], answer["status"]) == (started.json()["scanId"], "cancelled")
    assert isinstance(answer["findingsPreserved"], int)
    scan = await shop.wait()
    assert scan["phase"] == "cancelled"
    assert (await shop.scan())["phase"] == "complete"


async def test_project_without_a_repository_or_scan(service: Service) -> None:
    project = await ScanProject.of(service)
    assert isinstance(project, ScanProject)
    refused = await project.start()
    assert (refused.status_code, refused.json()["error"]) == (400, "Project has no repository")
    answer = await project.call("GET", "status")
    assert answer.json() == {"scan": None}
    results = await project.results()
    assert (results["findings"], results["techStack"]) == ([], [])
    assert results["summary"] == {
        "totalFindings": 0,
        "byLayer": {
            "product": 0,
            "architecture": 0,
            "dependencies": 0,
            "conventions": 0,
            "dataModel": 0,
            "entryPoints": 0,
            "security": 0,
        },
        "scanDuration": 0.0,
        "filesAnalyzed": 0,
        "chunksAnalyzed": 0,
    }
