"""Where we may connect to. A name is resolved once, every address is checked, and that address is used."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_RESOLVE_SECONDS = 5.0
_HOST_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")
# Ranges that Python counts as global although nobody should be called there.
_NEVER = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/23",
        "2002::/16",
        "fec0::/10",
        "ff00::/8",
    )
)


class OutboundRefused(Exception):
    """We do not connect there; the text is for the user who named the address."""


class Unresolved(Exception):
    """The name has no address at this moment."""


@dataclass(frozen=True)
class Destination:
    """An https address taken apart, with its name as written and the address to connect to."""

    host: str
    port: int
    target: str
    address: IpAddress


@dataclass(frozen=True)
class HttpsUrl:
    """An https address that is well formed; where it leads is not known yet."""

    host: str
    port: int
    target: str
    literal: IpAddress | None


def parse_https(url: str) -> HttpsUrl:
    """Take an address apart; refuse any other form than plain https with an ordinary host name or IP address."""
    if any(ord(character) <= 32 or ord(character) == 127 for character in url) or "\\" in url:
        raise OutboundRefused("url must not contain spaces, control characters or backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port or 443
    except ValueError:
        raise OutboundRefused("url is not a valid address") from None
    if parts.scheme != "https":
        raise OutboundRefused("url must begin with https://")
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise OutboundRefused("url must not contain a user name or password")
    host = (parts.hostname or "").rstrip(".").lower()
    literal = _literal(host)
    if literal is None and not _is_name(host):
        raise OutboundRefused("url must name a host")
    target = parts.path or "/"
    return HttpsUrl(host, port, f"{target}?{parts.query}" if parts.query else target, literal)


def _literal(host: str) -> IpAddress | None:
    if "%" in host:  # a zone: it names an interface of this machine
        return None
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_name(host: str) -> bool:
    """An ordinary name. Numbers in other clothes (decimal, octal, hexadecimal) are not names."""
    labels = host.split(".")
    if not host or len(host) > 253 or not set(host) <= _HOST_CHARS or not all(labels):
        return False
    last = labels[-1]
    return not last[0].isdigit() and not (last.startswith("0x"))


class Guard:
    """Decides which addresses may be reached: public ones, and the ranges an operator has opened."""

    def __init__(self, allowed: tuple[str, ...] = ()) -> None:
        self._allowed = tuple(ipaddress.ip_network(text, strict=False) for text in allowed)

    def permits(self, address: IpAddress) -> bool:
        plain = _unwrapped(address)
        for candidate in {address, plain}:
            if any(candidate.version == network.version and candidate in network for network in self._allowed):
                return True
        return all(_is_public(candidate) for candidate in {address, plain})

    async def resolve(self, url: str) -> Destination:
        """Where an address leads: resolved once, all of its addresses checked, the first one taken."""
        parsed = parse_https(url)
        addresses = [parsed.literal] if parsed.literal else await _look_up(parsed.host, parsed.port)
        for address in addresses:
            if not self.permits(address):
                raise OutboundRefused("url leads to a private or reserved address")
        return Destination(parsed.host, parsed.port, parsed.target, addresses[0])


def _unwrapped(address: IpAddress) -> IpAddress:
    """The IPv4 address inside an IPv6 one, where there is one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if int(address) >> 32 == 0 and int(address) > 1:  # the deprecated ::a.b.c.d
            return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _is_public(address: IpAddress) -> bool:
    if any(address.version == network.version and address in network for network in _NEVER):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


async def _look_up(host: str, port: int) -> list[IpAddress]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_RESOLVE_SECONDS):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError, UnicodeError) as error:
        raise Unresolved(f"{host} cannot be resolved") from error
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not addresses:
        raise Unresolved(f"{host} has no address")
    return addresses
