"""The client address: X-Forwarded-For counts only when it comes from a trusted proxy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremark.storage.database import Database
from loremark.web.authentication import ANYONE
from loremark.web.call import Call
from loremark.web.client_address import TrustedProxies
from loremark.web.request import Message, Request
from loremark.web.routes import Routes
from loremark.wire.shapes import Shape
from tests.web.kit import client_for, make_app

CLIENT = "203.0.113.9"
PROXY = "10.0.0.1"
TRUSTED = ("10.0.0.0/8", "fd00::/8")


class Seen(Shape):
    address: str


routes = Routes("small")


@routes.add("GET", "/seen", ANYONE, name="seen")
async def seen(call: Call) -> Seen:
    """The client's address."""
    return Seen(address=call.request.address)


async def _no_body() -> Message:
    raise AssertionError("the address does not depend on the body")


def address(peer: str | None, *forwarded: str, trusted: tuple[str, ...] = TRUSTED) -> str:
    """The address found for a peer with these X-Forwarded-For lines."""
    scope = {
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": [(b"x-forwarded-for", line.encode("latin-1", "replace")) for line in forwarded],
        "client": None if peer is None else (peer, 1),
    }
    request = Request(scope, _no_body)
    TrustedProxies(trusted).set_client(request, scope)
    return request.address


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        pytest.param(CLIENT, "", CLIENT, id="no proxy"),
        pytest.param(CLIENT, "192.0.2.66", CLIENT, id="a client that claims to be another"),
        pytest.param(PROXY, CLIENT, CLIENT, id="one proxy"),
        pytest.param(PROXY, f"192.0.2.66, {CLIENT}", CLIENT, id="a spoofed entry on the left"),
        pytest.param(PROXY, f"10.9.9.9, {CLIENT}", CLIENT, id="a spoofed entry that looks like ours"),
        pytest.param(PROXY, f"127.0.0.1, 192.0.2.66, {CLIENT}", CLIENT, id="two spoofed entries"),
        pytest.param(PROXY, f"192.0.2.66, {CLIENT}, 10.0.0.2", CLIENT, id="two proxies of ours"),
        pytest.param(PROXY, f"{CLIENT},10.0.0.3 ,  10.0.0.2", CLIENT, id="three, written carelessly"),
        pytest.param(PROXY, "10.0.0.7", "10.0.0.7", id="a client inside our network"),
        pytest.param(PROXY, "", PROXY, id="a proxy that says nothing"),
        pytest.param(PROXY, "unknown", PROXY, id="a word"),
        pytest.param(PROXY, f"{CLIENT}, garbage", PROXY, id="garbage next to us"),
        pytest.param(PROXY, f"garbage, {CLIENT}", CLIENT, id="garbage beyond the client"),
        pytest.param(PROXY, f"{CLIENT}, ", PROXY, id="an empty entry next to us"),
        pytest.param(PROXY, "999.1.1.1", PROXY, id="no such address"),
        pytest.param(PROXY, "ÿþ", PROXY, id="bytes beyond ASCII"),
        pytest.param(PROXY, "2001:db8::7", "2001:db8::7", id="IPv6 behind IPv4"),
        pytest.param(PROXY, "[2001:db8::7]", "2001:db8::7", id="IPv6 in brackets"),
        pytest.param(PROXY, f"::ffff:{CLIENT}", CLIENT, id="IPv4 in IPv6 clothes"),
        pytest.param(f"::ffff:{PROXY}", CLIENT, CLIENT, id="our proxy in IPv6 clothes"),
        pytest.param("fd00::1", CLIENT, CLIENT, id="an IPv6 proxy"),
        pytest.param("fe80::1", "192.0.2.66", "fe80::1", id="an IPv6 stranger"),
    ],
)
def test_client_behind_proxies(peer: str, forwarded: str, found: str) -> None:
    assert address(peer, *([forwarded] if forwarded else [])) == found


def test_header_lines_are_merged_into_one_list() -> None:
    """A proxy may add its entry as a separate header line."""
    assert address(PROXY, "192.0.2.66", CLIENT) == CLIENT
    assert address(PROXY, CLIENT, "10.0.0.2") == CLIENT
    assert address(PROXY, f"192.0.2.66, {CLIENT}", "10.0.0.3", "10.0.0.2") == CLIENT


def test_header_is_ignored_without_trusted_proxies() -> None:
    assert address(PROXY, "192.0.2.66", trusted=()) == PROXY


def test_unknown_peer_gives_an_empty_address() -> None:
    assert address(None, "192.0.2.66") == ""


@given(entries=st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=40), max_size=5))
def test_untrusted_client_cannot_change_its_address(entries: list[str]) -> None:
    assert address(CLIENT, ",".join(entries)) == CLIENT


@given(entries=st.lists(st.ip_addresses().map(str) | st.text(st.characters(min_codepoint=32, max_codepoint=255))))
def test_entries_left_of_the_client_are_ignored(entries: list[str]) -> None:
    assert address(PROXY, ",".join([*entries, CLIENT])) == CLIENT


@pytest.mark.anyio
async def test_app_sees_the_client_behind_the_proxy(sqlite: Database) -> None:
    app = make_app(routes, sqlite, trusted=TRUSTED, per_minute=1)
    async with client_for(app, PROXY) as http:
        first = await http.get("/seen", headers={"X-Forwarded-For": f"192.0.2.66, {CLIENT}"})
        other = await http.get("/seen", headers={"X-Forwarded-For": "192.0.2.77"})
        again = await http.get("/seen", headers={"X-Forwarded-For": f"192.0.2.78, {CLIENT}"})
    assert first.json() == {"address": CLIENT}
    assert (other.status_code, again.status_code) == (200, 429), "each client has its own limit"
