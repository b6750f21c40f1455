"""Responses and the headers common to all of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import msgspec

from loremark.base.errors import Refusal

Headers = list[tuple[bytes, bytes]]

JSON = b"application/json"
HTML = b"text/html; charset=utf-8"
EVENT_STREAM = b"text/event-stream"

encode_json = msgspec.json.Encoder().encode

_COMMON: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_POLICY = b"content-security-policy"
_DATA_POLICY = (_POLICY, b"default-src 'none'; frame-ancestors 'none'")
_NO_STORE = (b"cache-control", b"no-store")
_HSTS = (b"strict-transport-security", b"max-age=31536000")


def page_policy(*, nonce: str = "", connect_to: str = "") -> tuple[bytes, bytes]:
    """Return the Content-Security-Policy of a page. ``nonce``: for inline styles; ``connect_to``: an extra origin."""
    styles = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    asked = f"'self' {connect_to}" if connect_to else "'self'"
    policy = (
        f"default-src 'none'; style-src {styles}; img-src 'self' data:; script-src 'self'; connect-src {asked}; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return _POLICY, policy.encode()


_PAGE_POLICY = page_policy()


@dataclass(slots=True)
class Response:
    """A complete response."""

    status: int
    body: bytes = b""
    content_type: bytes = JSON
    headers: Headers = field(default_factory=list)


@dataclass(slots=True)
class Stream:
    """A streamed response."""

    pieces: AsyncGenerator[bytes, None]
    content_type: bytes = EVENT_STREAM
    status: int = 200
    headers: Headers = field(default_factory=list)
    max_s: float | None = None
    """After so long it ends, connect_to where the reader does not read on."""


def refusal_response(refusal: Refusal) -> Response:
    headers = [(name.lower().encode(), value.encode()) for name, value in refusal.headers.items()]
    return Response(refusal.status, encode_json({"error": refusal.text}), headers=headers)


class CommonHeaders:
    """The headers of every response, prepared once."""

    def __init__(self, *, https: bool) -> None:
        common = [*_COMMON, _HSTS] if https else _COMMON
        self._data = [*common, _DATA_POLICY]
        self._page = [*common, _PAGE_POLICY]
        self._plain_data = [*self._data, _NO_STORE]

    def of(self, response: Response | Stream) -> Headers:
        """Return the security headers for the response, then its own headers."""
        if not response.headers and response.content_type is JSON:
            return self._plain_data.copy()
        common = self._page if response.content_type.startswith(b"text/html") else self._data
        own = {name for name, _ in response.headers}
        # Browsers enforce all policies, so a page's own one replaces the common one, which is last in the list.
        headers = [*(common[:-1] if _POLICY in own else common), *response.headers]
        if b"cache-control" not in own:
            headers.append(_NO_STORE)
        return headers
