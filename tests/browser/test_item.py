"""The page of one memory: evidence, editing, and version history."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser import sample_data
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.polling import eventually
from tests.browser.site import User


def _get_item(olga: User, item_id: str) -> dict[str, object]:
    item: dict[str, object] = olga.request("GET", f"/api/v2/items/{item_id}")
    return item


async def test_evidence_highlights_the_quotes(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sample_data.import_items(olga, 3, flags=["stale"], status="approved")
    item = sample_data.items(olga)[0]
    window = await visit(olga)
    page = await window.go(f"{{p}}/memory/{item['id']}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Rule 2 of the orders")
    evidence = page.get_by_role("list", name="Evidence").get_by_role("listitem")
    await expect(evidence.locator("mark")).to_have_text("Rule 2 of the orders holds on every server.")
    await expect(evidence).to_contain_text("Nobody objected.")
    await expect(evidence.get_by_role("link", name="Open session")).to_have_attribute(
        "href", re.compile(r"/sessions/ses_")
    )
    await expect(page.get_by_role("list", name="Flags")).to_contain_text("was changed or deleted")
    assert await window.accessibility() == []
    await page.keyboard.press("a")
    await expect(page.get_by_role("list", name="Flags")).to_have_count(0)
    await eventually(lambda: _get_item(olga, item["id"])["flags"], [])


@pytest.mark.nightly
async def test_conflicting_edit_shows_both_versions(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sample_data.import_items(olga, 1)
    item_id = sample_data.items(olga)[0]["id"]
    window = await visit(olga)
    page = await window.go(f"{{p}}/memory/{item_id}")
    await page.get_by_role("button", name="Edit").click()
    form = page.get_by_role("form", name="Edit memory")
    await form.get_by_label("Title").fill("Mine")
    await form.get_by_role("textbox", name="Content").fill("Mine, with a [link](javascript:alert(1)) and **weight**.")
    await form.get_by_text("Preview").click()
    await expect(form.get_by_text("weight")).to_be_visible()
    await expect(form.get_by_role("link")).to_have_count(0)
    olga.request("PATCH", f"/api/v2/items/{item_id}", json={"title": "Theirs"})
    await form.get_by_role("button", name="Save").click()
    await window.sees("Someone else changed this memory")
    shown = page.get_by_role("group", name="Their version compared with yours")
    await expect(shown).to_contain_text("Theirs")
    await expect(shown).to_contain_text("Mine")
    assert _get_item(olga, item_id)["title"] == "Theirs"
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Save mine").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Mine")
    assert _get_item(olga, item_id)["title"] == "Mine"


async def test_versions_can_be_compared_and_reverted(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sample_data.import_items(olga, 1)
    item_id = sample_data.items(olga)[0]["id"]
    for change in ({"title": "Second title"}, {"content": "A third text."}, {"status": "approved"}):
        olga.request("PATCH", f"/api/v2/items/{item_id}", json=change)
    window = await visit(olga, dark=True)
    page = await window.go(f"{{p}}/memory/{item_id}")
    versions = page.get_by_role("list", name="Versions").get_by_role("listitem")
    await expect(versions).to_have_count(4)
    await expect(versions.first).to_contain_text("approved by you")
    await page.get_by_role("button", name="Show changes in version 3").click()
    changes = page.get_by_role("group", name="Changes from version 2 to version 3")
    await expect(changes).to_contain_text("added: A third text.")
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Revert to version 2").click()
    await expect(versions).to_have_count(5)
    assert _get_item(olga, item_id)["title"] == "Second title"
    assert "Rule 0" in str(_get_item(olga, item_id)["content"])
    await page.get_by_role("button", name="Undo").click()
    await expect(versions).to_have_count(6)
    assert _get_item(olga, item_id)["content"] == "A third text."
