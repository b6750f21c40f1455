"""What the sign-in pages are told before anybody is signed in, and how pages lead there and back."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from loremark.base import clock
from loremark.base.clock import HOUR_MS
from tests.features.world import accept, cookies_of, register, told
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio

LOOK = "/api/team/invitations/look"
DEAD_LINK = (400, {"error": "Invitation is invalid or expired"})


async def _door(service: Service) -> tuple[str, bool]:
    answer = (await service.http.get("/api/auth/door")).json()
    assert sorted(answer) == ["firstAccount", "registration"]
    return answer["registration"], answer["firstAccount"]


async def test_the_first_account_is_offered_until_somebody_has_it(service: Service) -> None:
    assert await _door(service) == ("invite", True)
    assert (await register(service, "rita@example.com")).status_code == 201
    assert await _door(service) == ("invite", False)
    assert (await register(service, "late@example.com")).status_code == 403


@pytest.mark.settings(LOREMARK_REGISTRATION="closed")
async def test_a_closed_door_offers_nothing(service: Service) -> None:
    assert await _door(service) == ("closed", False)
    assert (await register(service, "rita@example.com")).status_code == 403


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_an_open_door_stays_open(service: Service) -> None:
    assert await _door(service) == ("open", True)
    await service.owner()
    assert await _door(service) == ("open", False)
    assert (await register(service, "rita@example.com")).status_code == 201


async def test_an_invitation_says_where_it_leads_and_is_not_used_up(service: Service) -> None:
    owner = await service.owner("Stones & <b>Sons</b>")
    elsewhere = await service.owner("Elsewhere")
    tokens = {}
    for email in ("New@example.com", elsewhere.email):
        invited = (await owner.post("/api/team", {"email": email})).json()
        tokens[email] = await service.invitation_token(invited["id"])
    seen = await service.http.post(LOOK, json={"token": tokens["New@example.com"]})
    assert (seen.status_code, "set-cookie" in seen.headers) == (200, False)
    body = seen.json()
    assert body == {
        "teamName": "Stones & <b>Sons</b>",
        "email": "New@example.com",
        "hasAccount": False,
        "expiresAt": body["expiresAt"],
    }
    other = (await service.http.post(LOOK, json={"token": tokens[elsewhere.email]})).json()
    assert (other["email"], other["hasAccount"]) == (elsewhere.email, True)

    foreign = await service.http.post(
        LOOK, json={"token": tokens[elsewhere.email]}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert told(foreign) == (403, {"error": "Cross-site request refused"})
    invitation = tokens["New@example.com"].partition(".")[0]
    for wrong in (invitation, f"{invitation}.", tokens["New@example.com"] + "x", "x"):
        assert told(await service.http.post(LOOK, json={"token": wrong})) == DEAD_LINK
    later_ms = clock.now_ms() + 73 * HOUR_MS
    with clock.use(lambda: later_ms):
        assert told(await service.http.post(LOOK, json={"token": tokens[elsewhere.email]})) == DEAD_LINK
    assert (await accept(service, tokens["New@example.com"], password=PASSWORD)).status_code == 200
    assert told(await service.http.post(LOOK, json={"token": tokens["New@example.com"]})) == DEAD_LINK


async def test_a_page_leads_to_the_sign_in_page_and_back(service: Service) -> None:
    for page in ("/billing/portal", "/billing/checkout?session=a%2Fb&x=https://evil.example/%0d%0aSet-Cookie:%20a=b"):
        for method in ("GET", "HEAD"):
            led = await service.http.request(method, page, headers={"Host": "evil.example"})
            place = urlsplit(led.headers["location"])
            assert (led.status_code, place.scheme, place.netloc, place.path) == (303, "", "", "/sign-in")
            assert parse_qs(place.query) == {"next": [page]}
            assert "set-cookie" not in led.headers
    long = await service.http.get("/billing/checkout?session=" + "x" * 9_000)
    assert (long.status_code, long.headers["location"]) == (303, "/sign-in")
    for page in ("/billing/checkout", "/billing/portal/plan", "/billing/portal/cancel"):
        sent = await service.http.post(page, content=b"session=x&next=https://evil.example")
        assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in")
    stale = {"loremark_login": "nobodys"}
    assert (await service.browser_call("GET", "/billing/portal", stale)).status_code == 303
    made = cookies_of(service, await service.http.post("/api/auth/register", json=_person("rita@example.com")))
    assert (await service.browser_call("GET", "/billing/portal", made)).status_code == 200
    assert (await service.http.get("/api/projects")).status_code == 401, "data is refused, not led anywhere"


def _person(email: str) -> dict[str, str]:
    return {"email": email, "password": PASSWORD, "name": "Rita"}


async def test_a_list_of_projects_says_what_one_may_do_with_each(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    rights: dict[str, str] = {}
    for role, visibility in (("admin", "private"), ("member", "private"), ("", "public"), ("", "private")):
        project = await owner.create_project(f"{role} {visibility}", visibility=visibility)
        if role:
            await owner.post(f"/api/projects/{project}/members", {"email": member.email, "role": role})
        rights[project] = {"admin": "manage", "member": "write"}.get(role, "read")
    hidden = project
    seen = (await member.get("/api/projects")).json()
    assert {entry["id"]: entry["rights"] for entry in seen} == {k: v for k, v in rights.items() if k != hidden}
    for entry in seen:
        assert (await member.get(f"/api/projects/{entry['id']}")).json()["rights"] == entry["rights"]
    everything = (await owner.get("/api/projects")).json()
    assert {entry["rights"] for entry in everything} == {"manage"}
    assert {entry["id"] for entry in everything} == set(rights)
