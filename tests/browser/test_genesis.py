"""The Genesis page: a scan with live progress, its results, cancelling and failing."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.codebase import PausableGitServer, scan
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User
from tests.features.scan_project import REPOSITORY, serve_shop


@pytest.fixture
def shop(git_server: PausableGitServer) -> str:
    """URL of a small repository."""
    if not (git_server.root / REPOSITORY).exists():
        serve_shop(git_server)
    return git_server.url(REPOSITORY)


def _connect(user: User, url: str) -> None:
    user.request("PATCH", f"/api/projects/{user.project_id}", json={"repoUrl": url})


def _scan_status(user: User, path: str = "") -> Any:
    return user.request("GET", f"/api/v2/scans{path}", params={"projectId": user.project_id})


def _step(page: Page, name: str, state: str) -> Any:
    return page.get_by_role("list", name="Phases").get_by_role("listitem").filter(has_text=f"{name}: {state}")


async def test_scan_shows_live_progress_and_results(
    driver: Driver, visit: OpenVisit, olga: User, git_server: PausableGitServer, shop: str
) -> None:
    _connect(olga, shop)
    window = await visit(olga)
    page = await window.go("{p}/genesis")
    await expect(page.get_by_role("switch", name="Changed files only")).to_be_disabled()
    git_server.gate.clear()
    try:
        await page.get_by_role("textbox", name="Max files").fill("100")
        await page.get_by_role("button", name="Start scan").click()
        await expect(_step(page, "List files", "in progress")).to_be_visible()
        await expect(_step(page, "Analyze", "pending")).to_be_visible()
        await expect(page.get_by_role("progressbar", name="Scan progress")).to_be_visible()
        await page.get_by_role("button", name="Cancel").click()
        await page.get_by_role("button", name="Keep running").click()
    finally:
        git_server.gate.set()
    # The page updates from server events, without a reload.
    await expect(page.get_by_role("heading", name="Scan complete")).to_be_visible(timeout=60_000)
    await expect(_step(page, "Complete", "done")).to_be_visible()

    results = _scan_status(olga, "/results")
    await window.sees("Tech stack", "FastAPI")
    assert results["summary"]["filesAnalyzed"] == 8
    total = len(results["findings"])
    await window.sees(f"{total} findings, most important first", f"{total} findings from 8 files")
    models = results["summary"]["byLayer"]["dataModel"]
    await page.get_by_role("group", name="Area").get_by_role("button", name="Data model").click()
    await window.sees(f"{models} of {total} findings")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await window.sees("shop/models.py")
    await page.get_by_role("group", name="Area").get_by_role("button", name="All").click()
    await page.get_by_role("textbox", name="Search findings").fill("stones builders")
    await expect(page.get_by_role("list", name="Findings").get_by_role("listitem").first).to_contain_text("Product")
    assert await window.accessibility() == []

    await page.get_by_role("tab", name="Imports").click()
    graph = page.get_by_role("group", name="Import graph")
    modules = _scan_status(olga, "/graph")["modules"]
    assert {module["path"] for module in modules} >= {"shop/models.py", "shop/api.py"}
    await expect(graph.get_by_role("button")).to_have_count(len(modules))
    await graph.get_by_role("button", name="shop/models.py").focus()
    await expect(page.get_by_role("heading", name="shop/models.py")).to_be_visible()
    await page.get_by_role("button", name="shop/money.py", exact=True).click()
    await expect(graph.get_by_role("button", name="shop/money.py", pressed=True)).to_be_visible()
    await page.get_by_text("Show as table").click()
    await expect(page.get_by_role("row")).to_have_count(1 + len(modules))
    assert await window.accessibility() == []


@pytest.mark.nightly
async def test_scan_can_be_cancelled_and_a_failed_scan_shows_the_error(
    driver: Driver, visit: OpenVisit, olga: User, git_server: PausableGitServer, shop: str
) -> None:
    _connect(olga, shop)
    window = await visit(olga, dark=True)
    page = await window.go("{p}/genesis")
    git_server.gate.clear()
    try:
        await page.get_by_role("button", name="Start scan").click()
        await page.get_by_role("button", name="Cancel").click()
        await page.get_by_role("button", name="Cancel scan").click()
        await window.sees("Canceling scan")
    finally:
        git_server.gate.set()
    await expect(page.get_by_role("heading", name="Scan canceled")).to_be_visible()
    assert _scan_status(olga)["scan"]["phase"] == "cancelled"

    git_server.token = "another-token"
    try:
        await page.get_by_role("button", name="Scan again").click()
        await page.get_by_role("button", name="Start scan").click()
        await expect(page.get_by_role("heading", name="Scan failed")).to_be_visible()
    finally:
        git_server.token = None
    failed = _scan_status(olga)["scan"]
    assert failed["phase"] == "failed"
    await window.sees(failed["error"])
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("textbox", name="Branch")).to_have_value("main")


@pytest.mark.nightly
async def test_project_without_repository_and_read_only_user(
    driver: Driver, visit: OpenVisit, site: Site, olga: User, shop: str
) -> None:
    owner = await visit(olga)
    await owner.go("{p}/genesis")
    await owner.sees("No repository connected", f"loremark scan --project {olga.project_id}")
    await owner.page.get_by_role("link", name="Connect repository").click()
    await expect(owner.page).to_have_url(f"{owner.url}/p/{olga.project_id}/settings")

    scan(olga, shop)
    olga.request("PATCH", f"/api/projects/{olga.project_id}", json={"visibility": "public"})
    reader = site.member(olga)
    reader.project_id = olga.project_id
    window = await visit(reader, phone=True, dark=True)
    page = await window.go("{p}/genesis")
    await window.sees("Scan complete")
    await expect(page.get_by_role("button", name="Scan again")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    assert await window.accessibility() == []
