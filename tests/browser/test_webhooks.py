"""The webhooks page: create, test, redeliver, disable and delete."""

from __future__ import annotations

import asyncio
import hashlib
import hmac

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User
from tests.servers.https import Receiver, Reply


async def test_a_webhook_from_creation_to_deletion(
    driver: Driver, visit: OpenVisit, olga: User, receiver: Receiver
) -> None:
    window = await visit(olga)
    page = await window.go("{p}/webhooks")
    await page.get_by_role("button", name="Create webhook").click()
    form = page.get_by_role("dialog", name="New webhook")
    await form.get_by_label("URL").fill("http://example.com")
    await form.get_by_role("button", name="Create webhook").click()
    await expect(form).to_contain_text("Use an https:// URL")
    await form.get_by_label("URL").fill(receiver.url("/hook"))
    await form.get_by_role("checkbox", name="session.created").check()
    assert await window.accessibility() == []
    await form.get_by_role("button", name="Create webhook").click()
    secret = await form.get_by_text("whsec_").inner_text()
    await form.get_by_role("button", name="Done").click()

    await page.get_by_role("button", name="Send test").click()
    await window.sees("Test delivered")
    [request] = await asyncio.to_thread(receiver.wait_for, 1, "/hook")
    signed = hmac.new(secret.encode(), request.body, hashlib.sha256).hexdigest()
    assert request.headers["x-service-webhook-signature"] == f"sha256={signed}"

    receiver.answer("/hook", Reply(503))
    await page.get_by_role("button", name="Send test").click()
    await window.sees("Test failed", "The receiver responded with status 503.")
    log = page.get_by_role("list", name="Deliveries")
    failed = log.get_by_role("listitem").first
    await expect(failed).to_contain_text("status 503")
    await failed.get_by_role("button", name="details").click()
    await expect(failed).to_contain_text("No more automatic retries")
    await failed.get_by_role("button", name="Redeliver").click()
    await expect(failed).to_contain_text("delivered")
    again = receiver.requests("/hook")
    assert len(again) == 3
    assert again[1].body == again[2].body

    olga.request("POST", "/api/v2/sessions", json={"projectId": olga.project_id})
    await expect(log.get_by_role("listitem").first).to_contain_text("session.created")  # without a reload
    await page.get_by_role("button", name="Actions for").click()
    await page.get_by_role("menuitem", name="Disable").click()
    await window.sees("This webhook receives no events.")
    await page.get_by_role("button", name="Actions for").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("button", name="Delete webhook").click()
    await window.sees("No webhooks yet")
    assert olga.request("GET", "/api/webhooks") == []


@pytest.mark.nightly
async def test_webhooks_are_for_project_admins(driver: Driver, visit: OpenVisit, site: Site, olga: User) -> None:
    body = {"projectId": olga.project_id, "url": "https://hooks.example.com/a", "events": ["item.created"]}
    olga.request("POST", "/api/webhooks", json=body)
    window = await visit(olga, dark=True, phone=True)
    page = await window.go("{p}/webhooks")
    await window.sees("hooks.example.com", "unsigned", "No deliveries yet")
    assert await window.accessibility() == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    olga.request("PATCH", f"/api/projects/{olga.project_id}", json={"visibility": "public"})
    mira = site.member(olga)
    other = await visit(mira)
    await other.go(f"/p/{olga.project_id}/webhooks")
    await other.sees("Only project admins can manage webhooks")
    await expect(other.page.get_by_role("button", name="New webhook")).to_have_count(0)
