"""The account page: password, appearance, sign-out."""

from __future__ import annotations

import httpx
import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import PASSWORD, Site, User


@pytest.mark.nightly
async def test_password_and_appearance_can_be_changed(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit(olga)
    page = await window.go("/account")
    await window.sees("Olga Owner", olga.email, "Current")
    assert await window.accessibility() == []
    await page.get_by_label("Current password", exact=True).fill("wrong password")
    await page.get_by_label("New password", exact=True).fill("another good password")
    await page.get_by_role("button", name="Change password").click()
    await expect(page.get_by_role("alert")).to_have_text("The current password is wrong.")
    await page.get_by_label("Current password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Change password").click()
    await window.sees("Password changed")
    await page.get_by_text("Dark", exact=True).click()
    await expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Sign out").click()
    await expect(page).to_have_url(f"{window.url}/sign-in")
    await page.get_by_label("Email").fill(olga.email)
    await page.get_by_label("Password", exact=True).fill("another good password")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page).to_have_url(f"{window.url}/welcome")


async def test_other_browsers_can_be_signed_out(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    with httpx.Client(base_url=site.url, trust_env=False, verify=False) as phone:
        body = {"email": olga.email, "password": PASSWORD}
        assert phone.post("/api/auth/login", json=body, headers={"User-Agent": "iPhone Safari/1"}).status_code == 200
        window = await visit(olga)
        page = await window.go("/account")
        browsers = page.get_by_role("list", name="Signed-in browsers").get_by_role("listitem")
        await expect(browsers.filter(has_text="Safari on iPhone")).to_contain_text("last used")
        await expect(browsers.filter(has_text="This browser")).to_have_count(1)
        assert await window.accessibility() == []
        await page.get_by_role("button", name="Sign out others").click()
        await window.sees("Signed out 1 other browser.")
        await expect(browsers).to_have_count(1)
        assert phone.get("/api/auth/me").status_code == 401
