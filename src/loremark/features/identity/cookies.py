"""The login cookie."""

from __future__ import annotations

from urllib.parse import urlsplit

from loremark.base import limits
from loremark.base.clock import SECOND_MS
from loremark.web.call import Call

_LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))


class LoginCookie:
    """HTTP-only and SameSite=Lax; Secure except on plain-HTTP loopback addresses."""

    def __init__(self, base_url: str) -> None:
        self._secure = not (base_url.startswith("http://") and is_loopback(base_url))
        self.name = "__Host-loremark_login" if self._secure else "loremark_login"

    def set(self, call: Call, token: str) -> None:
        call.set_header("Set-Cookie", self._header(token, limits.LOGIN_VALID_MS // SECOND_MS))

    def clear(self, call: Call) -> None:
        call.set_header("Set-Cookie", self._header("", 0))

    def _header(self, token: str, max_age_s: int) -> str:
        secure = "; Secure" if self._secure else ""
        return f"{self.name}={token}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{secure}"


def is_loopback(base_url: str) -> bool:
    """Return whether the URL names this machine, so that nobody else can open it."""
    return urlsplit(base_url).hostname in _LOOPBACK


def own_origins(base_url: str) -> frozenset[str]:
    """The origins of our own pages: the base URL, plus the other loopback names if it is a loopback address."""
    parts = urlsplit(base_url)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = f":{parts.port}" if parts.port not in (None, usual) else ""
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    hosts = ("127.0.0.1", "localhost", "[::1]") if is_loopback(base_url) else (host,)
    return frozenset(f"{parts.scheme}://{host}{port}" for host in hosts)
