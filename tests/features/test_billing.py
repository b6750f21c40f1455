"""Plans and credits with the built-in provider: pages, billing periods and credit packs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from loremark.base import clock, ids
from loremark.base.caller import Origin
from loremark.base.plans import PACKS, PLANS
from loremark.base.settings import SettingsError
from loremark.entry import admin
from loremark.features.billing.periods import month_of, months_after, period_around
from loremark.features.billing.service import get_catalog
from loremark.features.identity import store as people
from loremark.features.identity.cookies import LoginCookie
from loremark.jobs.run import Run
from loremark.ports.payments.local import LocalPayments
from loremark.ports.payments.provider import Buyer, Order
from loremark.storage.tables import credit_transactions
from tests.contract.contract import load
from tests.features.steps import FORBIDDEN, insert_rows, register, status_and_body
from tests.support.people import Person
from tests.support.service import BASE_URL, Service

pytestmark = pytest.mark.anyio

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PORTAL = "/billing/portal"
CREDITS = "/api/billing/credits"
PURCHASE = "/api/billing/credits/purchase"
RECHARGE = "/api/billing/credits/auto-recharge"


class Browser:
    """A signed-in browser that follows links and submits forms."""

    def __init__(self, service: Service, login: str) -> None:
        self.service = service
        self.cookies = {"loremark_login": login}

    async def open(self, url: str) -> httpx.Response:
        return await self.service.browser_call("GET", url.removeprefix(BASE_URL), self.cookies)

    async def send(self, path: str, fields: dict[str, str], **headers: str) -> httpx.Response:
        content = urlencode(fields).encode()
        options = {"content": content, "headers": {**FORM, **headers}}
        return await self.service.browser_call("POST", path, self.cookies, **options)

    async def api(self, method: str, path: str, json: object = None) -> httpx.Response:
        return await self.service.browser_call(method, path, self.cookies, json=json)


async def open_browser(service: Service) -> Browser:
    registered = await register(service, f"{ids.new('own')}@example.com")
    return Browser(service, registered.cookies["loremark_login"])


def fields_of(page: httpx.Response, action: str) -> list[dict[str, str]]:
    """The fields of each form on a page with this action."""
    forms = re.findall(rf'<form method="post" action="{action}">(.*?)</form>', page.text, re.DOTALL)
    named = re.compile(r'<input (?:type="hidden" )?name="(\w+)" value="([^"]*)"')
    return [{name: unescape(value) for name, value in named.findall(form)} for form in forms]


async def usage(person: Person | Browser) -> dict[str, object]:
    call = person.api("GET", "/api/billing/usage") if isinstance(person, Browser) else person.get("/api/billing/usage")
    answer = await call
    assert answer.status_code == 200, answer.text
    body: dict[str, object] = answer.json()
    return body


def test_calendar_and_subscription_months() -> None:
    def at(text: str) -> int:
        from datetime import datetime

        return int(datetime.fromisoformat(text + "+00:00").timestamp() * 1000)

    assert month_of(at("2027-02-14T03:04:05")) == (at("2027-02-01T00:00:00"), at("2027-03-01T00:00:00"))
    assert month_of(at("2027-12-31T23:59:59")) == (at("2027-12-01T00:00:00"), at("2028-01-01T00:00:00"))
    assert months_after(at("2027-01-31T10:00:00"), 1) == at("2027-02-28T10:00:00")
    assert months_after(at("2028-01-31T10:00:00"), 1) == at("2028-02-29T10:00:00")
    started = at("2027-01-31T10:00:00")
    assert period_around(started, at("2027-02-28T09:59:59")) == (started, at("2027-02-28T10:00:00"))
    assert period_around(started, at("2027-02-28T10:00:00")) == (at("2027-02-28T10:00:00"), at("2027-03-31T10:00:00"))
    assert period_around(started, at("2028-02-29T10:00:01"))[1] == at("2028-03-31T10:00:00")
    assert period_around(started, started) == (started, at("2027-02-28T10:00:00"))


async def test_buy_change_and_cancel_a_plan_in_a_browser(service: Service) -> None:
    person = await open_browser(service)
    before = await usage(person)
    assert before["plan"] == "team"
    assert before["subscription"] == {"status": "none", "seats": 1, "periodEnd": None, "cancelAt": None}
    assert status_and_body(await person.api("POST", "/api/billing/cancel")) == (
        400,
        {"error": "No active subscription"},
    )

    checkout = await person.api("POST", "/api/billing/checkout", {"planId": "business", "seats": 4})
    url = checkout.json()["url"]
    assert url.startswith(f"{BASE_URL}/billing/checkout?session=")
    page = await person.open(url)
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "script" not in page.text
    assert "116.00 EUR per month" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "form-action 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    (fields,) = fields_of(page, "/billing/checkout")
    assert (await usage(person))["plan"] == "team", "viewing the checkout does not buy the plan"
    confirmed = await person.send("/billing/checkout", fields)
    assert (confirmed.status_code, confirmed.headers["location"]) == (303, PORTAL)
    after = await usage(person)
    assert after["plan"] == "business"
    subscription = after["subscription"]
    assert isinstance(subscription, dict)
    assert (subscription["status"], subscription["seats"]) == ("active", 4)

    portal = await person.open(PORTAL)
    assert "<td>Active</td>" in portal.text
    choices = {fields["planId"]: fields for fields in fields_of(portal, "/billing/portal/plan")}
    assert set(choices) == {"personal", "team", "business"}
    selected = await person.send("/billing/portal/plan", choices["personal"])
    assert selected.status_code == 303
    (fields,) = fields_of(await person.open(selected.headers["location"]), "/billing/checkout")
    await person.send("/billing/checkout", fields)
    assert (await usage(person))["plan"] == "personal"

    cancelled = await person.send("/billing/portal/cancel", {})
    assert (cancelled.status_code, cancelled.headers["location"]) == (303, PORTAL)
    assert "Ends with the current billing period" in (await person.open(PORTAL)).text
    again = (await person.api("POST", "/api/billing/cancel")).json()
    state = (await usage(person))["subscription"]
    assert isinstance(state, dict)
    assert again == {"status": "cancelling", "cancelAt": state["periodEnd"]}
    log = (await person.api("GET", "/api/audit")).json()
    actions = [entry["action"] for entry in log if entry["action"].startswith("billing.")]
    assert actions == ["billing.cancelled", "billing.plan_changed", "billing.plan_changed"]


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_checkout_belongs_to_its_team_and_expires(service: Service) -> None:
    first, second = await open_browser(service), await open_browser(service)
    url = (await first.api("POST", "/api/billing/checkout", {"planId": "business"})).json()["url"]
    (fields,) = fields_of(await first.open(url), "/billing/checkout")
    for answer in (await second.open(url), await second.send("/billing/checkout", fields)):
        assert answer.status_code == 404
        assert "This checkout has expired." in answer.text
    assert (await usage(second))["plan"] == "team"
    session = fields["session"]
    for wrong in (
        "",
        "x",
        session[:-4],
        session[:40] + ("A" if session[40] != "A" else "B") + session[41:],
        "v1." + "A" * 5_000,
        "é",
        "v1.\0",
    ):
        assert (await first.send("/billing/checkout", {"session": wrong})).status_code == 404
    assert (await first.send("/billing/checkout", {})).status_code == 404
    assert (await first.open("/billing/checkout")).status_code == 404
    valid_ms = int(load().limit("time.checkout").value or 0) * 1000
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms + valid_ms):
        assert (await first.send("/billing/checkout", fields)).status_code == 404
    with clock.use(lambda: now_ms + valid_ms - 60_000):
        assert (await first.send("/billing/checkout", fields)).status_code == 303


@pytest.mark.own_service
async def test_cross_site_forms_are_refused(service: Service) -> None:
    person = await open_browser(service)
    url = (await person.api("POST", "/api/billing/checkout", {"planId": "business"})).json()["url"]
    (fields,) = fields_of(await person.open(url), "/billing/checkout")
    for site in ("cross-site", "same-site", "none"):
        for path in ("/billing/checkout", "/billing/portal/plan", "/billing/portal/cancel"):
            refused = await person.send(path, fields, **{"Sec-Fetch-Site": site})
            assert status_and_body(refused) == (403, {"error": "Cross-site request refused"})
    assert (await usage(person))["plan"] == "team"


@pytest.mark.parametrize(
    ("url", "redirected"),
    [
        (f"{BASE_URL}/done?x=1", True),
        (BASE_URL, True),
        ("https://shop.example/thanks?a=1&b=<script>", False),
        (f"{BASE_URL}.evil.example/", False),
        ("http://127.0.0.1:80001/", False),
    ],
)
@pytest.mark.own_service
async def test_only_own_urls_are_redirected_to(service: Service, url: str, redirected: bool) -> None:
    """Other URLs are shown in full as links."""
    person = await open_browser(service)
    body = {"planId": "business", "successUrl": url, "cancelUrl": url}
    checkout = await person.api("POST", "/api/billing/checkout", body)
    if "80001" in url:
        assert checkout.status_code in (200, 400)
    if checkout.status_code == 400:
        return
    page = await person.open(checkout.json()["url"])
    assert "<script" not in page.text
    (fields,) = fields_of(page, "/billing/checkout")
    done = await person.send("/billing/checkout", fields)
    if redirected:
        assert (done.status_code, done.headers["location"]) == (303, url)
    else:
        assert done.status_code == 200
        assert "location" not in done.headers
        shown = unescape(done.text)
        assert f'href="{url}">{url}</a>' in shown
        assert "<script" not in done.text
    assert (await usage(person))["plan"] == "business"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.com/",
        "/billing",
        "ftp://example.com/",
        "https://",
        "https://user:word@example.com/",
        "https://example.com/a b",
        "https://example.com/\n",
        "https://[::1/",
    ],
)
async def test_success_url_must_be_http(service: Service, url: str) -> None:
    owner = await service.owner()
    for name in ("successUrl", "cancelUrl"):
        refused = await owner.post("/api/billing/checkout", {"planId": "team", name: url})
        assert refused.status_code == 400
        assert refused.json()["error"].startswith(name)


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_seats_of_per_seat_plans(service: Service) -> None:
    owner = await service.owner()
    bounds = load().limit("count.seats")
    for seats, status in ((bounds.min, 200), (bounds.max, 200), (0, 400), (int(bounds.max or 0) + 1, 400), (1.5, 400)):
        answer = await owner.post("/api/billing/checkout", {"planId": "team", "seats": seats})
        assert answer.status_code == status, seats
    person = await open_browser(service)
    for plan, given, price in (
        ("personal", {"seats": 7}, "9.00"),
        ("team", {}, "15.00"),
        ("team", {"seats": 3}, "45.00"),
    ):
        url = (await person.api("POST", "/api/billing/checkout", {"planId": plan, **given})).json()["url"]
        assert f"{price} EUR per month" in (await person.open(url)).text


async def test_usage_is_counted_per_calendar_month(service: Service) -> None:
    owner = await service.owner()
    body = await usage(owner)
    start_ms, end_ms = month_of(clock.now_ms())
    assert body["period"] == {"start": clock.iso(start_ms), "end": clock.iso(end_ms)}
    assert body["usage"] == {
        "sessions": {"used": 0, "limit": 10_000},
        "events": {"used": 0, "limit": 1_000_000},
        "enrichments": {"used": 0, "limit": 5_000},
        "storage": {"used": 0, "limit": 50 * 1024**3},
    }


async def _sweep(service: Service) -> None:
    """Run the billing sweep once."""
    from loremark.base.plans import load_plans
    from loremark.features.billing.recharge import BillingSweep
    from loremark.jobs.queue import Job

    job = Job(id="x", kind="x", payload={}, attempt=1, max_attempts=1, started_at_ms=0)
    plans = load_plans(service.settings.default_plan, service.settings.plans_file)
    await BillingSweep(service.runtime.database, plans)(Run(service.runtime.database, job))


@pytest.mark.settings(LOREMARK_DEFAULT_PLAN="free")
async def test_period_rolls_over_or_falls_back_to_the_default_plan(service: Service) -> None:
    person = await open_browser(service)
    url = (await person.api("POST", "/api/billing/checkout", {"planId": "personal"})).json()["url"]
    (fields,) = fields_of(await person.open(url), "/billing/checkout")
    await person.send("/billing/checkout", fields)
    started_ms = clock.now_ms()
    with clock.use(lambda: months_after(started_ms, 3) + 60_000):
        await _sweep(service)
    renewed = (await usage(person))["subscription"]
    assert isinstance(renewed, dict)
    assert renewed["status"] == "active"
    assert renewed["periodEnd"][:10] == clock.iso(months_after(started_ms, 4))[:10]
    await person.api("POST", "/api/billing/cancel")
    await _sweep(service)
    assert (await usage(person))["plan"] == "personal", "paid until the end of the period"
    with clock.use(lambda: months_after(started_ms, 4) + 60_000):
        await _sweep(service)
    ended = await usage(person)
    assert ended["plan"] == "free"
    assert ended["subscription"] == {"status": "cancelled", "seats": 0, "periodEnd": None, "cancelAt": None}
    assert status_and_body(await person.api("POST", "/api/billing/cancel")) == (
        400,
        {"error": "No active subscription"},
    )


@pytest.mark.settings(LOREMARK_DEFAULT_PLAN="free")
@pytest.mark.own_service
async def test_downgrade_deletes_nothing(service: Service) -> None:
    """Data beyond the limits stays readable; only writes stop."""
    person = await open_browser(service)
    url = (await person.api("POST", "/api/billing/checkout", {"planId": "personal"})).json()["url"]
    (fields,) = fields_of(await person.open(url), "/billing/checkout")
    await person.send("/billing/checkout", fields)
    for name in ("one", "two", "three"):
        assert (await person.api("POST", "/api/projects", {"name": name})).status_code == 201
    await person.api("POST", "/api/billing/cancel")
    now_ms = clock.now_ms()
    with clock.use(lambda: months_after(now_ms, 1) + 1):
        await _sweep(service)
    assert (await usage(person))["plan"] == "free"
    assert len((await person.api("GET", "/api/projects")).json()) == 3
    refused = await person.api("POST", "/api/projects", {"name": "four"})
    assert status_and_body(refused) == (403, {"error": "Plan limit reached: projects"})


async def test_buying_credit_packs(service: Service) -> None:
    owner = await service.owner()
    empty = (await owner.get(CREDITS)).json()
    assert empty == {
        "balance": 0,
        "autoRecharge": {
            "enabled": False,
            "paused": False,
            "threshold": None,
            "packId": None,
            "spendingLimit": 5000,
        },
        "transactions": [],
    }
    balance = 0
    for pack in PACKS.values():
        bought = (await owner.post(PURCHASE, {"packId": pack.id})).json()
        balance += pack.tokens
        assert (bought["balance"], bought["purchased"]) == (balance, pack.tokens)
    shown = (await owner.get(CREDITS)).json()
    assert shown["balance"] == balance
    assert [entry["price"] for entry in shown["transactions"]] == [5000, 2500, 1000, 500]
    assert {entry["type"] for entry in shown["transactions"]} == {"purchase"}
    assert shown["transactions"][0]["id"] == bought["transactionId"]


async def test_purchase_with_idempotency_key_happens_once(service: Service) -> None:
    import asyncio

    owner, other = await service.owner(), await service.owner()
    headers = {"Idempotency-Key": "order 7"}
    purchases = [owner.post(PURCHASE, {"packId": "credits_1m"}, headers=headers) for _ in range(5)]
    answers = [answer.json() for answer in await asyncio.gather(*purchases)]
    assert {answer["transactionId"] for answer in answers} == {answers[0]["transactionId"]}
    assert {answer["purchased"] for answer in answers} == {1_000_000}
    assert (await owner.get(CREDITS)).json()["balance"] == 1_000_000
    theirs = (await other.post(PURCHASE, {"packId": "credits_1m"}, headers=headers)).json()
    assert theirs["transactionId"] != answers[0]["transactionId"], "keys are scoped to the team"
    assert theirs["balance"] == 1_000_000
    for key in ("", "k" * 256):
        refused = await owner.post(PURCHASE, {"packId": "credits_1m"}, headers={"Idempotency-Key": key})
        assert refused.status_code == 400


async def test_newest_thousand_transactions_are_returned(service: Service) -> None:
    owner = await service.owner()
    shared = {"team_id": owner.team_id, "type": "usage", "amount": -1, "price_cents": None, "description": "d"}
    rows = [{"id": ids.new("ctx"), "reference": f"r{at}", "created_at_ms": at, **shared} for at in range(1_005)]
    await insert_rows(service, credit_transactions, rows)
    shown = (await owner.get(CREDITS)).json()
    assert len(shown["transactions"]) == load().limit("count.transactions").max
    assert [entry["id"] for entry in shown["transactions"][:3]] == [rows[at]["id"] for at in (1004, 1003, 1002)]
    assert shown["balance"] == -1_005, "charged before the account existed"
    bought = (await owner.post(PURCHASE, {"packId": "credits_1m"})).json()
    assert bought["balance"] == 1_000_000 - 1_005


async def test_auto_recharge_settings_round_trip(service: Service) -> None:
    owner = await service.owner()
    full = {"enabled": True, "threshold": 0, "packId": "credits_7m", "spendingLimit": 7500}
    saved = {**full, "paused": False}
    assert (await owner.call("PUT", RECHARGE, full)).json() == saved
    assert (await owner.get(CREDITS)).json()["autoRecharge"] == saved
    off = {"enabled": False, "paused": False, "threshold": None, "packId": None, "spendingLimit": 5000}
    assert (await owner.call("PUT", RECHARGE, {"enabled": False})).json() == off
    for wrong, field in (
        ({}, "enabled"),
        ({"enabled": True, "threshold": 5}, "packId"),
        ({"enabled": True, "packId": "credits_1m"}, "threshold"),
        ({"enabled": True, "packId": "credits_9m", "threshold": 5}, "packId"),
    ):
        refused = await owner.call("PUT", RECHARGE, wrong)
        assert refused.status_code == 400
        assert refused.json()["error"].startswith(field)
    for name, field in (("count.recharge_threshold", "threshold"), ("money.spending_limit", "spendingLimit")):
        bounds = load().limit(name)
        for value, status in ((bounds.min, 200), (bounds.max, 200), (-1, 400), (int(bounds.max or 0) + 1, 400)):
            body = {"enabled": False, field: value}
            assert (await owner.call("PUT", RECHARGE, body)).status_code == status, (field, value)


async def test_billing_permissions(service: Service) -> None:
    owner = await service.owner()
    admin, member = await service.join(owner, "admin"), await service.join(owner, "member")
    assert (await admin.get(CREDITS)).status_code == 200
    assert status_and_body(await member.get(CREDITS)) == FORBIDDEN
    for person in (admin, member):
        assert status_and_body(await person.post(PURCHASE, {"packId": "credits_1m"})) == FORBIDDEN


async def test_plans_file_defines_the_catalog(tmp_path: Path) -> None:
    from loremark.base.plans import PlansError, load_plans

    path = tmp_path / "plans.toml"
    path.write_text("[pack.small]\ntokens = 10\nprice_cents = 1\n[pack.credits_1m]\ntokens = 5\nprice_cents = 2\n")
    packs = load_plans("team", str(path)).packs
    assert (packs["small"].tokens, packs["credits_1m"].tokens, packs["credits_7m"].tokens) == (10, 5, 7_000_000)
    offered = get_catalog(load_plans("team", str(path)), charges_money=False)
    assert [(pack.id, pack.price) for pack in offered.packs[:2]] == [("small", 1), ("credits_1m", 2)]
    assert [plan.id for plan in offered.plans] == ["personal", "team", "business"], (
        "plans without a price are not for sale"
    )
    for wrong in ("[pack.small]\ntokens = 0\nprice_cents = 1", "[pack.small]\ntokens = 1", "[pack.a]\nid = 'b'"):
        path.write_text(wrong)
        with pytest.raises(PlansError, match="LOREMARK_PLANS_FILE cannot be used"):
            load_plans("team", str(path))


async def test_stripe_webhook_requires_a_secret(service: Service) -> None:
    assert status_and_body(await service.http.post("/api/billing/webhook/stripe", content=b"{}")) == (
        404,
        {"error": "Not found"},
    )


@pytest.mark.settings(LOREMARK_DEFAULT_PLAN="enterprise")
async def test_usage_without_a_limit_is_shown_as_unlimited(service: Service) -> None:
    portal = await (await open_browser(service)).open(PORTAL)
    assert "<td>0 (unlimited)</td>" in portal.text
    assert "<td>0 bytes (unlimited)</td>" in portal.text


@pytest.mark.settings(LOREMARK_BASE_URL="https://memory.example.com")
async def test_owners_cannot_grant_themselves_plans_and_credits(service: Service) -> None:
    """Local payments take no money, so orders are for development; on a real server the operator grants."""
    owner = await service.owner()
    refused = (402, {"error": "Payment method required"})
    assert status_and_body(await owner.post(PURCHASE, {"packId": "credits_1m"})) == refused
    assert status_and_body(await owner.post("/api/billing/checkout", {"planId": "business"})) == refused
    local = LocalPayments(service.runtime.sealer, BASE_URL)
    order = Order(Buyer(owner.team_id, "Stones", owner.email), PLANS["business"], 1)
    session = parse_qs(urlsplit((await local.open_checkout(order)).url).query)["session"][0]
    login = await _login_of(service, owner)
    confirmed = await login.send("/billing/checkout", {"session": session}, Origin="https://memory.example.com")
    assert confirmed.status_code == 404
    plan = (await owner.get("/api/billing/usage")).json()["plan"]
    assert (await owner.get(CREDITS)).json()["balance"] == 0

    granted = await admin.grant(service.settings, owner.email, plan_id="business", pack_id="credits_1m")
    assert granted == "Stones"
    assert (await owner.get(CREDITS)).json()["balance"] == 1_000_000
    assert plan != (await owner.get("/api/billing/usage")).json()["plan"]
    for email, wanted, message in (
        ("nobody@example.com", "credits_1m", "No team is owned by"),
        (owner.email, "credits_9m", "The pack must be one of"),
    ):
        with pytest.raises(SettingsError, match=message):
            await admin.grant(service.settings, email, plan_id=None, pack_id=wanted)


async def _login_of(service: Service, owner: Person) -> Browser:
    async with service.runtime.database.write() as tx:
        token = await people.create_login(tx, user_id=owner.user_id, team_id=owner.team_id, origin=Origin("", "", ""))
    browser = Browser(service, token)
    browser.cookies = {LoginCookie(service.settings.base_url).name: token}
    return browser
