"""The dashboard's page and files, and the one-time link that signs somebody in to it."""

from __future__ import annotations

import re

import httpx
import pytest

from cairn.base import clock
from cairn.base.clock import DAY_MS
from cairn.features.identity import store as people
from tests.features.world import cookies_of, register, told
from tests.support.service import Service

pytestmark = pytest.mark.anyio


def _policy(answer: httpx.Response) -> dict[str, set[str]]:
    """The content security policy, by directive."""
    parts = [part.split() for part in answer.headers["content-security-policy"].split(";") if part.strip()]
    return {name: set(sources) for name, *sources in parts}


async def _link(service: Service, user_id: str | None) -> str:
    async with service.house.database.write() as tx:
        return await people.create_link(tx, user_id)


async def _open(service: Service, token: str, method: str = "GET") -> httpx.Response:
    answer = await service.http.request(method, "/signin", params={"token": token})
    service.http.cookies.clear()
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return answer


async def test_pages_and_files_come_from_here_alone(service: Service) -> None:
    page = await service.http.get("/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert (await service.http.get("/invitation?token=anything")).text == page.text
    policy = _policy(page)
    assert policy["default-src"] == {"'none'"}
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == {"'self'"}
    assert policy["frame-ancestors"] == policy["base-uri"] == {"'none'"}
    assert "unsafe" not in page.headers["content-security-policy"]

    # So nothing inline can be in the page: it would not run.
    assert re.search(r"<style|\sstyle=|\son\w+=|javascript:", page.text) is None
    assert re.findall(r"<script[^>]*>([^<]*)", page.text) == [""]
    named = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.text))
    assert named == {"/assets/cairn.css", "/assets/cairn.js", "/assets/cairn.svg"}
    kinds = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
    for path in named:
        asset = await service.http.get(path)
        assert (asset.status_code, asset.headers["content-type"]) == (200, kinds[path.rpartition(".")[2]])
        assert asset.headers["x-content-type-options"] == "nosniff"
        assert asset.headers["cache-control"] == "no-cache"
        foreign = set(re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}", asset.text)) - {"http://www.w3.org"}
        assert foreign == set()
    for path in ("/assets/index.html", "/assets/none.js", "/assets/..%2findex.html", "/assets/%2e%2e", "/assets/"):
        assert told(await service.http.get(path)) == (404, {"error": "Not found"})


async def test_a_sign_in_link_works_once(service: Service) -> None:
    owner = await service.owner()
    token = await _link(service, owner.user_id)
    opened = await _open(service, token)
    me = (await service.browser_call("GET", "/api/auth/me", cookies_of(service, opened))).json()
    assert (me["userId"], me["teamId"], me["role"], me["via"]) == (owner.user_id, owner.team_id, "owner", "login")
    assert "set-cookie" not in (await _open(service, token)).headers
    for nonsense in ("", "x", token[:-1], "y" * 101, "z" * 5000):
        assert "set-cookie" not in (await _open(service, nonsense)).headers


async def test_a_sign_in_link_works_for_a_day(service: Service) -> None:
    owner = await service.owner()
    early, late = await _link(service, owner.user_id), await _link(service, owner.user_id)
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms + DAY_MS - 60_000):
        assert "set-cookie" in (await _open(service, early)).headers
    with clock.use(lambda: now_ms + DAY_MS + 1):
        assert "set-cookie" not in (await _open(service, late)).headers


async def test_looking_at_a_link_does_not_use_it_up(service: Service) -> None:
    """Mail scanners and chat previews ask with HEAD first."""
    owner = await service.owner()
    token = await _link(service, owner.user_id)
    assert "set-cookie" not in (await _open(service, token, "HEAD")).headers
    assert "set-cookie" in (await _open(service, token)).headers


async def test_the_first_link_makes_the_owner_of_a_fresh_installation(service: Service) -> None:
    first, second = await _link(service, None), await _link(service, None)
    login = cookies_of(service, await _open(service, first))
    me = (await service.browser_call("GET", "/api/auth/me", login)).json()
    assert (me["role"], me["email"], me["teamName"]) == ("owner", "owner@localhost", "My team")
    assert "set-cookie" not in (await _open(service, second)).headers
    assert (await register(service, "late@example.com")).status_code == 403
    assert len((await service.browser_call("GET", "/api/team", login)).json()) == 1


async def test_the_first_link_dies_when_somebody_registers(service: Service) -> None:
    token = await _link(service, None)
    assert (await register(service, "rita@example.com")).status_code == 201
    assert "set-cookie" not in (await _open(service, token)).headers


async def test_a_removed_person_cannot_come_back_by_a_link(service: Service) -> None:
    owner = await service.owner()
    member = await service.join(owner)
    token = await _link(service, member.user_id)
    assert (await owner.delete(f"/api/team/{member.member_id}")).status_code == 204
    assert "set-cookie" not in (await _open(service, token)).headers
