"""The API keys page: own keys, and the team's keys for admins."""

from __future__ import annotations

import httpx
from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User


async def test_a_key_is_created_shown_once_and_revoked(
    driver: Driver, visit: OpenVisit, site: Site, olga: User
) -> None:
    site.member(olga)
    window = await visit(olga)
    page = await window.go("/keys")
    await page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="New API key")
    await dialog.get_by_label("Name").fill("<i>laptop</i>")
    await dialog.get_by_role("button", name="Create key").click()
    key = await dialog.get_by_text("service_sk_").inner_text()
    await expect(dialog).to_contain_text(f"loremark login --url {window.url}")
    assert await window.accessibility() == []
    with httpx.Client(
        base_url=site.url, headers={"Authorization": f"Bearer {key}"}, trust_env=False, verify=False
    ) as http:
        assert http.get("/api/auth/me").json()["email"] == olga.email
        await dialog.get_by_role("button", name="Done").click()
        await expect(page.get_by_text(key)).to_have_count(0)
        await expect(page.get_by_role("list", name="Your keys").get_by_role("listitem")).to_have_count(2)
        await page.get_by_role("radiogroup", name="Show keys").get_by_text("Team").click()
        await expect(page.get_by_text("acts as Mira Member")).to_be_visible()
        await page.get_by_role("button", name="Revoke key <i>laptop</i>").click()
        await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        await window.sees("Key <i>laptop</i> revoked.")
        assert http.get("/api/auth/me").status_code == 401
    await expect(page.get_by_role("button", name="Revoke key <i>laptop</i>")).to_have_count(0)


async def test_a_member_sees_only_their_own_keys(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    mira = site.member(olga)
    olga.request("POST", f"/api/projects/{olga.project_id}/members", json={"email": mira.email})
    window = await visit(mira, dark=True)
    page = await window.go("/keys")
    await expect(page.get_by_role("list", name="Your keys").get_by_role("listitem")).to_have_count(1)
    await expect(page.get_by_role("radiogroup", name="Show keys")).to_have_count(0)
    await page.get_by_role("radio", name="Cursor").focus()
    await page.keyboard.press("ArrowRight")
    await window.sees("loremark install vscode", f"loremark init --project {olga.project_id}")
    assert await window.accessibility() == []


async def test_a_key_can_be_limited(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit(olga)
    page = await window.go("/keys")
    await page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="New API key")
    await dialog.get_by_label("Name").fill("Nightly agent")
    await dialog.get_by_label("Change memory, sessions and conversations").uncheck()
    await dialog.get_by_label("Manage projects, members, webhooks and billing").uncheck()
    await dialog.get_by_role("combobox", name="Project").click()
    await page.get_by_role("option").first.click()
    await dialog.get_by_role("combobox", name="Expires").click()
    await page.get_by_role("option", name="In 90 days").click()
    await dialog.get_by_label("Allowed addresses").fill("203.0.113.7, 10.0.0.0/8")
    assert await window.accessibility() == []
    await dialog.get_by_role("button", name="Create key").click()
    await dialog.get_by_text("service_sk_").wait_for()
    await dialog.get_by_role("button", name="Done").click()
    entry = page.get_by_role("list", name="Your keys").get_by_role("listitem").filter(has_text="Nightly agent")
    await expect(entry).to_contain_text("read, capture · only ")
    await expect(entry).to_contain_text("from 203.0.113.7, 10.0.0.0/8")
