"""A project's settings: for those who manage it, for those who look, and the ways to take it along or end it."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.browser.codebase import HeldGit
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, Someone


async def test_what_is_set_lands_on_the_server(
    driver: Driver, visit: OpenVisit, site: Site, olga: Someone, git_server: HeldGit
) -> None:
    mira = site.member(olga)
    repository = f"https://127.0.0.1:{git_server.port}/stones/basket"
    address = f"/api/projects/{olga.project_id}"
    window = await visit(olga)
    page = await window.go("{p}/settings")
    await page.get_by_label("Name").fill("Basket service")
    await page.get_by_label("Open to the team").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("combobox", name="Project")).to_have_value("Basket service")

    slider = page.get_by_role("slider")
    await slider.focus()
    await page.keyboard.press("End")
    await window.sees("Nothing is approved by itself")
    await page.get_by_text("Small", exact=True).click()

    await page.get_by_label("Address").fill("https://nowhere.example/a/b")
    await page.get_by_role("button", name="Connect").click()
    await window.sees("repoUrl must have the form")
    await page.get_by_label("Address").fill(repository)
    await page.get_by_label("Access token", exact=True).fill("ghp_verysecret")
    await page.get_by_role("button", name="Connect").click()
    await window.sees("with a token")
    await expect(page.get_by_label("Access token", exact=True)).to_have_value("")
    await page.get_by_role("switch", name="Deep enrichment").click()
    await expect(page.get_by_role("switch", name="Deep enrichment")).to_be_checked()

    await page.get_by_role("combobox", name="Add by e-mail").fill(mira.email)
    await page.get_by_role("button", name="Add").click()
    await expect(page.get_by_role("list", name="Members of the project")).to_contain_text("Mira Member")
    assert await window.accessibility() == []

    assert olga.ask("GET", address) | {"updatedAt": "", "createdAt": ""} == {
        "id": olga.project_id,
        "name": "Basket service",
        "description": "",
        "visibility": "public",
        "status": "active",
        "memberCount": 2,
        "autoApproveThreshold": 1.01,
        "rights": "manage",
        "createdAt": "",
        "updatedAt": "",
    }
    entry = olga.ask("GET", "/api/projects")[0]
    assert (entry["aiTier"], entry["repoUrl"], entry["hasRepoHostToken"], entry["deepEnrichEnabled"]) == (
        "small",
        repository,
        True,
        True,
    )
    await page.get_by_role("button", name="Remove Mira Member from the project").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("list", name="Members of the project").get_by_role("listitem")).to_have_count(1)
    await page.get_by_role("button", name="Disconnect").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()
    await window.sees("No repository is connected.")


async def test_the_secret_archive_and_end(driver: Driver, visit: OpenVisit, olga: Someone) -> None:
    address = f"/api/projects/{olga.project_id}"
    window = await visit(olga, dark=True)
    page = await window.go("{p}/settings")
    old = olga.ask("GET", f"{address}/hmac-secret")["secret"]
    await expect(page.get_by_text(old)).to_have_count(0)
    await page.get_by_role("button", name="Show the secret").click()
    await expect(page.get_by_text(old)).to_be_visible()
    await page.get_by_role("button", name="Rotate…").click()
    await page.get_by_role("button", name="Rotate and revoke now").click()
    await window.sees("The old one no longer works.")
    await window.sees(olga.ask("GET", f"{address}/hmac-secret")["secret"])
    await expect(page.get_by_text(old)).to_have_count(0)
    await page.get_by_role("button", name="Hide it").click()
    assert await window.accessibility() == []

    await page.get_by_role("button", name="Archive").click()
    await page.get_by_role("dialog").get_by_role("button", name="Archive").click()
    await window.sees("This project is archived")
    await expect(page.get_by_label("Name")).to_be_disabled()
    await expect(page.get_by_role("button", name="Rotate…")).to_have_count(0)
    await page.get_by_role("button", name="Unarchive").click()
    await expect(page.get_by_label("Name")).to_be_enabled()

    await page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Delete for good")).to_be_disabled()
    await dialog.get_by_role("textbox").fill("Checkout service")
    await dialog.get_by_role("button", name="Delete for good").click()
    await expect(page).to_have_url(f"{window.url}/")
    assert olga.ask("GET", "/api/projects") == []


async def test_a_memory_goes_along_to_another_project(
    driver: Driver, visit: OpenVisit, site: Site, olga: Someone, tmp_path: Path
) -> None:
    olga.tell("session_save", {"summary": "The kiln is heated for nine hours before it is opened."})
    mira = site.member(olga)
    olga.ask("POST", f"/api/projects/{olga.project_id}/members", json={"email": mira.email})
    other = olga.ask("POST", "/api/projects", json={"name": "Kiln", "visibility": "public"})["id"]

    # Whoever may read may take it along, and is offered nothing else.
    looking = await visit(mira)
    page = await looking.go(f"/p/{olga.project_id}/settings")
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Export").click()
    file = tmp_path / "checkout-service.jsonl"
    download = await downloading.value
    assert download.suggested_filename == file.name
    await download.save_as(file)
    await looking.sees("What has direct evidence (at least 90% sure)")
    for name in ("Save", "Add", "Show the secret", "Archive", "Delete", "Connect"):
        await expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    await expect(page.get_by_label("Import")).to_have_count(0)
    assert await looking.accessibility() == []

    window = await visit(olga)
    page = await window.go(f"/p/{other}/settings")
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Import").click()
    await (await choosing.value).set_files(file)
    await page.get_by_role("button", name="Try it without changing anything").click()
    await window.sees("nothing was changed")
    assert olga.ask("GET", "/api/v2/sessions", params={"projectId": other}) == []
    await page.get_by_role("button", name="Import 0.0 MiB").click()
    await window.sees("Imported.")
    assert len(olga.ask("GET", "/api/v2/sessions", params={"projectId": other})) == 1
