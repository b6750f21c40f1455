"""The frame of every page: signed out, signed in, by keyboard, dark and light."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Someone


async def test_a_stranger_is_led_to_the_door(driver: Driver, visit: OpenVisit) -> None:
    window = await visit()
    await window.go("/team")
    await expect(window.page).to_have_url(f"{window.url}/sign-in?next=%2Fteam")


async def test_pages_are_found_by_keyboard(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    window = await visit(olga)
    page = await window.go("/")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Find or go to").fill("hyg")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/hygiene")
