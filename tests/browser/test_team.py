"""The team page: members, roles and invitations."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User


async def test_members_are_invited_changed_and_removed(
    driver: Driver, visit: OpenVisit, site: Site, olga: User
) -> None:
    mira = site.member(olga)
    window = await visit(olga)
    page = await window.go("/team")
    await page.get_by_role("button", name="Invite").click()
    dialog = page.get_by_role("dialog", name="Invite a team member")
    await expect(dialog).to_contain_text("Email is not set up on this server.")
    await dialog.get_by_label("Email").fill(mira.email)
    await dialog.get_by_role("button", name="Invite").click()
    await expect(dialog.get_by_text("Already a member")).to_be_visible()
    await dialog.get_by_label("Email").fill("noor@example.com")
    await dialog.get_by_label("Admin").check()
    await dialog.get_by_role("button", name="Invite").click()
    invited = page.get_by_role("list", name="Pending invitations").get_by_role("listitem")
    await expect(invited).to_contain_text("noor@example.com")
    await expect(invited).to_contain_text("admin")
    assert await window.accessibility() == []

    await page.get_by_role("combobox", name="Role for Mira Member").click()
    await page.get_by_role("option", name="Admin").click()
    await window.sees("Mira Member is now an admin.")
    assert mira.request("GET", "/api/auth/me")["role"] == "admin"
    await page.get_by_role("combobox", name="Role for Mira Member").click()
    await page.get_by_role("option", name="Member").click()
    demotion = page.get_by_role("dialog", name="Make Mira Member a member?")
    await expect(demotion).to_contain_text("signing secrets are replaced")
    await demotion.get_by_role("button", name="Change role").click()
    await window.sees("Mira Member is now a member.")
    assert mira.request("GET", "/api/auth/me")["role"] == "member"
    await page.get_by_role("button", name="Remove Mira Member").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("list", name="Members").get_by_role("listitem")).to_have_count(1)
    await page.get_by_role("button", name="Revoke the invitation to noor@example.com").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(page.get_by_role("list", name="Pending invitations")).to_have_count(0)
    assert [one["email"] for one in olga.request("GET", "/api/team", params={"include": "invited"})] == [olga.email]


@pytest.mark.nightly
async def test_a_member_cannot_manage_the_team(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    mira = site.member(olga)
    window = await visit(mira, dark=True)
    page = await window.go("/team")
    await window.sees("Olga Owner", "Mira Member")
    for name in ("Invite", "Remove Olga Owner", "Remove Mira Member"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
    await expect(page.get_by_role("combobox", name="Role for")).to_have_count(0)
    assert await window.accessibility() == []
    # New members appear without a reload.
    site.member(olga, name="New Member")
    await window.sees("New Member")
