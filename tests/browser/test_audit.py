"""The audit log: reading, filtering, and exporting to a CSV that is safe in spreadsheets."""

from __future__ import annotations

import csv
from pathlib import Path

import httpx
import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User

_FORMULA = '=HYPERLINK("https://evil.example","prize")'


async def test_the_log_and_its_csv_export(driver: Driver, visit: OpenVisit, olga: User, tmp_path: Path) -> None:
    olga.request("POST", "/api/keys", json={"name": _FORMULA})
    window = await visit(olga)
    page = await window.go("/audit")
    log = page.get_by_role("list", name="Audit log")
    first = log.get_by_role("listitem").first
    await expect(first).to_contain_text(f"Olga Owner created the API key “{_FORMULA}”")
    await first.get_by_role("button").click()
    await expect(first).to_contain_text("key.created")
    assert await window.accessibility() == []
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Download CSV").click()
    saved = tmp_path / "audit.csv"
    await (await waiting.value).save_as(saved)
    with saved.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["action"] == "key.created"
    assert rows[0]["details"] == '{"name":"' + _FORMULA.replace('"', '\\"') + '"}'
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]

    await page.get_by_role("combobox", name="Action").click()
    await page.get_by_role("option", name="Project created").click()
    await expect(log.get_by_role("listitem")).to_have_count(1)
    await expect(page).to_have_url(f"{window.url}/audit?action=project.created")
    olga.request("POST", "/api/projects", json={"name": "=1+1"})
    await expect(log.get_by_role("listitem")).to_have_count(2)  # without a reload


@pytest.mark.nightly
async def test_a_long_log_loads_on_scroll(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    headers = {"Authorization": f"Bearer {olga.key}"}
    with httpx.Client(base_url=olga.url, headers=headers, trust_env=False, verify=False) as http:
        for number in range(110):
            http.patch(f"/api/projects/{olga.project_id}", json={"description": f"Version {number}"})
    window = await visit(olga, dark=True, phone=True)
    page = await window.go("/audit")
    await window.sees("Showing the newest 100 entries")
    assert await page.get_by_role("listitem").count() < 60  # only visible entries are rendered
    assert await window.accessibility() == []
    end = page.get_by_text("You've reached the start of the log.")
    while not await end.is_visible():
        await page.mouse.wheel(0, 4000)
        await page.wait_for_timeout(20)
    await page.keyboard.press("End")
    await window.sees("created the team")
    other = await visit(site.member(olga))
    await other.go("/audit")
    await other.sees("Only owners and admins can view the audit log")
