"""Asynchronous DNS lookups that do not block threads."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from itertools import zip_longest

import aiodns

from loremark.ports.outbound.ip_ranges import IpAddress

_LOOK_UP_S = 5.0
_FIRST_TRY_S = 1.0
_TRIES = 5


class Resolver:
    """Uses the system's name servers and hosts file. Slow names do not delay others.

    All lookups share one c-ares channel, which waits in a single thread. Callers stop waiting after five seconds, and
    c-ares gives up a few seconds later.
    """

    def __init__(self, *, timeout_s: float = _LOOK_UP_S) -> None:
        self._timeout_s = timeout_s
        self._channel: aiodns.DNSResolver | None = None
        self._under_way: dict[str, asyncio.Task[list[IpAddress]]] = {}

    async def look_up(self, host: str) -> list[IpAddress]:
        """Return a name's addresses, IPv4 and IPv6 alternating, or none. Concurrent lookups are shared."""
        task = self._under_way.get(host)
        if task is None:
            task = self._under_way[host] = asyncio.create_task(self._ask(host))
            task.add_done_callback(lambda _: self._under_way.pop(host))
        return await asyncio.shield(task)

    async def _ask(self, host: str) -> list[IpAddress]:
        if self._channel is None:
            self._channel = aiodns.DNSResolver(timeout=_FIRST_TRY_S, tries=_TRIES)
        try:
            async with asyncio.timeout(self._timeout_s):
                found = await self._channel.getaddrinfo(host, type=socket.SOCK_STREAM)
        except TimeoutError:
            return []
        except aiodns.error.DNSError:
            if len(self._under_way) == 1:
                await self._close_channel()  # it may cache a negative answer for an hour
            return []
        return _by_turns([ipaddress.ip_address(node.addr[0].decode().partition("%")[0]) for node in found.nodes])

    async def close(self) -> None:
        """Cancel running lookups."""
        await self._close_channel()
        if self._under_way:
            await asyncio.wait(list(self._under_way.values()))

    async def _close_channel(self) -> None:
        if self._channel is not None:
            await self._channel.close()
            self._channel = None


def _by_turns(addresses: list[IpAddress]) -> list[IpAddress]:
    """Alternate, IPv4 first, because IPv6 may not be routed."""
    kinds = ([address for address in addresses if address.version == version] for version in (4, 6))
    return [address for turn in zip_longest(*kinds) for address in turn if address is not None]
