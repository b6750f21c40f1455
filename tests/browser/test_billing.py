"""The billing page: owners pay, admins view, members have no access."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import OpenVisit
from tests.browser.driver import Driver
from tests.browser.site import Site, User


async def test_credits_are_bought_manually_and_by_auto_recharge(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit(olga)
    page = await window.go("/billing")
    plan = page.get_by_role("region", name="Team plan")
    for name in ("AI tokens", "Enrichments", "Sessions", "Events", "Storage"):
        await expect(plan.get_by_role("meter", name=name)).to_be_visible()
    await page.get_by_role("button", name="Buy 2.5M tokens for €10.00").click()
    dialog = page.get_by_role("dialog", name="Buy credits")
    await expect(dialog).to_contain_text("no money is charged")
    await dialog.get_by_role("button", name="Buy for €10.00").dblclick()  # a double click is charged once
    await window.sees("2,500,000 tokens added")
    credits = olga.request("GET", "/api/billing/credits")
    assert [(one["type"], one["price"]) for one in credits["transactions"]] == [("purchase", 1000)]
    shown = page.get_by_role("region", name="Credits")
    await expect(shown.get_by_role("img", name="0 tokens at first, 2,500,000 now")).to_be_visible()
    await expect(shown.get_by_role("row")).to_have_count(2)

    recharge = page.get_by_role("region", name="Auto-recharge")
    await recharge.get_by_role("switch", name="Auto-recharge credits").check()
    await recharge.get_by_label("When balance drops below").fill("3000000")
    await recharge.get_by_label("Spending limit per period").fill("5")
    await expect(recharge.get_by_role("status")).to_contain_text("the first pack is bought as soon as you save")
    assert await window.accessibility() == []
    await recharge.get_by_role("button", name="Save").click()
    # The job buys the pack, and the page updates.
    await expect(shown.get_by_role("row")).to_have_count(3)
    assert olga.request("GET", "/api/billing/credits")["balance"] == 3_500_000
    settings = olga.request("GET", "/api/billing/credits")["autoRecharge"]
    assert settings == {
        "enabled": True,
        "paused": False,
        "threshold": 3_000_000,
        "packId": "credits_1m",
        "spendingLimit": 500,
    }


async def test_a_plan_is_changed_and_canceled(driver: Driver, visit: OpenVisit, olga: User) -> None:
    window = await visit(olga, dark=True)
    page = await window.go("/billing")
    await page.get_by_role("button", name="Choose the business plan").click()
    await page.wait_for_url("**/billing/checkout?**")
    await page.get_by_role("button").first.click()
    await page.wait_for_url(f"{window.url}/billing")
    plan = page.get_by_role("region", name="Business plan")
    await expect(plan).to_contain_text("Active")
    assert await window.accessibility() == []
    await page.get_by_role("button", name="Cancel plan").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel plan").click()
    await expect(plan).to_contain_text("Cancels soon")
    assert olga.request("GET", "/api/billing/usage")["subscription"]["status"] == "cancelling"


async def test_an_admin_can_view_billing_and_a_member_cannot(
    driver: Driver, visit: OpenVisit, site: Site, olga: User
) -> None:
    window = await visit(site.member(olga, role="admin", name="Ada Admin"), phone=True)
    page = await window.go("/billing")
    await window.sees("Only the team's owner, Olga Owner, can buy credits", "Auto-recharge is off")
    content = page.get_by_role("main")
    await expect(content.get_by_role("meter", name="Storage")).to_be_visible()
    await expect(content.get_by_role("button")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    other = await visit(site.member(olga))
    await other.go("/billing")
    await other.sees("Only owners and admins can view billing")
