"""Sign-in, registration, invitations, and the setup guide up to a connected agent."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import PASSWORD, Site, User


@pytest.mark.nightly
async def test_sign_in_returns_to_the_requested_page(driver: Driver, visit: OpenVisit, olga: User) -> None:
    olga.send_event("session_save", {"summary": "The team has an event already."})
    window = await visit()
    page = await window.go("/sign-in?next=%2Fteam")
    await page.get_by_label("Email").fill(olga.email)
    await page.get_by_label("Password", exact=True).fill("wrong password")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_have_text("Incorrect email or password")
    assert await window.accessibility() == []
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{window.url}/team")
    await expect(page.get_by_role("heading", level=1, name="Team")).to_be_visible()
    # After sign-in, server pages are loaded in full and other sites never.
    await page.get_by_role("button", name="Account menu for Olga Owner").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await expect(page).to_have_url(f"{window.url}/sign-in")
    for next_path, reached in (("%2Fconnect%3Fname%3Dlaptop", "/connect?name=laptop"), ("%2F%2Fevil.example", "/")):
        await window.go(f"/sign-in?next={next_path}")
        await page.get_by_label("Email").fill(olga.email)
        await page.get_by_label("Password", exact=True).fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await expect(page).to_have_url(f"{window.url}{reached}")


async def test_sign_in_link_that_does_not_work_says_why(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit()
    page = await window.go("/signin?token=wrong")
    await expect(page.get_by_role("alert")).to_contain_text("is not valid. Check that you copied all of it.")
    assert await window.accessibility() == []
    for problem, message in (("used", "already used"), ("expired", "work for 24 hours"), ("replaced", "a newer one")):
        page = await window.go(f"/sign-in?link={problem}")
        await expect(page.get_by_role("alert")).to_contain_text(message)
        await expect(page.get_by_role("alert")).to_contain_text("loremark open")
    page = await window.go("/sign-in?link=%3Cb%3E")
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    await expect(page.get_by_role("alert")).to_have_count(0)


async def test_registration_and_setup_up_to_the_first_event(
    driver: Driver, visit: OpenVisit, site: Site, olga: User
) -> None:
    window = await visit(dark=True)
    page = await window.go("/sign-in")
    await page.get_by_role("link", name="Sign up").click()
    email = olga.email.replace("olga", "rosa")
    await page.get_by_label("Your name").fill("Rosa Newcomer")
    await page.get_by_label("Email").fill(olga.email)
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Create account").click()
    await expect(page.get_by_role("alert")).to_have_text("An account with this email already exists")
    assert await window.accessibility() == []
    await page.get_by_label("Email").fill(email)
    await page.get_by_role("button", name="Create account").click()

    await expect(page.get_by_role("heading", level=1, name="Welcome, Rosa Newcomer")).to_be_visible()
    await page.get_by_label("Name").fill("Engine <b>room</b>")
    await page.get_by_role("button", name="Create project").click()
    await page.get_by_label("Gemini CLI").check(force=True)
    await page.get_by_role("button", name="Create key").click()
    key = await page.get_by_text("service_sk_").inner_text()
    project_id = re.search(r"--project (prj_\w+)", await page.get_by_text("loremark init").inner_text())
    await window.sees(f"loremark login --url {window.url}", "loremark install gemini", "Waiting for the first event")
    assert await window.accessibility() == []

    assert project_id is not None
    rosa = User(site.url, email, "", key, "", project_id[1])
    rosa.send_event("session_save", {"summary": "We chose <img src=x onerror=alert(1)> steam over water."})
    await window.sees("First event received", "We chose <img src=x onerror=alert(1)> steam over water.")
    assert await window.accessibility() == []
    # After a reload the key is no longer shown.
    await page.reload()
    await window.sees("This project is receiving events")
    await expect(page.get_by_text("service_sk_")).to_have_count(0)
    await page.get_by_role("link", name="View sessions").click()
    await expect(page).to_have_url(f"{window.url}/p/{rosa.project_id}/sessions")


async def test_an_invitation_works_once(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    email = olga.email.replace("olga", "noor")
    olga.request("POST", "/api/team", json={"email": email, "role": "admin"})
    first = site.invitation(email)
    address = f"/invitation?token={first}"
    window = await visit()
    page = await window.go(address)
    await expect(page.get_by_role("heading", level=1, name="Join Acme")).to_be_visible()
    await expect(page.get_by_label("Email")).to_have_value(email)
    assert await window.accessibility() == []
    await page.get_by_label("Your name").fill("Noor Invited")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Join team").click()
    await expect(page.get_by_role("heading", level=1, name="Welcome, Noor Invited")).to_be_visible()
    members = {one["email"]: one["role"] for one in olga.request("GET", "/api/team")}
    assert members[email] == "admin"
    await window.go(address)
    await window.sees("Invitation is invalid or expired", "Ask for a new invitation")

    # An existing account only confirms.
    other = site.team("Globex")
    other.request("POST", "/api/team", json={"email": email, "role": "member"})
    with httpx.Client(base_url=site.url, trust_env=False, verify=False) as http:
        token = site.invitation(email, after=first)
        assert http.post("/api/team/invitations/preview", json={"token": token}).json()["hasAccount"]
    await window.go(f"/invitation?token={token}")
    await expect(page.get_by_label("Your name")).to_have_count(0)
    await page.get_by_role("button", name="Join team").click()
    await expect(page.get_by_role("heading", level=1, name="Welcome, Noor Invited")).to_be_visible()
    assert email in {one["email"] for one in other.request("GET", "/api/team")}

    # A login is valid for one team; the account page switches to another.
    await window.go("/account")
    await page.get_by_role("button", name="Switch to Acme").click()
    await page.get_by_role("dialog").get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Switch", exact=True).click()
    await expect(page).to_have_url(f"{window.url}/")
    await window.go("/team")
    await window.sees("Invite people to Acme")
