"""Addresses that must not be called, in every notation, and host names that resolve to them."""

from __future__ import annotations

from functools import partial

import aiodns
import pytest

from tests.servers.dns import NameServer

PUBLIC = ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c")
LOOPBACK_NAMES = {
    "loopback.example.com": ("127.0.0.1",),
    "one-of-two.example.com": ("93.184.215.14", "127.0.0.1"),
    "loopback6.example.com": ("::1",),
    "mapped.example.com": ("::ffff:127.0.0.1",),
    "nat64.example.com": ("64:ff9b::7f00:1",),
    "link-local.example.com": ("fe80::1",),
    "last-of-five.example.com": (*("93.184.215.14",) * 4, "10.0.0.1"),
    "azure.example.com": ("168.63.129.16",),
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
    "168.63.129.16",
    "169.254.169.254",
    "192.0.0.192",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.175.48.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
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
    "[100::1]",
    "[100:0:0:1::1]",
    "[1fff::1]",
    "[2001:2::1]",
    "[2001:20::1]",
    "[2001:db8::1]",
    "[2620:4f:8000::1]",
    "[3fff::1]",
    "[3fff:fff::1]",
    "[4000::1]",
    "[5f00::1]",
    "[::ffff:93.184.215.14]",
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
    """URLs that must be neither saved nor called; those for loopback addresses use this port."""
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
        "https://public.example.com:0/",
        "https://public.example.com:000/",
        "https://public.example.com:65536/",
        "https://public.example.com:99999/",
        "https://public.example.com:-1/",
        "https://public.example.com:443:443/",
        "https://public.example.com:４４３/",
        "https://public.example.com:port/",
        "https://[::1/",
        "https://[public.example.com]/",
    ]


class Names(NameServer):
    """The DNS server that Loremark uses in a test. Names in the hosts file still resolve as usual."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        monkeypatch.setattr(aiodns, "DNSResolver", partial(aiodns.DNSResolver, nameservers=[self.address]))
        for name, addresses in LOOPBACK_NAMES.items():
            self.set(name, *addresses)
        self.set("public.example.com", *PUBLIC)
