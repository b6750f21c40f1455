"""The networks from which a key may be used."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

from loremark.base import errors

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def canonical(given: Sequence[str]) -> list[str]:
    """Return addresses and networks in their shortest form, without duplicates. Raise for one that is not valid."""
    return list(dict.fromkeys(_shortest(_parse(text)) for text in given))


@lru_cache(maxsize=4096)
def includes(allowed: str, address: str) -> bool:
    """Return whether the address is in one of the networks, which are separated by spaces."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found
    networks = [ipaddress.ip_network(text) for text in allowed.split()]
    return any(found.version == network.version and found in network for network in networks)


def _parse(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip())
    except ValueError:
        raise errors.invalid(
            f"allowedAddresses must be IP addresses or networks such as 10.0.0.0/8; {text.strip()!r} is neither"
        ) from None


def _shortest(network: Network) -> str:
    return str(network.network_address if network.num_addresses == 1 else network)
