"""The home page: open work, projects and spend."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser import sample_data
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User

_CHANGES = [
    {"category": "decision", "description": "We decided to keep orders for seven years.", "files": ["orders.py"]},
    {"category": "implementation", "description": "The mail worker reads from the outbox table.", "files": []},
]


def _add_session(user: User) -> None:
    """An enriched agent session with one draft to review."""
    event = user.send_event("session_save", {"summary": "Worked.", "changes": _CHANGES, "source": "claude-code"})
    user.enrich(event["sessionId"])
    first, *others = sample_data.items(user)
    user.request("PATCH", f"/api/v2/items/{first['id']}", json={"status": "draft"})
    for other in others:
        user.request("PATCH", f"/api/v2/items/{other['id']}", json={"status": "approved"})


async def test_home_shows_open_work(driver: Driver, visit: OpenVisit, olga: User) -> None:
    _add_session(olga)
    window = await visit(olga)
    page = await window.go("/")
    needs = page.get_by_role("region", name="Needs attention")
    await expect(needs.get_by_role("heading", name="1 draft to review")).to_be_visible()
    card = page.get_by_role("list", name="Projects", exact=True).get_by_role("listitem").first
    await expect(card).to_contain_text("Drafts to review")
    await expect(card).to_contain_text("Last event just now")
    await expect(card.get_by_role("img", name="added in 12 weeks")).to_be_visible()
    spend = page.get_by_role("region", name="Usage this month")
    await expect(spend.get_by_role("meter", name="AI tokens")).to_be_visible()
    assert await window.accessibility() == []
    # Changes made elsewhere appear without a reload.
    old = olga.request("POST", "/api/projects", json={"name": "Old shop"})
    await expect(page.get_by_role("link", name="Old shop")).to_be_visible()
    olga.request("PATCH", f"/api/projects/{old['id']}", json={"status": "archived"})
    await page.get_by_role("button", name="1 archived project").click()
    await expect(page.get_by_role("list", name="Archived projects")).to_contain_text("Old shop")
    await needs.get_by_role("link", name="Checkout service").click()
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/review?tab=drafts")


@pytest.mark.nightly
async def test_a_new_team_is_offered_its_first_project(driver: Driver, visit: OpenVisit, site: Site) -> None:
    nora = site.team(project="")
    window = await visit(nora, dark=True)
    page = await window.go("/")
    await expect(page.get_by_role("link", name="Create project")).to_have_attribute("href", "/welcome")
    for number in range(8):
        nora.request("POST", "/api/projects", json={"name": f"Service {number}"})
    await expect(page.get_by_role("region", name="Connect an agent")).to_be_visible()
    projects = page.get_by_role("list", name="Projects", exact=True)
    await expect(projects.get_by_role("heading")).to_have_count(8)
    await page.keyboard.press("/")
    await page.keyboard.type("service 3")
    await expect(projects.get_by_role("heading")).to_have_text(["Service 3"])
    assert await window.accessibility() == []
    await page.get_by_role("button", name="New project").click()
    await page.get_by_role("textbox", name="Name").fill("Ledger")
    await page.get_by_role("button", name="Create project").click()
    await expect(page).to_have_url(re.compile(r"/welcome\?project=prj_"))
    assert "Ledger" in [project["name"] for project in nora.request("GET", "/api/projects")]


async def test_a_member_sees_no_admin_controls(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    _add_session(olga)
    olga.request("PATCH", f"/api/projects/{olga.project_id}", json={"visibility": "public"})
    window = await visit(site.member(olga), phone=True)
    page = await window.go("/")
    await window.sees("Checkout service", "You're all caught up")
    await expect(page.get_by_role("region", name="Usage this month")).to_have_count(0)
    await expect(page.get_by_role("button", name="New project")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
