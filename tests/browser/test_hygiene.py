"""The Hygiene page: review, apply and undo suggestions."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.hygiene_data import DUPLICATE_TITLE, import_untidy_items
from tests.browser.sample_data import items
from tests.browser.site import Site, User


def _plan(user: User) -> Any:
    return user.request("GET", "/api/v2/hygiene", params={"projectId": user.project_id})[0]


def _applied(user: User) -> set[str]:
    return {action["type"] for action in _plan(user)["actions"] if action["applied"]}


def _titles(user: User) -> set[str]:
    return {item["title"] for item in items(user)}


async def test_plan_can_be_reviewed_applied_and_undone(driver: Driver, visit: OpenVisit, olga: User) -> None:
    import_untidy_items(olga)
    window = await visit(olga)
    page = await window.go("{p}/hygiene")
    await window.sees("No checks in the last 7 days")
    await page.get_by_role("button", name="Run quick check").click()
    renames = page.get_by_role("list", name="Rename")
    await expect(renames.get_by_role("listitem")).to_have_count(2)

    # By keyboard: move to the merge suggestion, select it and compare the texts.
    merge = page.get_by_role("list", name="Merge")
    await page.keyboard.press("j")
    while not await merge.get_by_role("button", expanded=False).evaluate("it => it === document.activeElement"):
        await page.keyboard.press("j")
    await page.keyboard.press("x")
    await page.keyboard.press("Enter")
    await window.sees("merges into the memory above")
    await expect(merge.get_by_role("checkbox")).to_be_checked()
    await page.get_by_role("button", name="Select all safe").click()
    await renames.get_by_role("button", name="Fix bug").click()
    await expect(renames.get_by_role("group", name="Title before and after")).to_contain_text("Fix bug")
    assert await window.accessibility() == []

    await page.get_by_role("button", name="Apply 4 selected").click()
    await window.sees("4 changes applied.")
    assert _applied(olga) == {"MERGE_MEMORIES", "RENAME_TITLE", "FLAG_QUALITY"}
    assert "Fix bug" not in _titles(olga)
    assert sorted(item["status"] for item in items(olga) if item["title"] == DUPLICATE_TITLE) == [
        "approved",
        "deprecated",
    ]

    # Undo works after a reload, one by one or all at once, but skips items that have changed since.
    await page.reload()
    await page.get_by_role("list", name="Merge").get_by_role("button", name="Undo").click()
    await window.sees("1 change undone.")
    assert sorted(item["status"] for item in items(olga) if item["title"] == DUPLICATE_TITLE) == ["approved", "draft"]
    (mine,) = [item for item in items(olga) if item["title"].startswith("Sessions were lost")]
    olga.request("PATCH", f"/api/v2/items/{mine['id']}", json={"title": "Sessions survive a restart"})
    await page.get_by_role("button", name="Undo all (3)").click()
    await window.sees("The memory has changed since this check.")
    assert {"Sessions survive a restart", "Update"} <= _titles(olga)
    assert _applied(olga) == {"RENAME_TITLE"}


@pytest.mark.nightly
async def test_redaction_asks_for_confirmation_and_clean_memory_has_no_issues(
    driver: Driver, visit: OpenVisit, site: Site, olga: User
) -> None:
    import_untidy_items(olga)
    window = await visit(olga, dark=True)
    page = await window.go("{p}/hygiene")
    await page.get_by_role("button", name="Run weekly check").click()
    await page.get_by_role("checkbox", name="Select all: Redact secrets").check()
    await page.get_by_role("button", name="Apply 1 selected").click()
    await page.get_by_role("dialog").get_by_role("button", name="Apply 1").click()
    await window.sees("the removed text was not kept")
    assert _applied(olga) == {"REDACT"}
    (cleaned,) = [item for item in items(olga) if item["title"] == "Who answers for refunds"]
    assert "@" not in cleaned["content"]
    assert await window.accessibility() == []

    tidy = site.team()
    phone_window = await visit(tidy, phone=True)
    page = await phone_window.go("{p}/hygiene")
    await page.get_by_role("button", name="Run quick check").click()
    await phone_window.sees("No issues found")
    tidy.request("PATCH", f"/api/projects/{tidy.project_id}", json={"status": "archived"})
    await page.reload()
    await phone_window.sees("No issues found")
    await expect(page.get_by_role("button", name="Run quick check")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
