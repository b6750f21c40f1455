"""The account page: password, appearance, sign-out."""

from __future__ import annotations

import httpx
import pytest
from playwright.async_api import expect

from loremark.base import clock
from loremark.features.identity import totp
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


@pytest.mark.nightly
async def test_two_factor_authentication(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    window = await visit(olga, dark=True)
    page = await window.go("/account")
    section = page.get_by_role("region", name="Two-factor authentication")
    await section.get_by_role("button", name="Turn on…").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Your password", exact=True).fill("wrong password")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog.get_by_role("alert")).to_have_text("The password is wrong.")
    await dialog.get_by_label("Your password", exact=True).fill(PASSWORD)
    await dialog.get_by_role("button", name="Continue").click()
    await expect(dialog.get_by_role("img", name="QR code for your authenticator app")).to_be_visible()
    assert await window.accessibility() == []
    secret = await dialog.locator("pre").inner_text()
    await dialog.get_by_label("Two-factor code").fill("000000")
    await dialog.get_by_role("button", name="Turn on").click()
    await expect(dialog.get_by_role("alert")).to_have_text("Incorrect two-factor code")
    await dialog.get_by_label("Two-factor code").fill(totp.code_at(secret, clock.now_ms()))
    await dialog.get_by_role("button", name="Turn on").click()
    await expect(dialog.get_by_role("button", name="I saved the codes")).to_be_visible()
    codes = (await dialog.locator("pre").inner_text()).split()
    assert len(codes) == 10
    assert await window.accessibility() == []
    await dialog.get_by_role("button", name="I saved the codes").click()
    await expect(section).to_contain_text("On. 10 recovery codes left.")

    await page.get_by_role("button", name="Sign out", exact=True).click()
    await page.get_by_label("Email").fill(olga.email)
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_label("Two-factor code").fill("wrong")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_have_text("Incorrect two-factor code")
    assert await window.accessibility() == []
    await page.get_by_label("Two-factor code").fill(codes[0])
    await page.get_by_role("button", name="Sign in").click()
    await expect(page).to_have_url(f"{window.url}/welcome")

    await window.go("/account")
    await expect(section).to_contain_text("On. 9 recovery codes left.")
    await section.get_by_role("button", name="Turn off…").click()
    await dialog.get_by_label("Your password", exact=True).fill(PASSWORD)
    await dialog.get_by_label("Two-factor code").fill(codes[1])
    await dialog.get_by_role("button", name="Turn off").click()
    await window.sees("Two-factor authentication is off.")
    await expect(section.get_by_role("button", name="Turn on…")).to_be_visible()


@pytest.mark.nightly
async def test_passkeys(driver: Driver, visit: OpenVisit, olga: User) -> None:
    """With Chromium's virtual authenticator, on the name that passkeys are valid for."""
    window = await visit(olga)
    page = await window.go("/account")
    section = page.get_by_role("region", name="Passkeys")
    await expect(section).to_contain_text("to use passkeys")
    assert window.url.startswith("http://127.0.0.1:")
    window.url = window.url.replace("127.0.0.1", "localhost")
    devtools = await window.context.new_cdp_session(page)
    await devtools.send("WebAuthn.enable")
    device = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    simulated = {"isUserVerified": True, "automaticPresenceSimulation": True}
    await devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {**device, **simulated}})

    page = await window.go("/sign-in?next=%2Faccount")
    await page.get_by_role("button", name="Use a passkey").click()
    await expect(page.get_by_role("alert")).to_have_text("No passkey was used. Try again.")
    await page.get_by_label("Email").fill(olga.email)
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await section.get_by_role("button", name="Add a passkey…").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("Laptop")
    await dialog.get_by_label("Your password", exact=True).fill("wrong password")
    await dialog.get_by_role("button", name="Create passkey").click()
    await expect(dialog.get_by_role("alert")).to_have_text("The password is wrong.")
    await dialog.get_by_label("Your password", exact=True).fill(PASSWORD)
    assert await window.accessibility() == []
    await dialog.get_by_role("button", name="Create passkey").click()
    await window.sees("Passkey added.")
    await section.get_by_role("button", name="Rename Laptop").click()
    await dialog.get_by_label("Name").fill("Work laptop")
    await dialog.get_by_role("button", name="Rename").click()
    await expect(section.get_by_role("listitem")).to_contain_text("Work laptop")

    await page.get_by_role("button", name="Sign out", exact=True).click()
    await expect(page).to_have_url(f"{window.url}/sign-in")
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Use a passkey").click()
    await expect(page).to_have_url(f"{window.url}/welcome")
    await window.go("/account")
    await expect(section.get_by_role("listitem")).to_contain_text("last used")
    assert await window.accessibility() == []
    await section.get_by_role("button", name="Remove Work laptop").click()
    await dialog.get_by_role("button", name="Remove passkey").click()
    await expect(section.get_by_role("listitem")).to_have_count(0)


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
