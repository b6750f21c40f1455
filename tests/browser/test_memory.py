"""The Memory page: filters, keyword and semantic search, bulk actions with undo, and previews."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser import sample_data
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.hostile_data import import_lines, item
from tests.browser.polling import eventually
from tests.browser.site import User


def _rules(olga: User, **filters: str) -> set[str]:
    return {item["title"].split(" of ")[0] for item in sample_data.items(olga, **filters)}


async def _shows(page: Page, count: int) -> None:
    await expect(page.get_by_role("status").filter(has_text=re.compile("memor"))).to_have_text(
        f"{count} {'memory' if count == 1 else 'memories'}"
    )


async def test_memories_are_found_by_filters_keyword_and_semantic_search(
    driver: Driver, visit: OpenVisit, olga: User
) -> None:
    sample_data.import_items(olga, 24, status="approved")
    olga.send_event(
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
    olga.enrich(olga.request("GET", "/api/v2/sessions", params={"projectId": olga.project_id})[0]["id"])
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
    await page.get_by_role("button", name="Clear filters").click()

    await page.keyboard.press("/")
    await page.keyboard.type("rule_17 code")
    await _shows(page, 1)
    await expect(page.get_by_role("link", name="Rule 17 of the refunds")).to_be_visible()

    await page.get_by_text("Semantic", exact=True).click()
    await page.get_by_label("Semantic search").fill("how long do we store what customers bought, for the taxes?")
    found = page.get_by_role("list", name="Search results").get_by_role("listitem")
    await expect(found.first).to_contain_text("Orders are kept for seven years")
    await expect(found.first).to_contain_text(re.compile(r"\d+% similar"))
    await page.get_by_role("button", name="Explain scores").click()
    await expect(found.first.get_by_role("definition").first).to_be_visible()


@pytest.mark.nightly
async def test_bulk_approve_can_be_undone(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sample_data.import_items(olga, 12, flags=["low_confidence"])
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
    approved = {f"Rule {number}" for number in range(6, 11)}
    await eventually(lambda: _rules(olga, status="approved"), approved)
    assert all(item["flags"] == [] for item in sample_data.items(olga, status="approved"))
    await page.get_by_role("button", name="Undo").click()
    await _shows(page, 12)
    flagged_drafts = [("draft", ["low_confidence"])] * 12
    await eventually(lambda: [(item["status"], item["flags"]) for item in sample_data.items(olga)], flagged_drafts)


async def test_delete_can_be_undone_and_is_sent_on_leaving(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sample_data.import_items(olga, 4)
    window = await visit(olga)
    page = await window.go("{p}/memory")
    await page.get_by_role("checkbox", name="Select Rule 3").click()
    await page.get_by_role("checkbox", name="Select Rule 2").click()
    await page.get_by_role("button", name="Delete").click()
    await _shows(page, 2)
    assert len(sample_data.items(olga)) == 4, "not sent during the undo period"
    await page.get_by_role("button", name="Undo").click()
    await _shows(page, 4)
    await page.get_by_role("checkbox", name="Select Rule 0").click()
    await page.get_by_role("button", name="Delete").click()
    await _shows(page, 3)
    await page.goto(f"{window.url}/assets/loremark.svg")
    await eventually(lambda: _rules(olga), {"Rule 1", "Rule 2", "Rule 3"})


_PREVIEWS = {
    "Emphasis": ("It is **bold**, _italic_ and *also italic*.", "It is bold, italic and also italic."),
    "Identifiers": ("Raise max_retry_count_ms in retry_policy.py.", "Raise max_retry_count_ms in retry_policy.py."),
    "Arithmetic": ("2**10 is 1024, and 3 * 4 * 5 is 60.", "2**10 is 1024, and 3 * 4 * 5 is 60."),
    "Code spans": ("Pass `**kwargs` and `_x_` to `a*b*c`.", "Pass **kwargs and _x_ to a*b*c."),
    "Blocks": ("## Rule\n\n- first_item\n- `2**3`\n\n> quoted", "Rule first_item 2**3 quoted"),
}


async def test_previews_strip_only_real_markdown_formatting(driver: Driver, visit: OpenVisit, olga: User) -> None:
    plain: dict[str, Any] = {
        "flags": [],
        "files": [],
        "tags": [],
        "branch": None,
        "sourceRef": None,
        "status": "approved",
    }
    import_lines(olga, [item(title=title, content=source, **plain) for title, (source, _) in _PREVIEWS.items()])
    window = await visit(olga)
    page = await window.go("{p}/memory")
    rows = page.get_by_role("list", name="Memories").get_by_role("listitem")
    for title, (_, preview) in _PREVIEWS.items():
        row = rows.filter(has=page.get_by_role("link", name=title, exact=True))
        await expect(row.get_by_text(preview, exact=True)).to_be_visible()


@pytest.mark.nightly
async def test_memory_can_be_created_by_hand(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit(olga)
    page = await window.go("{p}/memory")
    await window.sees("No memories yet")
    await page.get_by_role("button", name="New memory").click()
    await page.get_by_label("Title").fill("Refunds are sent by the worker")
    await page.get_by_label("Content").fill("Refunds are written down first and sent by the worker, never twice.")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name="Refunds are sent by the worker").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Refunds are sent by the worker")
