"""Finds the client's IP address behind trusted proxies."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from loremark.web.request import Request, Scope

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


@lru_cache(maxsize=8192)
def _parse(text: str) -> IpAddress | None:
    try:
        found = ipaddress.ip_address(text.strip().strip("[]"))
    except ValueError:
        return None
    mapped = getattr(found, "ipv4_mapped", None)
    return mapped or found


@lru_cache(maxsize=8192)
def bucket(address: str) -> str:
    """Return the address as rate limits count it: an IPv6 host owns its whole /64."""
    parsed = _parse(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
    return str(parsed or address)


class TrustedProxies:
    """The proxies whose ``X-Forwarded-For`` we trust."""

    def __init__(self, trusted: tuple[str, ...]) -> None:
        self._trusted = tuple(ipaddress.ip_network(entry, strict=False) for entry in trusted)

    def _is_trusted(self, address: IpAddress | None) -> bool:
        return address is not None and any(
            address.version == network.version and address in network for network in self._trusted
        )

    def includes(self, address: str) -> bool:
        """Return whether a proxy has this address."""
        return bool(self._trusted) and self._is_trusted(_parse(address))

    def set_client(self, request: Request, scope: Scope) -> None:
        """Set the client's address on the request."""
        peer = scope.get("client")
        request.address = str(peer[0]) if peer else ""
        if not self._trusted or not self._is_trusted(_parse(request.address)):
            return
        # From the nearest hop outwards: the first untrusted one is the client.
        lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
        for hop in reversed(",".join(lines).split(",")):
            found = _parse(hop)
            if found is None:
                return
            request.address = str(found)
            if not self._is_trusted(found):
                return
