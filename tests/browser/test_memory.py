"""The list of memories: found by words and by meaning, judged many at once, and taken back."""

from __future__ import annotations

import re

from playwright.async_api import Page, expect

from tests.browser import story
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Someone
from tests.browser.waiting import eventually


def _rules(olga: Someone, **filters: str) -> set[str]:
    return {item["title"].split(" of ")[0] for item in story.items(olga, **filters)}


async def _shows(page: Page, count: int) -> None:
    await expect(page.get_by_role("status").filter(has_text=re.compile("memor"))).to_have_text(
        f"{count} {'memory' if count == 1 else 'memories'}"
    )


async def test_memories_are_found_by_filters_words_and_meaning(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    story.many(olga, 24, status="approved")
    olga.tell(
        "memory_operation",
        {
            "operation": "create",
            "item": {
                "title": "Orders are kept for seven years",
                "content": "Orders are kept for seven years, because the tax office may ask for them.",
                "type": "decision",
                "confidence": 0.95,
            },
        },
    )
    olga.enrich(olga.ask("GET", "/api/v2/sessions", params={"projectId": olga.project_id})[0]["id"])
    window = await visit(olga)
    page = await window.go("{p}/memory")
    await _shows(page, 25)
    assert await window.accessibility() == []

    await page.get_by_role("combobox", name="Type").click()
    await page.get_by_role("option", name="todo").click()
    await _shows(page, len(_rules(olga, type="todo")))
    await page.get_by_label("Schema key").fill("root/search")
    await expect(page).to_have_url(re.compile(r"type=todo.*schemaKey=root"))
    await _shows(page, 1)
    await page.reload()
    await _shows(page, 1)
    await expect(page.get_by_role("link", name="Rule 5 of the search")).to_be_visible()
    await page.get_by_role("button", name="Clear all").click()

    await page.keyboard.press("/")
    await page.keyboard.type("rule_17 code")
    await _shows(page, 1)
    await expect(page.get_by_role("link", name="Rule 17 of the refunds")).to_be_visible()

    await page.get_by_text("By meaning").click()
    await page.get_by_label("Search by meaning").fill("how long do we store what customers bought, for the taxes?")
    found = page.get_by_role("list", name="Found by meaning").get_by_role("listitem")
    await expect(found.first).to_contain_text("Orders are kept for seven years")
    await expect(found.first).to_contain_text(re.compile(r"\d+% similar"))
    await page.get_by_role("button", name="Show why").click()
    await expect(found.first.get_by_role("definition").first).to_be_visible()


async def test_many_are_judged_at_once_and_taken_back(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    story.many(olga, 12, flags=["low_confidence"])
    window = await visit(olga, dark=True)
    page = await window.go("{p}/memory?status=draft")
    await _shows(page, 12)
    for _ in range(2):
        await page.keyboard.press("j")
    await page.keyboard.press("x")
    await (
        page.get_by_role("checkbox", name="Select Rule 6 of the stock", exact=False)
        .or_(page.get_by_role("checkbox", name="Select Rule 6 of", exact=False))
        .first.click(modifiers=["Shift"])
    )
    await expect(page.get_by_text("5 selected")).to_be_visible()
    assert await window.accessibility() == []
    await page.keyboard.press("a")
    await _shows(page, 7)
    await expect(page.get_by_text("Approved 5 memories")).to_be_visible()
    judged = {f"Rule {number}" for number in range(6, 11)}
    await eventually(lambda: _rules(olga, status="approved"), judged)
    assert all(item["flags"] == [] for item in story.items(olga, status="approved"))
    await page.get_by_role("button", name="Undo").click()
    await _shows(page, 12)
    doubtful = [("draft", ["low_confidence"])] * 12
    await eventually(lambda: [(item["status"], item["flags"]) for item in story.items(olga)], doubtful)


async def test_deleting_can_be_taken_back_and_is_done_on_leaving(
    driver: Driver, visit: OpenVisit, olga: Someone
) -> None:
    story.many(olga, 4)
    window = await visit(olga)
    page = await window.go("{p}/memory")
    await page.get_by_role("checkbox", name="Select Rule 3").click()
    await page.get_by_role("checkbox", name="Select Rule 2").click()
    await page.get_by_role("button", name="Delete").click()
    await _shows(page, 2)
    assert len(story.items(olga)) == 4, "not before it is certain"
    await page.get_by_role("button", name="Undo").click()
    await _shows(page, 4)
    await page.get_by_role("checkbox", name="Select Rule 0").click()
    await page.get_by_role("button", name="Delete").click()
    await _shows(page, 3)
    await page.goto(f"{window.url}/assets/loremark.svg")
    await eventually(lambda: _rules(olga), {"Rule 1", "Rule 2", "Rule 3"})


async def test_a_memory_is_written_by_hand(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    window = await visit(olga)
    page = await window.go("{p}/memory")
    await window.sees("Nothing is remembered yet")
    await page.get_by_role("button", name="Write a memory").click()
    await page.get_by_label("Title").fill("Refunds are sent by the worker")
    await page.get_by_label("Content").fill("Refunds are written down first and sent by the worker, never twice.")
    await page.get_by_role("button", name="Keep it").click()
    await page.get_by_role("link", name="Refunds are sent by the worker").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Refunds are sent by the worker")
