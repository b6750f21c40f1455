"""Sessions: what was told day by day, each event shown well, and how it becomes memory while one looks on."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from playwright.async_api import expect
from sqlalchemy import text

from loremark.storage.opening import open_database
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, Someone

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


def _told(someone: Someone) -> str:
    """One session with an event of each kind, one of them with a text too large to be sent unasked."""
    session: str = someone.tell("session_save", _SAVE)["sessionId"]
    someone.tell("git_digest", {**_SOURCE, "branch": "main", "commits": [_COMMIT]})
    finding = {"layer": "security", "title": "Keys lie in the code", "content": "Move them out.", "importance": 4}
    someone.tell("scan_result", {**_SOURCE, "findings": [finding], "deleted": ["src/old.py"]})
    large = "## Provider\n\n" + "All cards go through one provider. " * 400 + "\n\nThe very end."
    someone.tell("context_update", {**_SOURCE, "name": "Payments", "schemaKey": "root/payments", "content": large})
    item = {"title": "Deploys need a tag", "content": "Production is deployed from tags only.", "type": "convention"}
    someone.tell("memory_operation", {**_SOURCE, "operation": "create", "item": item})
    return session


async def test_events_are_shown_well_and_become_memory_while_one_looks_on(
    driver: Driver, visit: OpenVisit, olga: Someone
) -> None:
    session = _told(olga)
    window = await visit(olga)
    page = await window.go("{p}/sessions")
    await expect(page.get_by_role("heading", name="Today")).to_be_visible()
    assert await window.accessibility() == []
    await page.get_by_role("link", name=re.compile("5 events.*active", re.DOTALL)).click()
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/sessions/{session}")

    save = page.get_by_role("article", name=re.compile("Work saved"))
    await expect(save.get_by_role("region", name="convention")).to_contain_text("Money is always a Decimal")
    await save.get_by_text("Other fields: mood").click()
    await expect(save).to_contain_text("<img src=x onerror=alert(1)>")
    commits = page.get_by_role("article", name=re.compile("Commits"))
    await expect(commits).to_contain_text("+42")
    patch = commits.get_by_role("group", name="What changed: fix: totals are sums of Decimal")
    await expect(patch).to_contain_text("added: total = Decimal(price)")
    await expect(page.get_by_role("article", name=re.compile("Scan result"))).to_contain_text("Keys lie in the code")
    context = page.get_by_role("article", name=re.compile("^Context"))
    await context.get_by_role("button", name=re.compile("Show the text")).click()
    await expect(context).to_contain_text("The very end.")
    await expect(page.get_by_role("article", name=re.compile("Told to the memory"))).to_contain_text("remembers")

    await page.get_by_role("button", name="Enrich now").click()
    stages = page.get_by_role("progressbar", name="Stages done")
    await expect(stages).to_have_attribute("aria-valuenow", "4")
    await expect(page.get_by_role("list", name="Stages").get_by_role("listitem")).to_have_count(4)
    await expect(page.get_by_role("button", name="Take up again")).to_be_visible()
    await expect(page.get_by_role("link", name="Orders are kept for seven years")).to_be_visible()
    assert olga.ask("GET", f"/api/v2/sessions/{session}")["status"] == "completed"

    await page.get_by_role("button", name="Take up again").click()
    await expect(page.get_by_role("button", name="Complete")).to_be_enabled()
    assert olga.ask("GET", f"/api/v2/sessions/{session}")["status"] == "active"
    olga.tell("session_save", {**_SOURCE, "summary": "Told while somebody looked on."})
    await expect(page.get_by_text("Told while somebody looked on.")).to_be_visible()


async def test_a_filtered_timeline_and_a_long_session_on_a_phone_in_the_dark(
    driver: Driver, visit: OpenVisit, olga: Someone
) -> None:
    session = _told(olga)
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
    await window.sees("No session is failed")
    await expect(page).to_have_url(re.compile("status=failed"))
    await page.get_by_text("Active", exact=True).click()
    await page.get_by_role("link", name=re.compile(f"{_MANY + 5} events")).click()
    await expect(page).to_have_url(re.compile(session))
    await expect(page.get_by_role("article", name=re.compile("Commits"))).to_be_attached()
    assert await window.accessibility() == []
    assert await page.get_by_role("article").count() < 60, "only what is in sight exists"
    last = page.get_by_text(f"Step {_MANY - 1} of many.")
    for _ in range(400):
        await page.keyboard.press("End")
        if await last.count():
            break
        await page.wait_for_timeout(50)
    await expect(last).to_be_visible()
    wide = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, "the page itself is never wider than the screen"


async def test_a_failed_pipeline_says_why_and_is_tried_again(
    driver: Driver, site: Site, visit: OpenVisit, olga: Someone
) -> None:
    """The failure is written as a lost worker leaves it: real ones take minutes until they are given up."""
    path = site.process.folder / "loremark.db"
    if not path.exists():
        pytest.skip("what the page shows does not depend on where it is kept")
    session = olga.tell("session_save", _SAVE)["sessionId"]
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
    await window.sees("Why it failed", "The disk was full.")
    await expect(page.get_by_role("progressbar", name="Stages done")).to_have_attribute("aria-valuenow", "3")
    await page.get_by_role("button", name="Retry").click()
    await expect(page.get_by_role("button", name="Take up again")).to_be_visible()
    await expect(page.get_by_text("Earlier runs (1)")).to_be_visible()
    assert olga.ask("GET", f"/api/v2/sessions/{session}")["status"] == "completed"
