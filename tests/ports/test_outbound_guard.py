"""Allowed destinations: public addresses over HTTPS and ranges an operator allows, whatever the notation."""

from __future__ import annotations

import ipaddress

import pytest

from loremark.ports.outbound.guard import Destination, Guard, OutboundRefused, Unresolved
from tests.servers.addresses import PUBLIC, Names, refused_urls

pytestmark = pytest.mark.anyio


async def _resolve(url: str, *allowed: str) -> Destination:
    guard = Guard(allowed)
    try:
        return await guard.resolve(url)
    finally:
        await guard.close()


@pytest.mark.parametrize("url", refused_urls())
async def test_private_or_malformed_url_is_refused(url: str, names: Names) -> None:
    with pytest.raises(OutboundRefused) as refused:
        await _resolve(url)
    assert str(refused.value).startswith("url ")


@pytest.mark.parametrize(
    ("url", "host", "port", "target"),
    [
        ("https://public.example.com", "public.example.com", 443, "/"),
        ("HTTPS://Public.Example.COM./hook?a=b&c", "public.example.com", 443, "/hook?a=b&c"),
        ("https://public.example.com:8443?a", "public.example.com", 8443, "/?a"),
        ("https://public.example.com#@127.0.0.1/", "public.example.com", 443, "/"),
        ("https://public.example.com/@127.0.0.1:80", "public.example.com", 443, "/@127.0.0.1:80"),
        ("https://public.example.com/?@127.0.0.1", "public.example.com", 443, "/?@127.0.0.1"),
    ],
)
async def test_public_url_is_parsed(url: str, host: str, port: int, target: str, names: Names) -> None:
    found = await _resolve(url)
    assert (found.host, found.port, found.target) == (host, port, target)
    assert found.addresses == tuple(map(ipaddress.ip_address, PUBLIC))
    assert names.query_count("public.example.com") == 2, "one query per address family"


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700:4700::1111"])
async def test_public_ip_literal_is_not_looked_up(address: str, names: Names) -> None:
    host = f"[{address}]" if ":" in address else address
    assert (await _resolve(f"https://{host}/")).addresses == (ipaddress.ip_address(address),)
    assert names.query_count(address) == 0


@pytest.mark.parametrize("port", [1, 443, 65_535])
async def test_any_valid_port_is_accepted(port: int, names: Names) -> None:
    assert (await _resolve(f"https://public.example.com:{port}/")).port == port
    assert (await _resolve("https://public.example.com:/")).port == 443


async def test_first_three_addresses_alternate_between_families(names: Names) -> None:
    v4, v6 = [f"93.184.215.{number}" for number in range(1, 9)], [f"2606:4700::{number}" for number in range(1, 9)]
    names.set("many.example.com", *v4, *v6)
    found = (await _resolve("https://many.example.com/")).addresses
    assert [address.version for address in found] == [4, 6, 4]
    assert {str(address) for address in found} < {*v4, *v6}


async def test_name_without_an_address_is_unresolved_and_not_refused(names: Names) -> None:
    names.set("later.example.com")
    with pytest.raises(Unresolved, match="the host name cannot be resolved"):
        await _resolve("https://later.example.com/")


async def test_operator_allows_ranges_and_nothing_else(names: Names) -> None:
    allowed = ("127.0.0.0/8", "fd00::/8", "10.1.2.3")
    names.set("mixed.example.com", "127.0.0.1", "10.1.2.4")
    for url in ("https://127.9.9.9/", "https://loopback.example.com/", "https://[fd12::1]/", "https://10.1.2.3/"):
        assert not (await _resolve(url, *allowed)).addresses[0].is_global
    names.set("here.example.com", "::1", "127.0.0.1")
    assert (await _resolve("https://here.example.com/", *allowed)).addresses == (ipaddress.ip_address("127.0.0.1"),)
    mapped = await _resolve("https://[::ffff:127.0.0.1]/", *allowed)
    assert mapped.addresses == (ipaddress.ip_address("::ffff:127.0.0.1"),)
    for url in (
        "https://10.1.2.4/",
        "https://[::1]/",
        "https://[fe80::1]/",
        "https://169.254.169.254/",
        "https://mixed.example.com/",
        "https://2130706433/",
        "http://127.0.0.1/",
        "https://user@127.0.0.1/",
    ):
        with pytest.raises(OutboundRefused):
            await _resolve(url, *allowed)
