"""The brain: the budget decides what enters, the document can be taken along, and its past be seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Someone


def _remember(someone: Someone, many: int = 6) -> list[str]:
    """Approved contexts, each too long for the least budget to hold them all."""
    nodes = [
        {"schemaKey": f"root/mill-{n}", "name": f"Mill {n}", "content": f"Column {n} carries to the left. " * 20}
        for n in range(many)
    ]
    body = {"projectId": someone.project_id, "nodes": nodes}
    someone.ask("POST", "/api/contexts/populate", json=body)
    ids: list[str] = []
    for context in someone.ask("GET", "/api/contexts", params={"projectId": someone.project_id}):
        if context["name"].startswith("Mill"):
            someone.ask("POST", f"/api/contexts/{context['id']}/approve", json={"action": "approve"})
            ids.append(context["id"])
    return ids


async def _agrees(page: Page, someone: Someone, budget: int) -> Any:
    """The page says what the API says of this budget."""
    query = {"projectId": someone.project_id, "tokenBudget": budget}
    plan = someone.ask("GET", "/api/v2/brain/plan", params=query)
    taken = sum(layer["taken"] for layer in plan["layers"])
    left = sum(layer["leftOut"] for layer in plan["layers"])
    enters = page.get_by_role("region", name=f"Enters ({taken})", exact=True)
    falls = page.get_by_role("region", name=f"Falls out ({left})", exact=True)
    await expect(enters).to_be_visible()
    await expect(falls).to_be_visible()
    assert await enters.get_by_role("link").count() == taken
    assert await falls.get_by_role("link").count() == left
    return taken, left


async def test_the_slider_says_what_enters_and_what_falls_out(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    ids = _remember(olga)
    window = await visit(olga)
    page = await window.go("{p}/brain")
    slider = page.get_by_role("slider", name="Token budget")
    await slider.focus()
    assert await _agrees(page, olga, 6000) == (len(ids), 0)
    await page.keyboard.press("Home")
    await expect(slider).to_have_attribute("aria-valuetext", "200 tokens")
    fewest, _ = await _agrees(page, olga, 200)
    assert fewest < len(ids)
    assert await window.accessibility() == []
    for _ in range(20):
        await page.keyboard.press("ArrowRight")
    budget = int((await slider.get_attribute("aria-valuetext") or "").split()[0].replace(",", ""))
    more, left = await _agrees(page, olga, budget)
    assert more > fewest
    assert left > 0
    await page.get_by_role("region", name="Falls out").get_by_role("link").first.click()
    await page.wait_for_url("**/map/*")
    assert page.url.rsplit("/", 1)[1] in ids


async def test_the_document_is_taken_along_and_its_past_is_seen(
    driver: Driver, visit: OpenVisit, olga: Someone, tmp_path: Path
) -> None:
    ids = _remember(olga, 2)
    window = await visit(olga, dark=True)
    await window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await window.go("{p}/brain?budget=2000")
    await page.get_by_role("tab", name="Document").click()
    query = {"projectId": olga.project_id, "tokenBudget": 2000}
    document = olga.ask("GET", "/api/v2/brain", params=query)["markdown"]
    await page.get_by_role("button", name="Copy", exact=True).click()
    assert await page.evaluate("navigator.clipboard.readText()") == document
    async with page.expect_download() as begun:
        await page.get_by_role("button", name="Download").click()
    kept = tmp_path / "brain.md"
    download = await begun.value
    await download.save_as(kept)
    assert (download.suggested_filename, kept.read_text()) == ("checkout-service-brain.md", document)

    olga.ask("PATCH", f"/api/contexts/{ids[0]}", json={"content": "A lever carries at once."})
    await expect(page.get_by_text("A lever carries at once.")).to_be_visible()
    await page.get_by_role("tab", name="History").click()
    changes = page.get_by_role("group", name="Changes of the document")
    await expect(changes).to_contain_text("added: A lever carries at once.")
    assert await window.accessibility() == []
