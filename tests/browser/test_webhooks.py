"""Events of a project are told to somebody else, and one sees what came of it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac

from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, Someone
from tests.servers.https import Receiver, Reply


async def test_a_webhook_from_its_making_to_its_end(
    driver: Driver, visit: OpenVisit, olga: Someone, receiver: Receiver
) -> None:
    window = await visit(olga)
    page = await window.go("{p}/webhooks")
    await page.get_by_role("button", name="Make the first webhook").click()
    form = page.get_by_role("dialog", name="New webhook")
    await form.get_by_label("Address").fill("http://example.com")
    await form.get_by_role("button", name="Make the webhook").click()
    await expect(form).to_contain_text("Only https")
    await form.get_by_label("Address").fill(receiver.url("/hook"))
    await form.get_by_role("checkbox", name="session.created").check()
    assert await window.accessibility() == []
    await form.get_by_role("button", name="Make the webhook").click()
    secret = await form.get_by_text("whsec_").inner_text()
    await form.get_by_role("button", name="I have copied it").click()

    await page.get_by_role("button", name="Send a test").click()
    await window.sees("The test was delivered")
    [told] = await asyncio.to_thread(receiver.wait_for, 1, "/hook")
    signed = hmac.new(secret.encode(), told.body, hashlib.sha256).hexdigest()
    assert told.headers["x-service-webhook-signature"] == f"sha256={signed}"

    receiver.answer("/hook", Reply(503))
    await page.get_by_role("button", name="Send a test").click()
    await window.sees("The test did not arrive", "The receiver answered 503.")
    log = page.get_by_role("list", name="Deliveries")
    failed = log.get_by_role("listitem").first
    await expect(failed).to_contain_text("answer 503")
    await failed.get_by_role("button", name="details").click()
    await expect(failed).to_contain_text("Not tried again by itself")
    await failed.get_by_role("button", name="Redeliver").click()
    await expect(failed).to_contain_text("delivered")
    again = receiver.requests("/hook")
    assert len(again) == 3
    assert again[1].body == again[2].body

    olga.ask("POST", "/api/v2/sessions", json={"projectId": olga.project_id})
    await expect(log.get_by_role("listitem").first).to_contain_text("session.created")  # it comes by itself
    await page.get_by_role("button", name="More for").click()
    await page.get_by_role("menuitem", name="Disable").click()
    await window.sees("It is told nothing.")
    await page.get_by_role("button", name="More for").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("button", name="Delete the webhook").click()
    await window.sees("Nobody is told yet")
    assert olga.ask("GET", "/api/webhooks") == []


async def test_who_does_not_manage_is_told_what_it_is(
    driver: Driver, visit: OpenVisit, site: Site, olga: Someone
) -> None:
    body = {"projectId": olga.project_id, "url": "https://hooks.example.com/a", "events": ["item.created"]}
    olga.ask("POST", "/api/webhooks", json=body)
    window = await visit(olga, dark=True, phone=True)
    page = await window.go("{p}/webhooks")
    await window.sees("hooks.example.com", "not signed", "Nothing was sent yet")
    assert await window.accessibility() == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    olga.ask("PATCH", f"/api/projects/{olga.project_id}", json={"visibility": "public"})
    mira = site.member(olga)
    other = await visit(mira)
    await other.go(f"/p/{olga.project_id}/webhooks")
    await other.sees("Webhooks are set by those who manage the project")
    await expect(other.page.get_by_role("button", name="New webhook")).to_have_count(0)
