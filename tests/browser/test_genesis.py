"""Genesis in a browser: a whole codebase is read while somebody looks on, and they see what it is made of."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.codebase import HeldGit, scan
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, Someone
from tests.features.scanning import REPOSITORY, serve_shop


@pytest.fixture
def shop(git_server: HeldGit) -> str:
    """The address of a small repository."""
    if not (git_server.root / REPOSITORY).exists():
        serve_shop(git_server)
    return git_server.url(REPOSITORY)


def _connect(someone: Someone, url: str) -> None:
    someone.ask("PATCH", f"/api/projects/{someone.project_id}", json={"repoUrl": url})


def _asked(someone: Someone, path: str = "") -> Any:
    return someone.ask("GET", f"/api/v2/scans{path}", params={"projectId": someone.project_id})


def _step(page: Page, name: str, state: str) -> Any:
    return page.get_by_role("list", name="Phases").get_by_role("listitem").filter(has_text=f"{name}: {state}")


async def test_a_codebase_is_read_while_somebody_looks_on(
    driver: Driver, visit: OpenVisit, olga: Someone, git_server: HeldGit, shop: str
) -> None:
    _connect(olga, shop)
    window = await visit(olga)
    page = await window.go("{p}/genesis")
    await expect(page.get_by_role("switch", name="Only what has changed")).to_be_disabled()
    git_server.gate.clear()
    try:
        await page.get_by_role("textbox", name="Files at most").fill("100")
        await page.get_by_role("button", name="Start the scan").click()
        await expect(_step(page, "List files", "under way")).to_be_visible()
        await expect(_step(page, "Read code", "to come")).to_be_visible()
        await expect(page.get_by_role("progressbar", name="Progress of the scan")).to_be_visible()
        await page.get_by_role("button", name="Cancel").click()
        await page.get_by_role("button", name="Let it go on").click()
    finally:
        git_server.gate.set()
    # Nobody reloads: what the server tells moves the page on.
    await expect(page.get_by_role("heading", name="The codebase was read")).to_be_visible(timeout=60_000)
    await expect(_step(page, "Complete", "done")).to_be_visible()

    results = _asked(olga, "/results")
    await window.sees("Tech stack", "FastAPI")
    assert results["summary"]["filesAnalyzed"] == 8
    total = len(results["findings"])
    await window.sees(f"{total} findings, the most important first", f"{total} findings from 8 files")
    models = results["summary"]["byLayer"]["dataModel"]
    await page.get_by_role("group", name="Layer").get_by_role("button", name="Data model").click()
    await window.sees(f"{models} of {total} findings")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await window.sees("shop/models.py")
    await page.get_by_role("group", name="Layer").get_by_role("button", name="All").click()
    await page.get_by_role("textbox", name="Search in the findings").fill("stones builders")
    await expect(page.get_by_role("list", name="Findings").get_by_role("listitem").first).to_contain_text("Product")
    assert await window.accessibility() == []

    await page.get_by_role("tab", name="Imports").click()
    graph = page.get_by_role("group", name="Import graph")
    modules = _asked(olga, "/graph")["modules"]
    assert {module["path"] for module in modules} >= {"shop/models.py", "shop/api.py"}
    await expect(graph.get_by_role("button")).to_have_count(len(modules))
    await graph.get_by_role("button", name="shop/models.py").focus()
    await expect(page.get_by_role("heading", name="shop/models.py")).to_be_visible()
    await page.get_by_role("button", name="shop/money.py", exact=True).click()
    await expect(graph.get_by_role("button", name="shop/money.py", pressed=True)).to_be_visible()
    await page.get_by_text("The same as a table").click()
    await expect(page.get_by_role("row")).to_have_count(1 + len(modules))
    assert await window.accessibility() == []


async def test_a_scan_is_cancelled_and_one_that_fails_says_why(
    driver: Driver, visit: OpenVisit, olga: Someone, git_server: HeldGit, shop: str
) -> None:
    _connect(olga, shop)
    window = await visit(olga, dark=True)
    page = await window.go("{p}/genesis")
    git_server.gate.clear()
    try:
        await page.get_by_role("button", name="Start the scan").click()
        await page.get_by_role("button", name="Cancel").click()
        await page.get_by_role("button", name="Cancel the scan").click()
        await window.sees("The scan is ending")
    finally:
        git_server.gate.set()
    await expect(page.get_by_role("heading", name="The scan was cancelled")).to_be_visible()
    assert _asked(olga)["scan"]["phase"] == "cancelled"

    git_server.token = "somebody-else's"
    try:
        await page.get_by_role("button", name="Scan again").click()
        await page.get_by_role("button", name="Start the scan").click()
        await expect(page.get_by_role("heading", name="The scan has failed")).to_be_visible()
    finally:
        git_server.token = None
    failed = _asked(olga)["scan"]
    assert failed["phase"] == "failed"
    await window.sees(failed["error"])
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("textbox", name="Branch")).to_have_value("main")


async def test_without_a_repository_the_other_way_is_told(
    driver: Driver, visit: OpenVisit, site: Site, olga: Someone, shop: str
) -> None:
    owner = await visit(olga)
    await owner.go("{p}/genesis")
    await owner.sees("This project has no repository", f"loremark scan --project {olga.project_id}")
    await owner.page.get_by_role("link", name="Connect a repository").click()
    await expect(owner.page).to_have_url(f"{owner.url}/p/{olga.project_id}/settings")

    scan(olga, shop)
    olga.ask("PATCH", f"/api/projects/{olga.project_id}", json={"visibility": "public"})
    reader = site.member(olga)
    reader.project_id = olga.project_id
    window = await visit(reader, phone=True, dark=True)
    page = await window.go("{p}/genesis")
    await window.sees("The codebase was read")
    await expect(page.get_by_role("button", name="Scan again")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    assert await window.accessibility() == []
