"""The page a team opens every morning."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser import story
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, Someone

_CHANGES = [
    {"category": "decision", "description": "We decided to keep orders for seven years.", "files": ["orders.py"]},
    {"category": "implementation", "description": "The mail worker reads from the outbox table.", "files": []},
]


def _work(someone: Someone) -> None:
    """A session of an agent, enriched; one of its items waits for a judgement."""
    told = someone.tell("session_save", {"summary": "Worked.", "changes": _CHANGES, "source": "claude-code"})
    someone.enrich(told["sessionId"])
    first, *others = story.items(someone)
    someone.ask("PATCH", f"/api/v2/items/{first['id']}", json={"status": "draft"})
    for other in others:
        someone.ask("PATCH", f"/api/v2/items/{other['id']}", json={"status": "approved"})


async def test_what_waits_is_seen_at_a_glance(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    _work(olga)
    window = await visit(olga)
    page = await window.go("/")
    needs = page.get_by_role("region", name="What needs you")
    await expect(needs.get_by_role("heading", name="1 draft to judge")).to_be_visible()
    card = page.get_by_role("list", name="Projects", exact=True).get_by_role("listitem").first
    await expect(card).to_contain_text("Drafts wait")
    await expect(card).to_contain_text("Last event just now")
    await expect(card.get_by_role("img", name="added in 12 weeks")).to_be_visible()
    spend = page.get_by_role("region", name="Spend this month")
    await expect(spend.get_by_role("meter", name="AI tokens")).to_be_visible()
    assert await window.accessibility() == []
    # What changes elsewhere changes here, without anybody asking.
    old = olga.ask("POST", "/api/projects", json={"name": "Old shop"})
    await expect(page.get_by_role("link", name="Old shop")).to_be_visible()
    olga.ask("PATCH", f"/api/projects/{old['id']}", json={"status": "archived"})
    await page.get_by_role("button", name="1 archived project").click()
    await expect(page.get_by_role("list", name="Archived projects")).to_contain_text("Old shop")
    await needs.get_by_role("link", name="Checkout service").click()
    await expect(page).to_have_url(f"{window.url}/p/{olga.project_id}/review?tab=drafts")


async def test_a_new_team_is_led_to_its_first_project(driver: Driver, visit: OpenVisit, site: Site) -> None:
    nora = site.team(project="")
    window = await visit(nora, dark=True)
    page = await window.go("/")
    await expect(page.get_by_role("link", name="Make the first project")).to_have_attribute("href", "/welcome")
    for number in range(8):
        nora.ask("POST", "/api/projects", json={"name": f"Service {number}"})
    await expect(page.get_by_role("region", name="Connect an agent")).to_be_visible()
    projects = page.get_by_role("list", name="Projects", exact=True)
    await expect(projects.get_by_role("heading")).to_have_count(8)
    await page.keyboard.press("/")
    await page.keyboard.type("service 3")
    await expect(projects.get_by_role("heading")).to_have_text(["Service 3"])
    assert await window.accessibility() == []
    await page.get_by_role("button", name="New project").click()
    await page.get_by_role("textbox", name="Name").fill("Ledger")
    await page.get_by_role("button", name="Make the project").click()
    await expect(page).to_have_url(re.compile(r"/welcome\?project=prj_"))
    assert "Ledger" in [project["name"] for project in nora.ask("GET", "/api/projects")]


async def test_a_member_is_shown_what_is_theirs(driver: Driver, visit: OpenVisit, site: Site, olga: Someone) -> None:
    _work(olga)
    olga.ask("PATCH", f"/api/projects/{olga.project_id}", json={"visibility": "public"})
    window = await visit(site.member(olga), phone=True)
    page = await window.go("/")
    await window.sees("Checkout service", "Nothing waits for you")
    await expect(page.get_by_role("region", name="Spend this month")).to_have_count(0)
    await expect(page.get_by_role("button", name="New project")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
