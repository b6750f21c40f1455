"""The Brain page: the budget slider, the document, and its history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import User


def _approve_contexts(user: User, many: int = 6) -> list[str]:
    """Create approved contexts that don't all fit into the minimum budget."""
    nodes = [
        {"schemaKey": f"root/mill-{n}", "name": f"Mill {n}", "content": f"Column {n} carries to the left. " * 20}
        for n in range(many)
    ]
    body = {"projectId": user.project_id, "nodes": nodes}
    user.request("POST", "/api/contexts/populate", json=body)
    ids: list[str] = []
    for context in user.request("GET", "/api/contexts", params={"projectId": user.project_id}):
        if context["name"].startswith("Mill"):
            user.request("POST", f"/api/contexts/{context['id']}/approve", json={"action": "approve"})
            ids.append(context["id"])
    return ids


async def _check_plan(page: Page, user: User, budget: int) -> Any:
    """Check that the page shows the plan the API returns for this budget."""
    query = {"projectId": user.project_id, "tokenBudget": budget}
    plan = user.request("GET", "/api/v2/brain/plan", params=query)
    included = sum(layer["included"] for layer in plan["layers"])
    left_out = sum(layer["omitted"] for layer in plan["layers"])
    included_list = page.get_by_role("region", name=f"Included ({included})", exact=True)
    left_out_list = page.get_by_role("region", name=f"Left out ({left_out})", exact=True)
    await expect(included_list).to_be_visible()
    await expect(left_out_list).to_be_visible()
    assert await included_list.get_by_role("link").count() == included
    assert await left_out_list.get_by_role("link").count() == left_out
    return included, left_out


async def test_slider_updates_included_and_left_out_items(driver: Driver, visit: OpenVisit, olga: User) -> None:
    ids = _approve_contexts(olga, 16)
    window = await visit(olga)
    page = await window.go("{p}/brain")
    slider = page.get_by_role("slider", name="Token budget")
    await slider.focus()
    assert await _check_plan(page, olga, 6000) == (len(ids), 0)
    await page.keyboard.press("Home")
    await expect(slider).to_have_attribute("aria-valuetext", "200 tokens")
    fewest, _ = await _check_plan(page, olga, 200)
    assert fewest < len(ids)
    assert await window.accessibility() == []
    for _ in range(20):
        await page.keyboard.press("ArrowRight")
    budget = int((await slider.get_attribute("aria-valuetext") or "").split()[0].replace(",", ""))
    more, left = await _check_plan(page, olga, budget)
    assert more > fewest
    assert left > 0
    await page.get_by_role("region", name="Left out").get_by_role("link").first.click()
    await page.wait_for_url("**/map/*")
    assert page.url.rsplit("/", 1)[1] in ids


async def test_document_can_be_copied_downloaded_and_compared(
    driver: Driver, visit: OpenVisit, olga: User, tmp_path: Path
) -> None:
    ids = _approve_contexts(olga, 2)
    window = await visit(olga, dark=True)
    await window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await window.go("{p}/brain?budget=2000")
    await page.get_by_role("tab", name="Document").click()
    query = {"projectId": olga.project_id, "tokenBudget": 2000}
    document = olga.request("GET", "/api/v2/brain", params=query)["markdown"]
    await page.get_by_role("button", name="Copy", exact=True).click()
    assert await page.evaluate("navigator.clipboard.readText()") == document
    async with page.expect_download() as begun:
        await page.get_by_role("button", name="Download").click()
    kept = tmp_path / "brain.md"
    download = await begun.value
    await download.save_as(kept)
    assert (download.suggested_filename, kept.read_text()) == ("checkout-service-brain.md", document)

    olga.request("PATCH", f"/api/contexts/{ids[0]}", json={"content": "A lever carries at once."})
    await expect(page.get_by_text("A lever carries at once.")).to_be_visible()
    await page.get_by_role("tab", name="History").click()
    changes = page.get_by_role("group", name="Document changes")
    await expect(changes).to_contain_text("added: A lever carries at once.")
    assert await window.accessibility() == []
