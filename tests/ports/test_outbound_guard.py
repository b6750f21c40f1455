"""Where we may connect to: public addresses over https, and what an operator has opened; in no disguise elsewhere."""

from __future__ import annotations

import ipaddress

import pytest

from cairn.ports.outbound.guard import Guard, OutboundRefused, Unresolved
from tests.servers.addresses import Names, refused_urls

pytestmark = pytest.mark.anyio


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    return Names(monkeypatch)


@pytest.mark.parametrize("url", refused_urls())
async def test_a_private_or_malformed_address_is_refused(url: str, names: Names) -> None:
    with pytest.raises(OutboundRefused) as refused:
        await Guard().resolve(url)
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
async def test_a_public_address_is_taken_apart(url: str, host: str, port: int, target: str, names: Names) -> None:
    found = await Guard().resolve(url)
    assert (found.host, found.port, found.target) == (host, port, target)
    assert found.address == ipaddress.ip_address("93.184.215.14")
    assert names.asked == ["public.example.com"]


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700:4700::1111"])
async def test_a_public_literal_is_not_looked_up(address: str, names: Names) -> None:
    shown = f"[{address}]" if ":" in address else address
    assert (await Guard().resolve(f"https://{shown}/")).address == ipaddress.ip_address(address)
    assert names.asked == []


async def test_a_name_without_an_address_is_not_refused_but_unresolved(names: Names) -> None:
    names.set("later.example.com")
    with pytest.raises(Unresolved, match=r"later\.example\.com"):
        await Guard().resolve("https://later.example.com/")


async def test_an_operator_opens_ranges_and_nothing_beside_them(names: Names) -> None:
    guard = Guard(("127.0.0.0/8", "fd00::/8", "10.1.2.3"))
    names.set("mixed.example.com", "127.0.0.1", "10.1.2.4")
    for url in ("https://127.9.9.9/", "https://loopback.example.com/", "https://[fd12::1]/", "https://10.1.2.3/"):
        assert not (await guard.resolve(url)).address.is_global
    assert (await guard.resolve("https://[::ffff:127.0.0.1]/")).address == ipaddress.ip_address("::ffff:127.0.0.1")
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
            await guard.resolve(url)
