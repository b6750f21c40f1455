"""Addresses that must not be called, in all their disguises, and a name service that answers as a test wants."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

LOOPBACK_NAMES = {
    "loopback.example.com": ("127.0.0.1",),
    "one-of-two.example.com": ("93.184.215.14", "127.0.0.1"),
    "loopback6.example.com": ("::1",),
    "mapped.example.com": ("::ffff:127.0.0.1",),
    "nat64.example.com": ("64:ff9b::7f00:1",),
    "zone.example.com": ("fe80::1%1",),
    "metadata.example.com": ("169.254.169.254",),
}

_HOSTS = (
    "127.0.0.1",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "127.1",
    "127.0.1",
    "127.0.0.0x1",
    "127.0.0.1.",
    "127.0.0.1..",
    "127。0。0。1",
    "127．0．0．1",
    "127｡0｡0｡1",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "127.0.0.1%00.example.com",
    "%31%32%37.0.0.1",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "ｌocalhost",
    "0.0.0.0",
    "0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::1%25lo]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:169.254.169.254]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[fec0::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2606:4700::1%25eth0]",
    "user@127.0.0.1",
    "public.example.com@127.0.0.1",
    "user:secret@public.example.com",
    "@public.example.com",
    *LOOPBACK_NAMES,
)


def refused_urls(port: int = 443) -> list[str]:
    """Addresses of which none may be saved or called, each leading to this port."""
    return [
        *(f"https://{host}:{port}/hook" for host in _HOSTS),
        f"https://127.0.0.1:{port}#@public.example.com/",
        f"https://127.0.0.1:{port}?@public.example.com/",
        f"https://127.0.0.1:{port}\\@public.example.com/",
        f"https://public.example.com\\@127.0.0.1:{port}/",
        f"https:\\\\127.0.0.1:{port}/",
        f"https://127.0.0.1:{port}/a path",
        f"https://127.0.0.1:{port}/\r\nHost: evil.example.com",
        f"https://public.example.com\t@127.0.0.1:{port}/",
        f"\x01https://127.0.0.1:{port}/",
        "https://public.example.com\n/",
        "https://public.example.com\x7f/",
        "http://public.example.com/",
        f"http://127.0.0.1:{port}/",
        "//public.example.com/",
        "ftp://public.example.com/",
        "file:///etc/passwd",
        "gopher://public.example.com/",
        "javascript:alert(1)",
        "public.example.com/hook",
        "https:public.example.com",
        "https:///hook",
        "https://",
        "https://:443/",
        "https://public..example.com/",
        "https://public.example.com:99999/",
        "https://public.example.com:port/",
        "https://[::1/",
        "https://[public.example.com]/",
    ]


class Names:
    """What names resolve to, at the event loop's own door. Names that were not set are looked up as usual."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        self._known: dict[str, tuple[str, ...]] = dict(LOOPBACK_NAMES)
        usual = asyncio.BaseEventLoop.getaddrinfo

        async def getaddrinfo(loop: asyncio.BaseEventLoop, host: Any, port: Any, **options: Any) -> Any:
            if host not in self._known:
                return await usual(loop, host, port, **options)
            self.asked.append(host)
            if not self._known[host]:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return [
                (socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
                for address in self._known[host]
            ]

        monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)
        self.set("public.example.com", "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c")

    def set(self, name: str, *addresses: str) -> None:
        """From now on the name has these addresses; none at all means that it does not resolve."""
        self._known[name] = addresses
