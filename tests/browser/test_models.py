"""The models page: what the server uses, and a test of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import SETTINGS, OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User
from tests.browser.visit import open_visit
from tests.servers.scripted_model import Refuse, Say, ScriptedModel
from tests.support import databases
from tests.support.processes import Loremark


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
def own_site(engine: str, model: ScriptedModel, tmp_path: Path) -> Iterator[Site]:
    """A server that only the invited can join, with a language model."""
    settings = {
        **SETTINGS,
        "LOREMARK_REGISTRATION": "invite",
        "LOREMARK_LLM_MEDIUM": "openai:scripted-1",
        "LOREMARK_LLM_BASE_URL": model.base_url(),
        "LOREMARK_LLM_API_KEY": "sk-only-the-server-knows",
    }
    with Loremark(tmp_path, databases.fresh(engine, tmp_path), settings).start() as started:
        yield Site(started.wait_ready(60.0), engine)


async def test_admins_see_and_test_the_models(driver: Driver, own_site: Site, model: ScriptedModel) -> None:
    olga = own_site.team()
    window = await open_visit(driver, own_site.url, olga)
    page = await window.go("/models")
    rows = page.get_by_role("list", name="Models").get_by_role("listitem")
    await expect(rows).to_have_count(4)
    medium, small = rows.nth(0), rows.nth(1)
    await expect(medium).to_contain_text(f"openai:scripted-1 at {model.base_url()} key set")
    await expect(small).to_contain_text("Built-in engine, without a language model")
    await expect(small.get_by_role("button")).to_have_count(0)

    model.always(Refuse(401))
    test = page.get_by_role("button", name="Test medium model")
    await test.click()
    await expect(medium.get_by_role("status")).to_have_text("failed The model server rejected the API key (401).")
    assert await window.accessibility() == []
    model.always(Say("ready"))
    await test.click()
    await expect(medium.get_by_role("status")).to_contain_text("and used 18 tokens.")
    await page.get_by_role("button", name="Test reader").click()
    await expect(rows.nth(3).get_by_role("status")).to_contain_text("It answered in")
    assert "sk-only" not in await page.content()

    phone = await open_visit(driver, own_site.url, olga, phone=True, dark=True)
    await phone.go("/models")
    await phone.sees(model.base_url())
    assert await phone.accessibility() == []
    assert await phone.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    window.check()
    phone.check()
    for each in (window, phone):
        await each.context.close()


async def test_members_cannot_see_the_models(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    window = await visit(site.member(olga))
    page = await window.go("/models")
    await window.sees("Only owners and admins can view the models")
    await expect(page.get_by_role("navigation").get_by_role("link", name="Models")).to_have_count(0)
    assert await window.accessibility() == []
