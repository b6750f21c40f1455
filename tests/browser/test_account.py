"""One's own account: password, appearance, leaving."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import PASSWORD, Someone


async def test_the_password_is_changed_and_the_look(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    window = await visit(olga)
    page = await window.go("/account")
    await window.sees("Olga Owner", olga.email, "You are here")
    assert await window.accessibility() == []
    await page.get_by_label("Present password", exact=True).fill("not the one it is")
    await page.get_by_label("New password", exact=True).fill("another good password")
    await page.get_by_role("button", name="Change the password").click()
    await expect(page.get_by_role("alert")).to_have_text("The present password is wrong.")
    await page.get_by_label("Present password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Change the password").click()
    await window.sees("The password is changed")
    await page.get_by_text("Dark", exact=True).click()
    await expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Sign out").click()
    await expect(page).to_have_url(f"{window.url}/sign-in")
    await page.get_by_label("E-mail").fill(olga.email)
    await page.get_by_label("Password", exact=True).fill("another good password")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page).to_have_url(f"{window.url}/welcome")
