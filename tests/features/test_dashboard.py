"""Dashboard pages, assets and one-time sign-in links."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from loremark.base import clock
from loremark.base.clock import DAY_MS
from loremark.features.dashboard import routes as dashboard
from loremark.features.identity import store as people
from loremark.web.routes import Router
from tests.features.steps import cookies_of, log_in, register, status_and_body
from tests.support.service import PASSWORD, Service

pytestmark = pytest.mark.anyio


def _policy(answer: httpx.Response) -> dict[str, set[str]]:
    """The content security policy, by directive."""
    parts = [part.split() for part in answer.headers["content-security-policy"].split(";") if part.strip()]
    return {name: set(sources) for name, *sources in parts}


async def _link(service: Service, user_id: str | None) -> str:
    async with service.runtime.database.write() as tx:
        return await people.create_link(tx, user_id)


async def _open(service: Service, token: str, method: str = "GET", problem: str = "") -> httpx.Response:
    """Open a link. ``problem``: why it does not work."""
    answer = await service.http.request(method, "/signin", params={"token": token})
    service.http.cookies.clear()
    assert (answer.status_code, answer.headers["location"]) == (303, f"/sign-in?link={problem}" if problem else "/")
    assert ("set-cookie" in answer.headers) == (method == "GET" and bool(token) and not problem)
    return answer


async def test_content_security_policy(service: Service) -> None:
    page = await service.http.get("/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["cache-control"] == "no-store"
    policy = _policy(page)
    nonces = {source for source in policy["style-src"] if source.startswith("'nonce-")}
    assert policy["style-src"] - nonces == policy["script-src"] == {"'self'"}
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == {"'none'"}
    assert "unsafe" not in page.headers["content-security-policy"]
    assert page.headers.get_list("content-security-policy") == [page.headers["content-security-policy"]]

    # The policy blocks inline scripts; inline styles need the nonce of this response.
    assert re.search(r"<style|\sstyle=|\son\w+=|javascript:", page.text) is None
    assert set(re.findall(r"<script[^>]*>([^<]*)", page.text)) == {""}
    (nonce,) = re.findall(r'name="loremark-nonce" content="([\w-]{20,})"', page.text)
    assert nonces == {f"'nonce-{nonce}'"}
    again = await service.http.get("/p/any/memory/any")
    assert again.text != page.text
    assert re.sub(r"loremark-nonce\" content=\"[\w-]+", "", again.text) == re.sub(
        r"loremark-nonce\" content=\"[\w-]+", "", page.text
    )


async def test_assets_are_compressed_and_cached(service: Service) -> None:
    page = await service.http.get("/")
    named = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.text))
    kinds = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
    assert {path.rpartition(".")[2] for path in named} == set(kinds)
    for path in named:
        asset = await service.http.get(path, headers={"Accept-Encoding": "identity"})
        assert (asset.status_code, asset.headers["content-type"]) == (200, kinds[path.rpartition(".")[2]])
        assert asset.headers["x-content-type-options"] == "nosniff"
        compressed = await service.http.get(path, headers={"Accept-Encoding": "gzip, br"})
        assert (compressed.content, compressed.headers["vary"]) == (asset.content, "accept-encoding")
        hashed = re.search(r"-[\w-]{8}\.(js|css)$", path) is not None
        assert asset.headers["cache-control"] == ("public, max-age=31536000, immutable" if hashed else "no-cache")
        assert ("content-encoding" in compressed.headers) == (hashed or path.endswith("scheme.js"))
    for path in ("/assets/index.html", "/assets/none.js", "/assets/..%2findex.html", "/assets/%2e%2e", "/assets/"):
        assert status_and_body(await service.http.get(path)) == (404, {"error": "Not found"})
    assert status_and_body(await service.http.get("/p/any/memory/any/more")) == (404, {"error": "Not found"})


async def test_unknown_paths_answer_html_to_browsers_and_json_to_clients(service: Service) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    for path in ("/nowhere", "/docs/nowhere", "/p/any/nowhere", "/p/any/brain/any", "/p/any/memory/any/more"):
        page = await service.http.get(path, headers=browser)
        assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8"), path
        assert 'name="loremark-nonce"' in page.text
        assert "unsafe" not in page.headers["content-security-policy"]
        assert status_and_body(await service.http.get(path)) == (404, {"error": "Not found"})
    for path in ("/api/nowhere", "/worker/nowhere", "/mcp/nowhere", "/assets/none.js", "/.well-known/nowhere"):
        assert status_and_body(await service.http.get(path, headers=browser)) == (404, {"error": "Not found"}), path
    assert status_and_body(await service.http.post("/nowhere", headers=browser)) == (404, {"error": "Not found"})


def test_server_serves_every_dashboard_route() -> None:
    app = (Path(__file__).parents[2] / "dashboard" / "src" / "app.tsx").read_text()
    paths = re.findall(r'^  "(/[^"]*)": lazy', app, re.MULTILINE)
    assert len(paths) > 20
    router = Router(list(dashboard.routes))
    for path in paths:
        for concrete in {re.sub(r"/:\w+\?", "", path), path.replace("?", "")}:
            segments = concrete.split("/")
            assert router.find(concrete) is not None, path
            if segments[1] == "p":
                assert segments[3] in dashboard.PROJECT_PAGES, path
                assert len(segments) == 4 or segments[3] in dashboard.PAGES_WITH_RECORDS, path


@pytest.mark.settings(LOREMARK_WORKER_URL="https://worker.example.com/answers")
async def test_policy_allows_a_worker_on_another_origin(service: Service) -> None:
    policy = _policy(await service.http.get("/"))
    assert policy["connect-src"] == {"'self'", "https://worker.example.com"}


async def test_sign_in_link_works_once(service: Service) -> None:
    owner = await service.owner()
    token = await _link(service, owner.user_id)
    opened = await _open(service, token)
    me = (await service.browser_call("GET", "/api/auth/me", cookies_of(service, opened))).json()
    assert (me["userId"], me["teamId"], me["role"], me["authMethod"]) == (
        owner.user_id,
        owner.team_id,
        "owner",
        "login",
    )
    await _open(service, token, problem="used")
    await _open(service, "")
    for nonsense in ("x", token[:-1], "y" * 101, "z" * 5000):
        await _open(service, nonsense, problem="unknown")


async def test_used_sign_in_link_leads_a_signed_in_browser_to_the_dashboard(service: Service) -> None:
    owner = await service.owner()
    token = await _link(service, owner.user_id)
    login = cookies_of(service, await _open(service, token))
    for cookies, location in ((login, "/"), ({}, "/sign-in?link=used")):
        opened = await service.browser_call("GET", f"/signin?token={token}", cookies)
        assert (opened.status_code, opened.headers["location"]) == (303, location)


async def test_sign_in_link_expires_after_a_day(service: Service) -> None:
    owner = await service.owner()
    early, late = await _link(service, owner.user_id), await _link(service, owner.user_id)
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms + DAY_MS - 60_000):
        await _open(service, early)
    with clock.use(lambda: now_ms + DAY_MS + 1):
        await _open(service, late, problem="expired")


async def test_head_request_does_not_consume_a_link(service: Service) -> None:
    """Mail scanners and chat previews send HEAD first."""
    owner = await service.owner()
    token = await _link(service, owner.user_id)
    await _open(service, token, "HEAD")
    await _open(service, token)


@pytest.mark.own_service
async def test_first_link_creates_the_owner(service: Service) -> None:
    first, second = await _link(service, None), await _link(service, None)
    login = cookies_of(service, await _open(service, first))
    me = (await service.browser_call("GET", "/api/auth/me", login)).json()
    assert (me["role"], me["email"], me["teamName"]) == ("owner", "owner@localhost", "My team")
    await _open(service, second, problem="replaced")
    await _open(service, first, problem="used")
    assert (await register(service, "late@example.com")).status_code == 403
    assert not me["hasPassword"]
    body = {"newPassword": PASSWORD}
    assert (await service.browser_call("POST", "/api/auth/password", login, json=body)).status_code == 204
    assert (await service.browser_call("GET", "/api/auth/me", login)).json()["hasPassword"]
    assert (await log_in(service, "owner@localhost", PASSWORD)).status_code == 200
    again = await service.browser_call("POST", "/api/auth/password", login, json={"newPassword": "another one 123"})
    assert again.status_code == 401, "the current password is required from now on"
    assert len((await service.browser_call("GET", "/api/team", login)).json()) == 1


@pytest.mark.own_service
async def test_registration_invalidates_the_first_link(service: Service) -> None:
    token = await _link(service, None)
    assert (await register(service, "rita@example.com")).status_code == 201
    await _open(service, token, problem="replaced")


async def test_removed_member_cannot_use_a_link(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    token = await _link(service, member.user_id)
    assert (await owner.delete(f"/api/team/{member.member_id}")).status_code == 204
    await _open(service, token, problem="unknown")
