"""SSRF protection: a name is resolved once, every address is checked, and only those are used."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from loremark.ports.outbound.ip_ranges import IpAddress, is_public
from loremark.ports.outbound.resolver import Resolver

_ADDRESSES_TO_TRY = 3
_HOST_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")


class OutboundRefused(Exception):
    """Connecting there is not allowed; the message is for the user."""


class Unresolved(Exception):
    """The host name cannot be resolved right now."""


@dataclass(frozen=True)
class Destination:
    """A parsed https URL with the addresses to connect to, in order of preference."""

    host: str
    port: int
    target: str
    addresses: tuple[IpAddress, ...]


@dataclass(frozen=True)
class HttpsUrl:
    """A well-formed https URL, not resolved yet."""

    host: str
    port: int
    target: str
    literal: IpAddress | None


def parse_https(url: str) -> HttpsUrl:
    """Parse a URL; reject anything but plain https with an ordinary host name or IP address."""
    if any(ord(character) <= 32 or ord(character) == 127 for character in url) or "\\" in url:
        raise OutboundRefused("url must not contain spaces, control characters or backslashes")
    try:
        parts = urlsplit(url)
        port = 443 if parts.port is None else parts.port
    except ValueError:
        raise OutboundRefused("url is not a valid address") from None
    if port == 0:
        raise OutboundRefused("url must have a port between 1 and 65535")
    if parts.scheme != "https":
        raise OutboundRefused("url must begin with https://")
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise OutboundRefused("url must not contain a user name or password")
    host = (parts.hostname or "").rstrip(".").lower()
    literal = _literal(host)
    if literal is None and not _is_name(host):
        raise OutboundRefused("url must include a valid host name")
    target = parts.path or "/"
    return HttpsUrl(host, port, f"{target}?{parts.query}" if parts.query else target, literal)


def _literal(host: str) -> IpAddress | None:
    if "%" in host:  # a zone id names a local interface
        return None
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_name(host: str) -> bool:
    """Return whether it is an ordinary host name, not an IP address in decimal, octal or hexadecimal form."""
    labels = host.split(".")
    if not host or len(host) > 253 or not set(host) <= _HOST_CHARS or not all(labels):
        return False
    last = labels[-1]
    return not last[0].isdigit() and not (last.startswith("0x"))


class Guard:
    """Allows public addresses and the ranges configured by the operator."""

    def __init__(self, allowed: tuple[str, ...] = (), resolver: Resolver | None = None) -> None:
        self._allowed = tuple(ipaddress.ip_network(text, strict=False) for text in allowed)
        self._resolver = resolver or Resolver()

    def permits(self, address: IpAddress) -> bool:
        both = {address, _unwrapped(address)}
        return any(self._is_opened(one) for one in both) or all(is_public(one) for one in both)

    def _is_opened(self, address: IpAddress) -> bool:
        return any(address.version == network.version and address in network for network in self._allowed)

    async def resolve(self, url: str) -> Destination:
        """Resolve a URL once, check all addresses, and return the first few.

        A single forbidden address rejects the host. Exception: loopback names often have both 127.0.0.1 and ::1, and
        allowing one of them is enough.
        """
        parsed = parse_https(url)
        addresses = [parsed.literal] if parsed.literal else await self._resolver.look_up(parsed.host)
        if not addresses:
            raise Unresolved("the host name cannot be resolved")
        permitted = [address for address in addresses if self.permits(address)]
        is_here = all(address.is_loopback for address in addresses)
        if not permitted or (len(permitted) < len(addresses) and not is_here):
            raise OutboundRefused("url points to a private or reserved address")
        return Destination(parsed.host, parsed.port, parsed.target, tuple(permitted[:_ADDRESSES_TO_TRY]))

    async def close(self) -> None:
        await self._resolver.close()


def _unwrapped(address: IpAddress) -> IpAddress:
    """Return the IPv4 address embedded in an IPv6 address, if any."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if int(address) >> 32 == 0 and int(address) > 1:  # the deprecated ::a.b.c.d
            return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address
