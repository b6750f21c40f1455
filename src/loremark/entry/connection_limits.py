"""Limits the connections per address that are open without a request."""

from __future__ import annotations

import resource
from typing import Protocol

from loremark.web.client_address import TrustedProxies, bucket

_MOST = 128
"""Enough for an office behind one address: clients send their requests at once, or keep a few connections open."""
_MOST_FILES = 65_536


class Connection(Protocol):
    """A connection of a client."""

    def give_up(self) -> None:
        """Close it, because too many others of the same client wait."""


class ConnectionLimits:
    """The connections that are waiting for a request or for the rest of its head, by address, longest waiting first.

    One more than allowed closes the one that has waited longest. Refusing the new one instead would let an attacker
    shut out everybody who shares the address.
    """

    def __init__(self, trusted_proxies: tuple[str, ...] = ()) -> None:
        self._proxies = TrustedProxies(trusted_proxies)
        self._waiting: dict[str, dict[Connection, None]] = {}

    def add(self, address: str, connection: Connection) -> None:
        """Count a connection that starts to wait. A proxy's are not counted: they belong to many clients."""
        if not address or self._proxies.includes(address):
            return
        waiting = self._waiting.setdefault(bucket(address), {})
        waiting[connection] = None
        if len(waiting) > _MOST:
            longest = next(iter(waiting))
            self.discard(address, longest)
            longest.give_up()

    def discard(self, address: str, connection: Connection) -> None:
        """Stop counting a connection that has sent a request or is closed."""
        key = bucket(address)
        waiting = self._waiting.get(key)
        if waiting is not None:
            waiting.pop(connection, None)
            if not waiting:
                del self._waiting[key]


def raise_file_limit() -> None:
    """Use as many file descriptors as the system grants. The usual default of 1,024 is soon used up by connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
