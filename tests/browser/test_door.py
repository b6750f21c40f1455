"""The door: signing in, registering, being invited; and the tour that ends with a connected agent."""

from __future__ import annotations

import re

import httpx
from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import PASSWORD, Site, Someone


async def test_one_signs_in_and_comes_where_one_wanted_to(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    olga.tell("session_save", {"summary": "There is something to come back to."})
    window = await visit()
    page = await window.go("/sign-in?next=%2Fteam")
    await page.get_by_label("E-mail").fill(olga.email)
    await page.get_by_label("Password", exact=True).fill("not the one it is")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_have_text("E-mail or password is wrong")
    assert await window.accessibility() == []
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{window.url}/team")
    await expect(page.get_by_role("heading", level=1, name="Stonemasons")).to_be_visible()
    # Out again; a page of the server is loaded whole, a page of strangers never.
    await page.get_by_role("button", name="Account of Olga Owner").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await expect(page).to_have_url(f"{window.url}/sign-in")
    for wanted, reached in (("%2Fconnect%3Fname%3Dlaptop", "/connect?name=laptop"), ("%2F%2Fevil.example", "/")):
        await window.go(f"/sign-in?next={wanted}")
        await page.get_by_label("E-mail").fill(olga.email)
        await page.get_by_label("Password", exact=True).fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await expect(page).to_have_url(f"{window.url}{reached}")


async def test_from_nothing_to_the_first_event(driver: Driver, visit: OpenVisit, site: Site, olga: Someone) -> None:
    window = await visit(dark=True)
    page = await window.go("/sign-in")
    await page.get_by_role("link", name="Register").click()
    email = olga.email.replace("olga", "rosa")
    await page.get_by_label("Your name").fill("Rosa Newcomer")
    await page.get_by_label("E-mail").fill(olga.email)
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Register").click()
    await expect(page.get_by_role("alert")).to_have_text("An account with this e-mail already exists")
    assert await window.accessibility() == []
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_role("button", name="Register").click()

    await expect(page.get_by_role("heading", level=1, name="Welcome, Rosa Newcomer")).to_be_visible()
    await page.get_by_label("Name").fill("Engine <b>room</b>")
    await page.get_by_role("button", name="Make the project").click()
    await page.get_by_label("Gemini CLI").check(force=True)
    await page.get_by_role("button", name="Make a key").click()
    key = await page.get_by_text("service_sk_").inner_text()
    project_id = re.search(r"--project (prj_\w+)", await page.get_by_text("loremark init").inner_text())
    await window.sees(f"loremark login --url {window.url}", "loremark install gemini", "Waiting for the first event")
    assert await window.accessibility() == []

    assert project_id is not None
    rosa = Someone(site.url, email, "", key, "", project_id[1])
    rosa.tell("session_save", {"summary": "We chose <img src=x onerror=alert(1)> steam over water."})
    await window.sees("First event received", "We chose <img src=x onerror=alert(1)> steam over water.")
    assert await window.accessibility() == []
    # One may leave and come back; the key is shown no more.
    await page.reload()
    await window.sees("This project hears already")
    await expect(page.get_by_text("service_sk_")).to_have_count(0)
    await page.get_by_role("link", name="See it in Sessions").click()
    await expect(page).to_have_url(f"{window.url}/p/{rosa.project_id}/sessions")


async def test_an_invitation_lets_one_in_once(driver: Driver, visit: OpenVisit, site: Site, olga: Someone) -> None:
    email = olga.email.replace("olga", "noor")
    olga.ask("POST", "/api/team", json={"email": email, "role": "admin"})
    first = site.invitation(email)
    address = f"/invitation?token={first}"
    window = await visit()
    page = await window.go(address)
    await expect(page.get_by_role("heading", level=1, name="Join Stonemasons")).to_be_visible()
    await expect(page.get_by_label("E-mail")).to_have_value(email)
    assert await window.accessibility() == []
    await page.get_by_label("Your name").fill("Noor Invited")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Join the team").click()
    await expect(page.get_by_role("heading", level=1, name="Welcome, Noor Invited")).to_be_visible()
    members = {one["email"]: one["role"] for one in olga.ask("GET", "/api/team")}
    assert members[email] == "admin"
    await window.go(address)
    await window.sees("Invitation is invalid or expired", "Ask whoever invited you")

    # Whoever has an account only has to say yes.
    other = site.team("Sculptors")
    other.ask("POST", "/api/team", json={"email": email, "role": "member"})
    with httpx.Client(base_url=site.url, trust_env=False, verify=False) as http:
        token = site.invitation(email, after=first)
        assert http.post("/api/team/invitations/look", json={"token": token}).json()["hasAccount"]
    await window.go(f"/invitation?token={token}")
    await expect(page.get_by_label("Your name")).to_have_count(0)
    await page.get_by_role("button", name="Join the team").click()
    await expect(page.get_by_role("heading", level=1, name="Welcome, Noor Invited")).to_be_visible()
    assert email in {one["email"] for one in other.ask("GET", "/api/team")}

    # A login is for one team; the account page leads to the other.
    await window.go("/account")
    await page.get_by_role("button", name="Switch to Stonemasons").click()
    await page.get_by_role("dialog").get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Switch", exact=True).click()
    await expect(page).to_have_url(f"{window.url}/")
    await window.go("/team")
    await expect(page.get_by_role("heading", level=1, name="Stonemasons")).to_be_visible()
