"""The map: a context is found, read, written, judged and hung elsewhere, by keyboard and by mouse."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Locator, Page, expect

from tests.browser import story
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Someone


def _contexts(someone: Someone) -> dict[str, Any]:
    found = someone.ask("GET", "/api/contexts", params={"projectId": someone.project_id})
    return {context["name"]: context for context in found}


def _line(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=f"{name},")


def _note(page: Page, text: str) -> Locator:
    return page.get_by_role("alert").filter(has_text=text)


async def test_a_context_is_found_by_keyboard_written_approved_and_compacted(
    driver: Driver, visit: OpenVisit, olga: Someone
) -> None:
    story.populate(olga)
    window = await visit(olga)
    page = await window.go("{p}/map")
    await page.get_by_role("tree", name="Contexts").focus()
    await page.keyboard.press("Home")
    await page.keyboard.type("oper")
    await page.keyboard.press("ArrowLeft")
    await expect(_line(page, "Operations")).to_have_attribute("aria-expanded", "false")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Operations")).to_be_visible()
    assert await window.accessibility() == []

    await page.get_by_role("button", name="Approve").click()
    await expect(_note(page, "Approved “Operations”")).to_be_visible()
    await page.get_by_role("button", name="Edit", exact=True).click()
    await page.get_by_role("textbox", name="Text, in Markdown").fill("## Deploys\n\nOnly **on Mondays**.\n")
    await expect(page.get_by_role("region", name="Preview").get_by_role("strong")).to_have_text("on Mondays")
    await page.keyboard.press("Control+Enter")
    await expect(_note(page, "Saved “Operations”")).to_be_visible()
    await expect(page.get_by_role("tabpanel", name="Text")).to_contain_text("Only on Mondays.")
    operations = _contexts(olga)["Operations"]
    assert operations["state"] == "approved"
    assert "on Mondays" in olga.ask("GET", f"/api/contexts/{operations['id']}")["content"]

    payments = _contexts(olga)["Payments"]["id"]
    before = olga.ask("GET", f"/api/contexts/{payments}")["content"]
    await page.get_by_role("group", name="Picture").get_by_role("button", name="Payments,").click()
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/map/{payments}")
    await page.get_by_role("button", name="More to do with Payments").click()
    await page.get_by_role("menuitem", name="Compact").click()
    compacted = _note(page, "Compacted “Payments”: 2 entries became 1")
    await expect(compacted).to_be_visible()
    assert olga.ask("GET", f"/api/contexts/{payments}")["content"] != before
    async with page.expect_response(lambda answer: answer.url.endswith("/revert")):
        await compacted.get_by_role("button", name="Undo").click()
    assert olga.ask("GET", f"/api/contexts/{payments}")["content"] == before
    await page.get_by_role("tab", name="History").click()
    await page.get_by_role("button", name="What changed in version 3").click()
    await expect(page.get_by_role("group", name="What changed in version 3")).to_contain_text("Refunds")


async def test_a_context_is_moved_by_dragging_and_by_a_dialog_and_back(
    driver: Driver, visit: OpenVisit, olga: Someone
) -> None:
    story.populate(olga)
    known = _contexts(olga)
    window = await visit(olga, dark=True)
    page = await window.go(f"{{p}}/map/{known['Alerts']['id']}")
    await expect(_line(page, "Alerts")).to_have_attribute("aria-selected", "true")
    level = await _line(page, "Alerts").get_attribute("aria-level")

    await _line(page, "Operations").drag_to(_line(page, "Alerts"))
    await _line(page, "Alerts").drag_to(_line(page, "Payments"))
    moved = _note(page, "Moved “Alerts” below “Payments”")
    await expect(moved).to_be_visible()
    assert _contexts(olga)["Alerts"]["parentContextId"] == known["Payments"]["id"]
    async with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        await moved.get_by_role("button", name="Undo").click()
    now = _contexts(olga)
    assert now["Alerts"]["parentContextId"] == known["Operations"]["id"]
    assert now["Operations"]["parentContextId"] == known["Operations"]["parentContextId"], "it went below itself"
    await expect(_line(page, "Alerts")).to_have_attribute("aria-level", level or "")

    await page.get_by_role("button", name="More to do with Alerts").click()
    await page.get_by_role("menuitem", name="Move to").click()
    dialog = page.get_by_role("dialog", name="Move “Alerts” to")
    await dialog.get_by_role("textbox", name="Find the new place").fill("alerts")
    await expect(dialog.get_by_text("A context cannot stand below itself")).to_be_visible()
    await dialog.get_by_role("textbox", name="Find the new place").fill("bask")
    await dialog.get_by_role("button", name="Basket").click()
    await expect(_note(page, "Moved “Alerts” below “Basket”")).to_be_visible()
    assert _contexts(olga)["Alerts"]["parentContextId"] == known["Basket"]["id"]
    assert await window.accessibility() == []
