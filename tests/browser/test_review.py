"""The Review page, by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.browser import sample_data
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.polling import eventually
from tests.browser.site import User
from tests.features.memory_project import digest


async def _check_position(page: Page, where: str, title: str) -> None:
    await expect(page.get_by_role("status").filter(has_text=where)).to_have_text(f"{where}: {title}")


async def test_drafts_are_reviewed_by_keyboard(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sample_data.import_items(olga, 11)
    names = [item["title"] for item in sample_data.items(olga)]
    window = await visit(olga)
    page = await window.go("{p}/review")
    press = page.keyboard.press
    await _check_position(page, "1 of 11", names[0])
    await expect(page.get_by_role("list", name="Evidence")).to_contain_text("Rule 10 of the basket holds")
    assert await window.accessibility() == []
    for index, key in enumerate("aaadd"):
        await press(key)
        await _check_position(page, f"{index + 2} of 11", names[index + 1])
    await press("u")
    await _check_position(page, "5 of 11", names[4])
    await press("a")
    await _check_position(page, "6 of 11", names[5])
    await press("Backspace")
    await _check_position(page, "7 of 11", names[6])
    await press("u")
    await _check_position(page, "6 of 11", names[5])
    await press("Delete")
    await _check_position(page, "7 of 11", names[6])
    await press("e")
    form = page.get_by_role("form", name="Edit memory")
    await expect(form.get_by_label("Title")).to_be_focused()
    await press("Control+a")
    await page.keyboard.type("A better title")
    await press("Control+Enter")
    await _check_position(page, "8 of 11", names[7])
    await press("j")
    await _check_position(page, "9 of 11", names[8])
    await press("ArrowLeft")
    await press("?")
    await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    await press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    for _ in range(4):
        await press("a")
    await window.sees("You're all caught up")
    await page.goto(f"{window.url}/assets/loremark.svg")
    expected = dict.fromkeys(names, "approved") | {names[3]: "deprecated", "A better title": "approved"}
    del expected[names[5]], expected[names[6]]
    await eventually(lambda: {item["title"]: item["status"] for item in sample_data.items(olga)}, expected)


def _baskets(olga: User) -> dict[str, tuple[str, list[str]]]:
    """Status and flags by the number of minutes in the content."""
    return {item["content"][21:23]: (item["status"], item["flags"]) for item in sample_data.items(olga)}


@pytest.mark.nightly
async def test_conflict_is_resolved_side_by_side(driver: Driver, visit: OpenVisit, olga: User) -> None:
    for minutes in (30, 60):
        text = f"Baskets expire after {minutes} minutes without a change; the stock they hold is given back then."
        save = {"summary": "Worked on baskets.", "changes": [{"category": "decision", "description": text}]}
        olga.enrich(olga.send_event("session_save", {**save, "source": f"agent:{minutes}"})["sessionId"])
    before = _baskets(olga)
    assert before == {"60": ("draft", ["conflict"]), "30": ("approved", ["conflict"])}
    window = await visit(olga, dark=True)
    page = await window.go("{p}/review")
    await expect(page.get_by_role("tab", name="Conflicts 2")).to_be_visible()
    await page.keyboard.press("3")
    this, other = page.get_by_role("region", name="This memory"), page.get_by_role("region", name="Other memory")
    await expect(this).to_contain_text("60 minutes")
    await expect(other).to_contain_text("30 minutes")
    await expect(other.get_by_role("list", name="Evidence")).to_contain_text("30 minutes")
    await window.sees("This memory says 60 minutes where the other says 30 minutes.")
    assert await window.accessibility() == []
    await page.keyboard.press("d")
    await window.sees("You're all caught up", "Kept the other: Baskets expire after 30 minutes")
    await page.keyboard.press("u")
    await expect(this).to_contain_text("60 minutes")
    assert _baskets(olga) == before, "status and flags are restored"
    await page.keyboard.press("a")
    await window.sees("You're all caught up")
    await eventually(lambda: _baskets(olga), {"60": ("approved", []), "30": ("deprecated", [])})


async def test_stale_memories_can_be_confirmed(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sample_data.import_items(olga, 2, status="approved", flags=["stale"])
    window = await visit(olga)
    page = await window.go("{p}/review?tab=stale")
    await _check_position(page, "1 of 2", "Rule 1 of the payments")
    await expect(page.get_by_role("region", name="Changed files")).to_contain_text("src/payments/rule_1.py")
    await page.keyboard.press("a")
    await page.keyboard.press("a")
    await window.sees("You're all caught up")
    await eventually(
        lambda: [(item["status"], item["flags"]) for item in sample_data.items(olga)], [("approved", [])] * 2
    )


async def test_review_names_a_reverted_commit_and_a_proposed_text(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sha = "a1" * 20
    subject = "feat(pool): one connection pool per tenant"
    reason = "One tenant with slow queries took all connections, so requests of the others waited and timed out."
    for change in (
        (sha, f"{subject}\n\n{reason}", ["src/pool.py"]),
        ("b2" * 20, f'Revert "{subject}"\n\nThis reverts commit {sha}.', ["src/pool.py"]),
    ):
        olga.enrich(olga.send_event("git_digest", digest(change))["sessionId"])
    rule = {"title": "Amounts are integers", "content": "Amounts of money are integers in cents.", "type": "convention"}
    olga.enrich(olga.send_event("memory_operation", {"operation": "create", "item": rule})["sessionId"])
    (known,) = sample_data.items(olga, type="convention")
    edit = {"operation": "update", "itemId": known["id"], "item": {"content": "Amounts of money are decimals."}}
    olga.enrich(olga.send_event("memory_operation", edit)["sessionId"])

    window = await visit(olga)
    page = await window.go("{p}/review?tab=stale")
    await expect(page.get_by_role("region", name="Reverted commit")).to_contain_text("was reverted (detected")
    assert await window.accessibility() == []
    await page.keyboard.press("3")
    await window.sees("This memory proposes new text for the other.")
    await page.get_by_role("link", name="Amounts are integers").last.click()
    await window.sees("This memory would be replaced by the other.")
