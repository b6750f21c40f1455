"""Dashboard performance: size of the first load and virtualized lists."""

from __future__ import annotations

import pytest
from bench.dashboard import WANTED_BYTES, first_load
from playwright.async_api import expect

from tests.browser import sample_data
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import User


@pytest.mark.parametrize("page", ["SignIn", "Home"])
def test_first_load_stays_below_the_size_limit(page: str) -> None:
    scripts = first_load(page)
    assert any(name.startswith(f"{page}-") for name in scripts)
    assert len(scripts) > 3
    assert sum(scripts.values()) < WANTED_BYTES


@pytest.mark.nightly
async def test_long_lists_render_only_visible_rows(driver: Driver, visit: OpenVisit, olga: User) -> None:
    sample_data.import_items(olga, 1_000)
    window = await visit(olga)
    page = await window.go("{p}/memory")
    rows = page.get_by_role("list", name="Memories").get_by_role("listitem")
    await window.sees("1,000 memories", "Rule 999 of the")
    assert 5 < await rows.count() < 60
    await page.keyboard.press("End")
    await expect(rows.filter(has_text="Rule 999 of the")).to_have_count(0)
    assert 5 < await rows.count() < 60
    await window.go("{p}/review")
    await window.sees("Rule 999 of the")
    assert await page.locator("*").count() < 3_000
