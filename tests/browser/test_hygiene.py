"""Hygiene in a browser: a plan is read, some of it is done, and taken back."""

from __future__ import annotations

from typing import Any

from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, Someone
from tests.browser.story import items
from tests.browser.untidy import TWINS, leave_untidy


def _plan(someone: Someone) -> Any:
    return someone.ask("GET", "/api/v2/hygiene", params={"projectId": someone.project_id})[0]


def _applied(someone: Someone) -> set[str]:
    return {action["type"] for action in _plan(someone)["actions"] if action["applied"]}


def _titles(someone: Someone) -> set[str]:
    return {item["title"] for item in items(someone)}


async def test_a_plan_is_read_applied_and_taken_back(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    leave_untidy(olga)
    window = await visit(olga)
    page = await window.go("{p}/hygiene")
    await window.sees("No look was taken in the last seven days")
    await page.get_by_role("button", name="Take a quick look").click()
    renames = page.get_by_role("list", name="Rename")
    await expect(renames.get_by_role("listitem")).to_have_count(2)

    # By keyboard: the first proposals are gone through, the merge is selected and its texts are compared.
    merge = page.get_by_role("list", name="Merge")
    await page.keyboard.press("j")
    while not await merge.get_by_role("button", name="tell the same").evaluate("it => it === document.activeElement"):
        await page.keyboard.press("j")
    await page.keyboard.press("x")
    await page.keyboard.press("Enter")
    await window.sees("goes into the one that stays")
    await expect(merge.get_by_role("checkbox")).to_be_checked()
    await page.get_by_role("button", name="Select all safe").click()
    await renames.get_by_role("button", name="Fix bug").click()
    await expect(renames.get_by_role("group", name="Title before and after")).to_contain_text("Fix bug")
    assert await window.accessibility() == []

    await page.get_by_role("button", name="Apply 4 selected").click()
    await window.sees("4 changes made.")
    assert _applied(olga) == {"MERGE_MEMORIES", "RENAME_TITLE", "FLAG_QUALITY"}
    assert "Fix bug" not in _titles(olga)
    assert sorted(item["status"] for item in items(olga) if item["title"] == TWINS) == ["approved", "deprecated"]

    # A reload loses nothing; each is taken back alone, or all at once. What somebody has changed since stays.
    await page.reload()
    await page.get_by_role("list", name="Merge").get_by_role("button", name="Undo").click()
    await window.sees("1 change taken back.")
    assert sorted(item["status"] for item in items(olga) if item["title"] == TWINS) == ["approved", "draft"]
    (mine,) = [item for item in items(olga) if item["title"].startswith("Sessions were lost")]
    olga.ask("PATCH", f"/api/v2/items/{mine['id']}", json={"title": "Sessions survive a restart"})
    await page.get_by_role("button", name="Undo all done (3)").click()
    await window.sees("The memory has changed since this plan was made.")
    assert {"Sessions survive a restart", "Update"} <= _titles(olga)
    assert _applied(olga) == {"RENAME_TITLE"}


async def test_what_is_taken_out_is_asked_first_and_a_clean_memory_is_left_alone(
    driver: Driver, visit: OpenVisit, site: Site, olga: Someone
) -> None:
    leave_untidy(olga)
    window = await visit(olga, dark=True)
    page = await window.go("{p}/hygiene")
    await page.get_by_role("button", name="Take a weekly look").click()
    await page.get_by_role("checkbox", name="Select all: Take out secrets").check()
    await page.get_by_role("button", name="Apply 1 selected").click()
    await page.get_by_role("dialog").get_by_role("button", name="Apply 1").click()
    await window.sees("It cannot be undone")
    assert _applied(olga) == {"REDACT"}
    (cleaned,) = [item for item in items(olga) if item["title"] == "Who answers for refunds"]
    assert "@" not in cleaned["content"]
    assert await window.accessibility() == []

    tidy = site.team()
    calm = await visit(tidy, phone=True)
    page = await calm.go("{p}/hygiene")
    await page.get_by_role("button", name="Take a quick look").click()
    await calm.sees("Nothing to tidy up")
    tidy.ask("PATCH", f"/api/projects/{tidy.project_id}", json={"status": "archived"})
    await page.reload()
    await calm.sees("Nothing to tidy up")
    await expect(page.get_by_role("button", name="Take a quick look")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
