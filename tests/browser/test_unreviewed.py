"""What sessions said, before anyone reviews it: in the palette, in search and as a source of an answer."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.polling import eventually
from tests.browser.site import User

_QUESTION = "How long does the HL7 sender wait for the ACK of St. Anna?"
_HOSTILE = "<img src=x onerror=alert(1)>"


async def test_what_a_session_said_is_found_and_cited(driver: Driver, visit: OpenVisit, olga: User) -> None:
    payload = {
        "notes": f"the HL7 sender hangs up on St. Anna before their ACK arrives, give it 45 seconds {_HOSTILE}",
        "summary": "The HL7 sender now waits 45 seconds for the ACK of St. Anna.",
        "changes": [],
        "source": "claude-code:1",
        "agent": "claude-code",
    }
    session = olga.send_event("session_save", payload)["sessionId"]
    query = {"projectId": olga.project_id, "q": _QUESTION, "in": "sessions"}
    await eventually(lambda: len(olga.request("GET", "/api/v2/search", params=query)["turns"]), 1)
    address = f"/p/{olga.project_id}/sessions/{session}"
    window = await visit(olga)

    page = await window.go("{p}/memory")
    await page.get_by_text("Semantic", exact=True).click()
    await page.get_by_label("Semantic search").fill(_QUESTION)
    found = page.get_by_role("list", name="Sessions and commits").get_by_role("listitem")
    await expect(found).to_contain_text("45 seconds")
    await expect(found).to_contain_text("unreviewed")
    await expect(found.get_by_role("link", name="Session by Claude Code")).to_have_attribute("href", address)
    assert await window.accessibility() == []

    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Search or jump to").fill(_QUESTION)
    await expect(page.get_by_text("Sessions and commits (unreviewed)")).to_be_visible()
    assert await window.accessibility() == []
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{window.url}{address}")

    page = await window.go("{p}/ask")
    await page.get_by_role("textbox", name="Your question").fill(_QUESTION)
    await page.keyboard.press("Enter")
    answer = page.get_by_role("article", name="Answer", exact=True)
    await expect(answer).to_contain_text("Unreviewed, from a session with claude-code on ")
    source = answer.get_by_role("list", name="Sources").get_by_role("listitem")
    await expect(source).to_contain_text("unreviewed")
    await expect(source.get_by_role("link")).to_have_attribute("href", address)
    assert await window.accessibility() == []
