"""Registration status, invitation previews, sign-in redirects and access levels."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from loremark.base import clock
from loremark.base.clock import HOUR_MS
from tests.features.steps import accept, cookies_of, register, status_and_body
from tests.support.service import PASSWORD, Service

pytestmark = [pytest.mark.anyio, pytest.mark.own_service]

PREVIEW = "/api/team/invitations/preview"
INVALID_INVITATION = (400, {"error": "Invitation is invalid or expired"})


async def _registration(service: Service) -> tuple[str, bool]:
    answer = (await service.http.get("/api/auth/registration")).json()
    assert sorted(answer) == ["firstAccount", "mode", "needsSetupToken", "sendsEmail"]
    return answer["mode"], answer["firstAccount"]


async def test_emails_written_to_files_are_not_sent(service: Service) -> None:
    assert not (await service.http.get("/api/auth/registration")).json()["sendsEmail"]


@pytest.mark.settings(LOREMARK_MAIL_URL="smtp://localhost:2525")
async def test_smtp_server_sends_email(service: Service) -> None:
    assert (await service.http.get("/api/auth/registration")).json()["sendsEmail"]


async def test_first_account_is_offered_until_it_exists(service: Service) -> None:
    assert await _registration(service) == ("invite", True)
    assert (await register(service, "rita@example.com")).status_code == 201
    assert await _registration(service) == ("invite", False)
    assert (await register(service, "late@example.com")).status_code == 403


@pytest.mark.settings(LOREMARK_REGISTRATION="closed")
async def test_closed_registration_offers_no_first_account(service: Service) -> None:
    assert await _registration(service) == ("closed", False)
    assert (await register(service, "rita@example.com")).status_code == 403


@pytest.mark.settings(LOREMARK_REGISTRATION="open")
async def test_open_registration_stays_open(service: Service) -> None:
    assert await _registration(service) == ("open", True)
    await service.owner()
    assert await _registration(service) == ("open", False)
    assert (await register(service, "rita@example.com")).status_code == 201


async def test_invitation_preview_does_not_consume_the_token(service: Service) -> None:
    owner = await service.owner("Stones & <b>Sons</b>")
    other_owner = await service.owner("Elsewhere")
    tokens = {}
    for email in ("New@example.com", other_owner.email):
        invited = (await owner.post("/api/team", {"email": email})).json()
        tokens[email] = await service.invitation_token(invited["id"])
    seen = await service.http.post(PREVIEW, json={"token": tokens["New@example.com"]})
    assert (seen.status_code, "set-cookie" in seen.headers) == (200, False)
    body = seen.json()
    assert body == {
        "teamName": "Stones & <b>Sons</b>",
        "email": "New@example.com",
        "hasAccount": False,
        "signedIn": False,
        "expiresAt": body["expiresAt"],
    }
    other = (await service.http.post(PREVIEW, json={"token": tokens[other_owner.email]})).json()
    assert (other["email"], other["hasAccount"]) == (other_owner.email, True)

    cross_site = await service.http.post(
        PREVIEW, json={"token": tokens[other_owner.email]}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert status_and_body(cross_site) == (403, {"error": "Cross-site request refused"})
    invitation = tokens["New@example.com"].partition(".")[0]
    for wrong in (invitation, f"{invitation}.", tokens["New@example.com"] + "x", "x"):
        assert status_and_body(await service.http.post(PREVIEW, json={"token": wrong})) == INVALID_INVITATION
    later_ms = clock.now_ms() + 73 * HOUR_MS
    with clock.use(lambda: later_ms):
        assert (
            status_and_body(await service.http.post(PREVIEW, json={"token": tokens[other_owner.email]}))
            == INVALID_INVITATION
        )
    assert (await accept(service, tokens["New@example.com"], password=PASSWORD)).status_code == 200
    assert (
        status_and_body(await service.http.post(PREVIEW, json={"token": tokens["New@example.com"]}))
        == INVALID_INVITATION
    )


async def test_pages_redirect_to_sign_in_and_back(service: Service) -> None:
    for page in ("/billing/portal", "/billing/checkout?session=a%2Fb&x=https://evil.example/%0d%0aSet-Cookie:%20a=b"):
        for method in ("GET", "HEAD"):
            redirect = await service.http.request(method, page, headers={"Host": "localhost"})
            location = urlsplit(redirect.headers["location"])
            assert (redirect.status_code, location.scheme, location.netloc, location.path) == (303, "", "", "/sign-in")
            assert parse_qs(location.query) == {"next": [page]}
            assert "set-cookie" not in redirect.headers
    long = await service.http.get("/billing/checkout?session=" + "x" * 9_000)
    assert (long.status_code, long.headers["location"]) == (303, "/sign-in")
    for page in ("/billing/checkout", "/billing/portal/plan", "/billing/portal/cancel"):
        posted = await service.http.post(page, content=b"session=x&next=https://evil.example")
        assert (posted.status_code, posted.headers["location"]) == (303, "/sign-in")
    stale = {"loremark_login": "unknown"}
    assert (await service.browser_call("GET", "/billing/portal", stale)).status_code == 303
    cookies = cookies_of(service, await register(service, "rita@example.com"))
    assert (await service.browser_call("GET", "/billing/portal", cookies)).status_code == 200
    assert (await service.http.get("/api/projects")).status_code == 401, "API requests are refused, not redirected"


async def test_project_list_has_access_levels(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    access_levels: dict[str, str] = {}
    for role, visibility in (("admin", "private"), ("member", "private"), ("", "public"), ("", "private")):
        project = await owner.create_project(f"{role} {visibility}", visibility=visibility)
        if role:
            await owner.post(f"/api/projects/{project}/members", {"email": member.email, "role": role})
        access_levels[project] = {"admin": "manage", "member": "write"}.get(role, "read")
    hidden = project
    seen = (await member.get("/api/projects")).json()
    assert {entry["id"]: entry["accessLevel"] for entry in seen} == {
        k: v for k, v in access_levels.items() if k != hidden
    }
    for entry in seen:
        assert (await member.get(f"/api/projects/{entry['id']}")).json()["accessLevel"] == entry["accessLevel"]
    everything = (await owner.get("/api/projects")).json()
    assert {entry["accessLevel"] for entry in everything} == {"manage"}
    assert {entry["id"] for entry in everything} == set(access_levels)
