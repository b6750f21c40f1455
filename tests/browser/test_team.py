"""The team: who belongs to it, and who may change that."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, Someone


async def test_people_come_change_and_go(driver: Driver, visit: OpenVisit, site: Site, olga: Someone) -> None:
    mira = site.member(olga)
    window = await visit(olga)
    page = await window.go("/team")
    await page.get_by_role("button", name="Invite").click()
    dialog = page.get_by_role("dialog", name="Invite to the team")
    await dialog.get_by_label("E-mail").fill(mira.email)
    await dialog.get_by_role("button", name="Send the invitation").click()
    await expect(dialog.get_by_text("Already a member")).to_be_visible()
    await dialog.get_by_label("E-mail").fill("noor@stones.example")
    await dialog.get_by_label("Admin").check()
    await dialog.get_by_role("button", name="Send the invitation").click()
    invited = page.get_by_role("list", name="Open invitations").get_by_role("listitem")
    await expect(invited).to_contain_text("noor@stones.example")
    await expect(invited).to_contain_text("admin")
    assert await window.accessibility() == []

    await page.get_by_role("combobox", name="Role of Mira Member").click()
    await page.get_by_role("option", name="Admin").click()
    await window.sees("Mira Member is an admin now.")
    assert mira.ask("GET", "/api/auth/me")["role"] == "admin"
    await page.get_by_role("button", name="Remove Mira Member").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("list", name="Members").get_by_role("listitem")).to_have_count(1)
    await page.get_by_role("button", name="Take back the invitation to noor@stones.example").click()
    await page.get_by_role("dialog").get_by_role("button", name="Take back").click()
    await expect(page.get_by_role("list", name="Open invitations")).to_have_count(0)
    assert [one["email"] for one in olga.ask("GET", "/api/team", params={"include": "invited"})] == [olga.email]


async def test_a_member_is_offered_nothing_of_that(driver: Driver, visit: OpenVisit, site: Site, olga: Someone) -> None:
    mira = site.member(olga)
    window = await visit(mira, dark=True)
    page = await window.go("/team")
    await window.sees("Olga Owner", "Mira Member")
    for name in ("Invite", "Remove Olga Owner", "Remove Mira Member"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
    await expect(page.get_by_role("combobox", name="Role of")).to_have_count(0)
    assert await window.accessibility() == []
    # What happens meanwhile is seen without asking.
    site.member(olga, name="Late Comer")
    await window.sees("Late Comer")
