"""The Map page: find, edit, approve and move contexts by keyboard and mouse."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser import sample_data
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import User


def _contexts(user: User) -> dict[str, Any]:
    found = user.request("GET", "/api/contexts", params={"projectId": user.project_id})
    return {context["name"]: context for context in found}


def _row(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=f"{name},")


def _notification(page: Page, text: str) -> Locator:
    return page.get_by_role("alert").filter(has_text=text)


@pytest.mark.nightly
async def test_context_can_be_found_by_keyboard_edited_approved_and_compacted(
    driver: Driver, visit: OpenVisit, olga: User
) -> None:
    sample_data.populate(olga)
    window = await visit(olga)
    page = await window.go("{p}/map")
    await page.get_by_role("tree", name="Contexts").focus()
    await page.keyboard.press("Home")
    await page.keyboard.type("oper")
    await page.keyboard.press("ArrowLeft")
    await expect(_row(page, "Operations")).to_have_attribute("aria-expanded", "false")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Operations")).to_be_visible()
    assert await window.accessibility() == []

    await page.get_by_role("button", name="Approve").click()
    await expect(_notification(page, "Approved “Operations”")).to_be_visible()
    await page.get_by_role("button", name="Edit", exact=True).click()
    await page.get_by_role("textbox", name="Text (Markdown)").fill("## Deploys\n\nOnly **on Mondays**.\n")
    await expect(page.get_by_role("region", name="Preview").get_by_role("strong")).to_have_text("on Mondays")
    await page.keyboard.press("Control+Enter")
    await expect(_notification(page, "Saved “Operations”")).to_be_visible()
    await expect(page.get_by_role("tabpanel", name="Text")).to_contain_text("Only on Mondays.")
    operations = _contexts(olga)["Operations"]
    assert operations["state"] == "approved"
    assert "on Mondays" in olga.request("GET", f"/api/contexts/{operations['id']}")["content"]

    payments = _contexts(olga)["Payments"]["id"]
    before = olga.request("GET", f"/api/contexts/{payments}")["content"]
    await page.get_by_role("group", name="Treemap of contexts").get_by_role("button", name="Payments,").click()
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/map/{payments}")
    await page.get_by_role("button", name="More actions for Payments").click()
    await page.get_by_role("menuitem", name="Compact").click()
    compacted = _notification(page, "Compacted “Payments”: 2 entries became 1")
    await expect(compacted).to_be_visible()
    assert olga.request("GET", f"/api/contexts/{payments}")["content"] != before
    async with page.expect_response(lambda answer: answer.url.endswith("/revert")):
        await compacted.get_by_role("button", name="Undo").click()
    assert olga.request("GET", f"/api/contexts/{payments}")["content"] == before
    await page.get_by_role("tab", name="History").click()
    await page.get_by_role("button", name="Show changes in version 3").click()
    await expect(page.get_by_role("group", name="Changes in version 3")).to_contain_text("Refunds")


@pytest.mark.nightly
async def test_context_can_be_moved_by_drag_and_drop_and_by_dialog(
    driver: Driver, visit: OpenVisit, olga: User
) -> None:
    sample_data.populate(olga)
    known = _contexts(olga)
    window = await visit(olga, dark=True)
    page = await window.go(f"{{p}}/map/{known['Alerts']['id']}")
    await expect(_row(page, "Alerts")).to_have_attribute("aria-selected", "true")
    level = await _row(page, "Alerts").get_attribute("aria-level")

    await _row(page, "Operations").drag_to(_row(page, "Alerts"))
    await _row(page, "Alerts").drag_to(_row(page, "Payments"))
    moved = _notification(page, "Moved “Alerts” under “Payments”")
    await expect(moved).to_be_visible()
    assert _contexts(olga)["Alerts"]["parentContextId"] == known["Payments"]["id"]
    async with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        await moved.get_by_role("button", name="Undo").click()
    now = _contexts(olga)
    assert now["Alerts"]["parentContextId"] == known["Operations"]["id"]
    assert now["Operations"]["parentContextId"] == known["Operations"]["parentContextId"], (
        "a context must not move under itself"
    )
    await expect(_row(page, "Alerts")).to_have_attribute("aria-level", level or "")

    await page.get_by_role("button", name="More actions for Alerts").click()
    await page.get_by_role("menuitem", name="Move to").click()
    dialog = page.get_by_role("dialog", name="Move “Alerts” to")
    await dialog.get_by_role("textbox", name="Search for a new parent").fill("alerts")
    await expect(dialog.get_by_text("A context can't be moved under itself")).to_be_visible()
    await dialog.get_by_role("textbox", name="Search for a new parent").fill("bask")
    await dialog.get_by_role("button", name="Basket").click()
    await expect(_notification(page, "Moved “Alerts” under “Basket”")).to_be_visible()
    assert _contexts(olga)["Alerts"]["parentContextId"] == known["Basket"]["id"]
    assert await window.accessibility() == []
