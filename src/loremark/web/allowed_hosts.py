"""The host names the server answers to.

With DNS rebinding, a page of somebody else's lets its own host name point to this server, and the browser treats both
as one site. Such a request names the page's host.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

from loremark.web.request import Request

_LOOPBACK = "localhost"
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?")
_HEADER_CHARS = 300


class AllowedHosts:
    """The hosts of these URLs, loopback names, IP addresses (nobody can point those elsewhere) and configured names."""

    def __init__(self, urls: Iterable[str], names: Iterable[str] = ()) -> None:
        own = (urlsplit(url).hostname or "" for url in urls)
        self._names = frozenset(name.lower().rstrip(".") for name in (*own, *names))
        self._is_known = lru_cache(maxsize=1_024)(self._check)

    def allow(self, request: Request) -> bool:
        """Return whether the request is for one of the names. Browsers always send the header."""
        header = request.header(b"host")
        return header is None or "*" in self._names or (len(header) <= _HEADER_CHARS and self._is_known(header))

    def _check(self, header: str) -> bool:
        found = _HOST.fullmatch(header.lower())
        name = found.group(1).rstrip(".") if found is not None else ""
        if name in self._names or name == _LOOPBACK or name.endswith(f".{_LOOPBACK}"):
            return bool(name)
        _, dot, domain = name.partition(".")
        while dot:
            if f"*.{domain}" in self._names:
                return True
            _, dot, domain = domain.partition(".")
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True
