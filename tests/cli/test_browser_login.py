"""``loremark login --browser``: only the requesting terminal can read the key."""

from __future__ import annotations

import re
import stat
import threading
import webbrowser
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from loremark.base import ids, profile, sealed_box
from loremark.cli import browser_login, browser_page
from loremark.cli.framework import CommandError
from tests.cli.harness import Cli, Server
from tests.cli.invitations import token_for

PASSWORD = "correct horse battery"


@pytest.fixture
def browser(server: Server) -> Iterator[httpx.Client]:
    """A browser session signed in to the server."""
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
    """Open the page and press the button; returns the next page."""
    shown = browser.get(page)
    assert shown.status_code == 200
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', shown.text))
    allowed = browser.post("/connect", data={name: unescape(value) for name, value in fields.items()})
    assert allowed.status_code == 200, allowed.text
    return allowed.text


def test_browser_login_delivers_an_encrypted_key(cli: Cli, server: Server, browser: httpx.Client) -> None:
    seen: list[str] = []

    def open_page(address: str) -> None:
        page = _allow(browser, address)
        seen.append(page)
        found = re.search(r'href="(http://127\.0\.0\.1:\d+/\?letter=[^"]+)"', page)
        assert found is not None
        link = unescape(found.group(1))
        strange = httpx.get(
            re.sub(r"letter=.*", f"letter={sealed_box.seal(sealed_box.Recipient().public_key, 'x')}", link)
        )
        assert strange.status_code == 400, "sealed for another recipient"
        threading.Thread(target=httpx.get, args=(link,)).start()

    cli.monkeypatch.setattr(browser_login.sign_in, "__defaults__", (open_page, 20.0))
    signed_in = cli.run("login", "--url", server.url, "--browser")
    assert signed_in.code == 0, signed_in
    assert "Bo <" in signed_in.out
    assert "@example.com> (member of Stones)" in signed_in.out
    saved = profile.load()
    assert saved is not None
    assert saved.key.startswith("service_sk_")
    assert saved.key not in seen[0]
    mark = re.search(r"shows the code ([0-9A-F]{4}-[0-9A-F]{4})", signed_in.err)
    assert mark is not None
    names = [entry["name"] for entry in cli.run("keys", "list", "--json").json]
    assert any(name.startswith("loremark on ") for name in names)


def test_the_browsers_arguments_do_not_tell_the_public_key(cli: Cli) -> None:
    """Other users of the machine read them, and could deliver a key of their own account."""
    given: list[str] = []
    cli.monkeypatch.setattr(webbrowser, "open", given.append)
    with pytest.raises(CommandError, match="timed out"):
        browser_login.sign_in("http://127.0.0.1:9", timeout_s=0.1)
    (argument,) = given
    page = Path(urlsplit(argument).path)
    assert argument == page.as_uri()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert "url=http://127.0.0.1:9/connect?key=" in page.read_text()


def test_an_unreadable_state_folder_leaves_the_printed_link(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    given: list[str] = []
    cli.monkeypatch.setattr(webbrowser, "open", given.append)
    cli.monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    browser_page.open_link("http://127.0.0.1:9/signin?token=x")
    assert given == []
    assert "open the link yourself" in capsys.readouterr().err


def test_connect_page_rejects_invalid_requests(server: Server, browser: httpx.Client) -> None:
    good = {"key": sealed_box.Recipient().public_key, "name": "desk", "port": "4000"}
    for bad in ({"key": "short"}, {"name": "<script>"}, {"port": "80"}, {"port": "70000"}, {"port": "1@evil.com"}):
        assert "<form" not in browser.get("/connect", params={**good, **bad}).text
        assert browser.post("/connect", data={**good, **bad}).status_code == 400
    weak = {**good, "key": "A" * 43}
    assert browser.post("/connect", data=weak).status_code == 400, "a weak public key"
    assert browser.get("/api/keys").json() == []
    cross_site = browser.post("/connect", data=good, headers={"Sec-Fetch-Site": "cross-site"})
    assert cross_site.status_code == 403
    with httpx.Client(base_url=server.url, verify=False) as signed_out:
        assert signed_out.post("/connect", data=good).status_code == 303
    assert browser.get("/api/keys").json() == []


def test_browser_login_times_out(cli: Cli) -> None:
    with pytest.raises(CommandError, match="timed out"):
        browser_login.sign_in("http://127.0.0.1:9", lambda address: None, 0.1)


def test_sealed_messages_have_one_recipient() -> None:
    recipient = sealed_box.Recipient()
    sealed = sealed_box.seal(recipient.public_key, "schön")
    assert recipient.open(sealed) == "schön"
    for wrong in (sealed[:-1], "", "é", "x" * 100, sealed[:-2] + ("AA" if sealed[-2:] != "AA" else "BB")):
        with pytest.raises(sealed_box.SealedBoxError):
            recipient.open(wrong)
    with pytest.raises(sealed_box.SealedBoxError):
        sealed_box.Recipient().open(sealed)
