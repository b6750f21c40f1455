"""``loremark login --browser``: allowed where one is signed in, and readable by nobody but the terminal that asked."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from html import unescape

import httpx
import pytest

from loremark.base import ids, letters, profile
from loremark.cli import browsing
from loremark.cli.kit import Stop
from tests.cli.people import token_for
from tests.cli.person import Desk, Server

PASSWORD = "correct horse battery"


@pytest.fixture
def browser(server: Server) -> Iterator[httpx.Client]:
    """Somebody's browser, signed in to the server."""
    with httpx.Client(base_url=server.url, headers={"Sec-Fetch-Site": "same-origin"}, verify=False) as http:
        token = _invite(server)
        body = {"token": token, "name": "Bo", "password": PASSWORD}
        assert http.post("/api/team/invitations/accept", json=body).status_code == 200
        yield http


def _invite(server: Server) -> str:
    address = f"{ids.new('bro')}@example.com"
    invited = server.http.post("/api/team", json={"email": address, "role": "member"})
    assert invited.status_code == 201, invited.text
    return token_for(server, address)


def _allow(browser: httpx.Client, page: str) -> str:
    """Open the page, press the button: the page that follows."""
    shown = browser.get(page)
    assert shown.status_code == 200
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', shown.text))
    allowed = browser.post("/connect", data={name: unescape(value) for name, value in fields.items()})
    assert allowed.status_code == 200, allowed.text
    return allowed.text


def test_the_terminal_gets_a_key_that_nobody_else_can_read(desk: Desk, server: Server, browser: httpx.Client) -> None:
    seen: list[str] = []

    def open_page(address: str) -> None:
        told = _allow(browser, address)
        seen.append(told)
        found = re.search(r'href="(http://127\.0\.0\.1:\d+/\?letter=[^"]+)"', told)
        assert found is not None
        link = unescape(found.group(1))
        strange = httpx.get(re.sub(r"letter=.*", f"letter={letters.write(letters.Reader().address, 'x')}", link))
        assert strange.status_code == 400, "a letter to somebody else"
        threading.Thread(target=httpx.get, args=(link,)).start()

    desk.monkeypatch.setattr(browsing.sign_in, "__defaults__", (open_page, 20.0))
    signed_in = desk.say("login", "--url", server.url, "--browser")
    assert signed_in.code == 0, signed_in
    assert "Bo (member of Stones)" in signed_in.out
    kept = profile.load()
    assert kept is not None
    assert kept.key.startswith("service_sk_")
    assert kept.key not in seen[0]
    mark = re.search(r"must show ([0-9A-F]{4}-[0-9A-F]{4})", signed_in.err)
    assert mark is not None
    names = [entry["name"] for entry in desk.say("keys", "list", "--json").json]
    assert any(name.startswith("loremark on ") for name in names)


def test_a_page_that_nobody_asked_for(server: Server, browser: httpx.Client) -> None:
    good = {"key": letters.Reader().address, "name": "desk", "port": "4000"}
    for bad in ({"key": "short"}, {"name": "<script>"}, {"port": "80"}, {"port": "70000"}, {"port": "1@evil.com"}):
        assert "<form" not in browser.get("/connect", params={**good, **bad}).text
        assert browser.post("/connect", data={**good, **bad}).status_code == 400
    weak = {**good, "key": "A" * 43}
    assert browser.post("/connect", data=weak).status_code == 400, "no key that everybody has"
    assert browser.get("/api/keys").json() == []
    elsewhere = browser.post("/connect", data=good, headers={"Sec-Fetch-Site": "cross-site"})
    assert elsewhere.status_code == 403
    with httpx.Client(base_url=server.url, verify=False) as stranger:
        assert stranger.post("/connect", data=good).status_code == 303
    assert browser.get("/api/keys").json() == []


def test_nobody_comes(desk: Desk) -> None:
    with pytest.raises(Stop, match="in time"):
        browsing.sign_in("http://127.0.0.1:9", lambda address: None, 0.1)


def test_a_letter_is_for_one_reader() -> None:
    reader = letters.Reader()
    letter = letters.write(reader.address, "schön")
    assert reader.open(letter) == "schön"
    for wrong in (letter[:-1], "", "é", "x" * 100, letter[:-2] + ("AA" if letter[-2:] != "AA" else "BB")):
        with pytest.raises(letters.NotOurs):
            reader.open(wrong)
    with pytest.raises(letters.NotOurs):
        letters.Reader().open(letter)
