"""The Sessions pages: timeline, events by type, and live enrichment."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from playwright.async_api import expect
from sqlalchemy import text

from loremark.storage.connect import open_database
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User

_PATCH = """diff --git a/src/money.py b/src/money.py
--- a/src/money.py
+++ b/src/money.py
@@ -1 +1 @@
-total = round(float(price), 2)
+total = Decimal(price)
"""
_SAVE = {
    "source": "claude-code:1",
    "summary": "Moved **money** to Decimal.",
    "changes": [
        {
            "category": "convention",
            "description": "Money is always a Decimal in the smallest unit; never use float for prices.",
            "files": ["src/money.py"],
        },
        {
            "category": "decision",
            "title": "Orders are kept for seven years",
            "content": "We decided to keep orders for seven years, because the tax office may ask for them.",
        },
    ],
    "mood": {"hostile": "<img src=x onerror=alert(1)>"},
}
_COMMIT = {
    "sha": "9f1c2d3e4a5b60718293a4b5c6d7e8f901234567",
    "message": "fix: totals are sums of Decimal\n\nRounding each line lost a cent.",
    "author": "Noor",
    "date": "2026-11-10T09:12:00Z",
    "files": ["src/money.py"],
    "insertions": 42,
    "deletions": 17,
    "diff": _PATCH,
}
_MANY = 110
_SOURCE = {"source": "claude-code:1"}


def _create_session(user: User) -> str:
    """Create a session with an event of each type, one with a text that is loaded on demand."""
    session: str = user.send_event("session_save", _SAVE)["sessionId"]
    user.send_event("git_digest", {**_SOURCE, "branch": "main", "commits": [_COMMIT]})
    finding = {"layer": "security", "title": "Keys lie in the code", "content": "Move them out.", "importance": 4}
    user.send_event("scan_result", {**_SOURCE, "findings": [finding], "deleted": ["src/old.py"]})
    large = "## Provider\n\n" + "All cards go through one provider. " * 400 + "\n\nThe very end."
    user.send_event("context_update", {**_SOURCE, "name": "Payments", "schemaKey": "root/payments", "content": large})
    item = {"title": "Deploys need a tag", "content": "Production is deployed from tags only.", "type": "convention"}
    user.send_event("memory_operation", {**_SOURCE, "operation": "create", "item": item})
    return session


@pytest.mark.nightly
async def test_events_are_displayed_and_enrichment_updates_live(driver: Driver, visit: OpenVisit, olga: User) -> None:
    session = _create_session(olga)
    window = await visit(olga)
    page = await window.go("{p}/sessions")
    await expect(page.get_by_role("heading", name="Today")).to_be_visible()
    assert await window.accessibility() == []
    await page.get_by_role("link", name=re.compile("5 events.*active", re.DOTALL)).click()
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/sessions/{session}")

    save = page.get_by_role("article", name=re.compile("Session activity"))
    await expect(save.get_by_role("region", name="convention")).to_contain_text("Money is always a Decimal")
    await save.get_by_text("Other fields: mood").click()
    await expect(save).to_contain_text("<img src=x onerror=alert(1)>")
    commits = page.get_by_role("article", name=re.compile("Commits"))
    await expect(commits).to_contain_text("+42")
    patch = commits.get_by_role("group", name="Changes: fix: totals are sums of Decimal")
    await expect(patch).to_contain_text("added: total = Decimal(price)")
    await expect(page.get_by_role("article", name=re.compile("Scan result"))).to_contain_text("Keys lie in the code")
    context = page.get_by_role("article", name=re.compile("^Context update"))
    await context.get_by_role("button", name=re.compile("Show text")).click()
    await expect(context).to_contain_text("The very end.")
    await expect(page.get_by_role("article", name=re.compile("Memory change"))).to_contain_text("create")

    await page.get_by_role("button", name="Enrich now").click()
    stages = page.get_by_role("progressbar", name="Completed stages")
    await expect(stages).to_have_attribute("aria-valuenow", "4")
    await expect(page.get_by_role("list", name="Stages").get_by_role("listitem")).to_have_count(4)
    await expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    await expect(page.get_by_role("link", name="Orders are kept for seven years")).to_be_visible()
    assert olga.request("GET", f"/api/v2/sessions/{session}")["status"] == "completed"

    await page.get_by_role("button", name="Reopen").click()
    await expect(page.get_by_role("button", name="Complete")).to_be_enabled()
    assert olga.request("GET", f"/api/v2/sessions/{session}")["status"] == "active"
    olga.send_event("session_save", {**_SOURCE, "summary": "Sent while the page is open."})
    await expect(page.get_by_text("Sent while the page is open.")).to_be_visible()


@pytest.mark.nightly
async def test_filter_and_long_session_on_a_phone_in_dark_mode(driver: Driver, visit: OpenVisit, olga: User) -> None:
    session = _create_session(olga)
    with httpx.Client(
        base_url=olga.url, headers={"Authorization": f"Bearer {olga.key}"}, trust_env=False, verify=False
    ) as http:
        for number in range(_MANY):
            payload = {**_SOURCE, "summary": f"Step {number} of many."}
            body = {"projectId": olga.project_id, "event": "session_save", "payload": payload}
            http.post("/api/v2/events", json=body).raise_for_status()
    window = await visit(olga, phone=True, dark=True)
    page = await window.go("{p}/sessions")
    await page.get_by_text("Failed", exact=True).click()
    await window.sees("No failed sessions")
    await expect(page).to_have_url(re.compile("status=failed"))
    await page.get_by_text("Active", exact=True).click()
    await page.get_by_role("link", name=re.compile(f"{_MANY + 5} events")).click()
    await expect(page).to_have_url(re.compile(session))
    await expect(page.get_by_role("article", name=re.compile("Commits"))).to_be_attached()
    assert await window.accessibility() == []
    assert await page.get_by_role("article").count() < 60, "only visible events are rendered"
    last = page.get_by_text(f"Step {_MANY - 1} of many.")
    for _ in range(400):
        await page.keyboard.press("End")
        if await last.count():
            break
        await page.wait_for_timeout(50)
    await expect(last).to_be_visible()
    overflow = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert overflow <= 0, "the page must not scroll sideways"


async def test_failed_enrichment_shows_the_error_and_can_be_retried(
    driver: Driver, site: Site, visit: OpenVisit, olga: User
) -> None:
    """The failure is written to the database, because a real one takes minutes to be detected."""
    path = site.process.folder / "loremark.db"
    if not path.exists():
        pytest.skip("the page does not depend on the database engine")
    session = olga.send_event("session_save", _SAVE)["sessionId"]
    job = olga.enrich(session)
    stages = [*job["pipeline"][:3], {**job["pipeline"][3], "status": "failed"}]
    database = await open_database(path)
    async with database.write() as tx:
        change = "UPDATE jobs SET status = 'failed', error = 'The disk was full.', stages = :stages WHERE id = :id"
        await tx.run(text(change), id=job["id"], stages=json.dumps(stages))
        await tx.run(text("UPDATE sessions SET status = 'failed' WHERE id = :id"), id=session)
    await database.close()
    window = await visit(olga)
    page = await window.go(f"{{p}}/sessions/{session}")
    await window.sees("Enrichment failed", "The disk was full.")
    await expect(page.get_by_role("progressbar", name="Completed stages")).to_have_attribute("aria-valuenow", "3")
    await page.get_by_role("button", name="Retry").click()
    await expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    await expect(page.get_by_text("Earlier runs (1)")).to_be_visible()
    assert olga.request("GET", f"/api/v2/sessions/{session}")["status"] == "completed"


async def test_a_session_can_be_deleted(driver: Driver, visit: OpenVisit, olga: User) -> None:
    session = olga.send_event("session_save", {**_SOURCE, "summary": "About the merger."})["sessionId"]
    window = await visit(olga)
    page = await window.go(f"{{p}}/sessions/{session}")
    await page.get_by_role("button", name="Delete session").click()
    dialog = page.get_by_role("dialog", name="Delete this session?")
    await expect(dialog).to_contain_text("1 event")
    assert await window.accessibility() == []
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_have_count(0)
    await page.get_by_role("button", name="Delete session").click()
    await dialog.get_by_role("button", name="Delete session").click()
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/sessions")
    await expect(page.get_by_role("link", name=re.compile("1 event"))).to_have_count(0)
    assert olga.request("GET", f"/api/v2/sessions?projectId={olga.project_id}") == []
