"""The shell around every page: sign-in redirect, command palette, unknown pages."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import User


async def test_signed_out_users_go_to_sign_in(driver: Driver, visit: OpenVisit) -> None:
    window = await visit()
    await window.go("/team")
    await expect(window.page).to_have_url(f"{window.url}/sign-in?next=%2Fteam")


async def test_the_command_palette_opens_pages(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit(olga)
    page = await window.go("/")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox", name="Search or jump to").fill("hyg")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/hygiene")


async def test_unknown_pages_are_not_found(driver: Driver, visit: OpenVisit, olga: User) -> None:
    for user in (None, olga):
        window = await visit(user)
        answer = await window.page.goto(f"{window.url}/nowhere")
        assert answer is not None
        assert answer.status == 404
        await expect(window.page.get_by_role("heading", level=1, name="Page not found")).to_be_visible()
        assert await window.accessibility() == []
        await window.page.get_by_role("link", name="Go to Home").click()
        await expect(window.page).to_have_url(f"{window.url}/" if user else f"{window.url}/sign-in")
