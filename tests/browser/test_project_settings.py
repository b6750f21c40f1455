"""Project settings: changing them, viewing them, export and import, archiving and deleting."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.codebase import PausableGitServer
from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User


@pytest.mark.nightly
async def test_settings_are_saved(
    driver: Driver, visit: OpenVisit, site: Site, olga: User, git_server: PausableGitServer
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
    await window.sees("Off: every new memory waits for review")
    await page.get_by_text("Small", exact=True).click()

    await page.get_by_label("Repository URL").fill("https://nowhere.example/a/b")
    await page.get_by_role("button", name="Connect").click()
    await window.sees("The URL must have the form")
    await page.get_by_label("Repository URL").fill(repository)
    await page.get_by_label("Access token", exact=True).fill("ghp_verysecret")
    await page.get_by_role("button", name="Connect").click()
    await window.sees("with access token")
    await expect(page.get_by_label("Access token", exact=True)).to_have_value("")
    await page.get_by_role("switch", name="Deep enrichment").click()
    await expect(page.get_by_role("switch", name="Deep enrichment")).to_be_checked()

    retention = page.get_by_role("region", name="Retention")
    await retention.get_by_label("Events").fill("30")
    await retention.get_by_label("Conversations").fill("365")
    await retention.get_by_role("button", name="Set retention").click()
    await window.sees("permanently deletes events older than 30 days, and conversations older than 365 days")
    await page.get_by_role("button", name="Set and delete").click()
    await window.sees("Retention saved.")
    await retention.get_by_label("Events").fill("60")
    await retention.get_by_role("button", name="Set retention").click()
    await expect(retention.get_by_role("button", name="Set retention")).to_be_disabled()

    await page.get_by_role("combobox", name="Add by email").fill(mira.email)
    await page.get_by_role("button", name="Add").click()
    await expect(page.get_by_role("list", name="Project members")).to_contain_text("Mira Member")
    assert await window.accessibility() == []

    assert olga.request("GET", address) | {"updatedAt": "", "createdAt": ""} == {
        "id": olga.project_id,
        "name": "Basket service",
        "description": "",
        "visibility": "public",
        "status": "active",
        "memberCount": 2,
        "autoApproveThreshold": 1.01,
        "accessLevel": "manage",
        "createdAt": "",
        "updatedAt": "",
        "showUnreviewed": True,
        "briefingsEnabled": True,
        "eventRetentionDays": 60,
        "sessionRetentionDays": None,
        "chatRetentionDays": 365,
    }
    entry = olga.request("GET", "/api/projects")[0]
    assert (entry["aiTier"], entry["repoUrl"], entry["hasRepoHostToken"], entry["deepEnrichEnabled"]) == (
        "small",
        repository,
        True,
        True,
    )
    await page.get_by_role("button", name="Remove Mira Member from the project").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("list", name="Project members").get_by_role("listitem")).to_have_count(1)
    await page.get_by_role("button", name="Disconnect").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()
    await window.sees("No repository connected.")


@pytest.mark.nightly
async def test_secret_rotation_archiving_and_deletion(driver: Driver, visit: OpenVisit, olga: User) -> None:
    address = f"/api/projects/{olga.project_id}"
    window = await visit(olga, dark=True)
    page = await window.go("{p}/settings")
    old = olga.request("GET", f"{address}/hmac-secret")["secret"]
    await expect(page.get_by_text(old)).to_have_count(0)
    await page.get_by_role("button", name="Show secret").click()
    await expect(page.get_by_text(old)).to_be_visible()
    await page.get_by_role("button", name="Rotate…").click()
    await page.get_by_role("button", name="Rotate and revoke").click()
    await window.sees("The old one no longer works.")
    await window.sees(olga.request("GET", f"{address}/hmac-secret")["secret"])
    await expect(page.get_by_text(old)).to_have_count(0)
    await page.get_by_role("button", name="Hide secret").click()
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
    await expect(dialog.get_by_role("button", name="Delete project")).to_be_disabled()
    await dialog.get_by_role("textbox").fill("Checkout service")
    await dialog.get_by_role("button", name="Delete project").click()
    await expect(page).to_have_url(f"{window.url}/")
    assert olga.request("GET", "/api/projects") == []


@pytest.mark.nightly
async def test_a_project_is_exported_and_imported(
    driver: Driver, visit: OpenVisit, site: Site, olga: User, tmp_path: Path
) -> None:
    olga.send_event("session_save", {"summary": "The kiln is heated for nine hours before it is opened."})
    mira = site.member(olga)
    olga.request("POST", f"/api/projects/{olga.project_id}/members", json={"email": mira.email})
    other = olga.request("POST", "/api/projects", json={"name": "Kiln", "visibility": "public"})["id"]

    # Read access allows the export, and nothing else.
    member_window = await visit(mira)
    page = await member_window.go(f"/p/{olga.project_id}/settings")
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Export").click()
    file = tmp_path / "checkout-service.jsonl"
    download = await downloading.value
    assert download.suggested_filename == file.name
    await download.save_as(file)
    await member_window.sees("at least 90% confidence, such as explicitly stated decisions")
    for name in ("Save", "Add", "Show secret", "Archive", "Delete", "Connect"):
        await expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    await expect(page.get_by_label("Import")).to_have_count(0)
    assert await member_window.accessibility() == []

    window = await visit(olga)
    page = await window.go(f"/p/{other}/settings")
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Import").click()
    await (await choosing.value).set_files(file)
    await page.get_by_role("button", name="Dry run").click()
    await window.sees("Dry run: nothing was changed")
    assert olga.request("GET", "/api/v2/sessions", params={"projectId": other}) == []
    await page.get_by_role("button", name="Import 0.0 MiB").click()
    await window.sees("Import complete.")
    assert len(olga.request("GET", "/api/v2/sessions", params={"projectId": other})) == 1
