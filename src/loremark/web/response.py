"""Answers, and the headers that all of them carry."""

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


def page_policy(*, nonce: str = "", also: str = "") -> tuple[bytes, bytes]:
    """What a page of ours may load and do. ``nonce``: styles it makes itself; ``also``: where else it may ask."""
    styles = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    asked = f"'self' {also}" if also else "'self'"
    told = (
        f"default-src 'none'; style-src {styles}; img-src 'self' data:; script-src 'self'; connect-src {asked}; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return _POLICY, told.encode()


_PAGE_POLICY = page_policy()


@dataclass(slots=True)
class Response:
    """A whole answer, ready to send."""

    status: int
    body: bytes = b""
    content_type: bytes = JSON
    headers: Headers = field(default_factory=list)


@dataclass(slots=True)
class Stream:
    """An answer that is sent piece by piece."""

    pieces: AsyncGenerator[bytes, None]
    content_type: bytes = EVENT_STREAM
    status: int = 200
    headers: Headers = field(default_factory=list)
    most_s: float | None = None
    """After so long it ends, also where the reader does not read on."""


def refusal_response(refusal: Refusal) -> Response:
    headers = [(name.lower().encode(), value.encode()) for name, value in refusal.headers.items()]
    return Response(refusal.status, encode_json({"error": refusal.text}), headers=headers)


class CommonHeaders:
    """The headers of every answer, prepared once."""

    def __init__(self, *, https: bool) -> None:
        common = [*_COMMON, _HSTS] if https else _COMMON
        self._data = [*common, _DATA_POLICY]
        self._page = [*common, _PAGE_POLICY]
        self._plain_data = [*self._data, _NO_STORE]

    def of(self, response: Response | Stream) -> Headers:
        """The security headers that fit the answer, then its own."""
        if not response.headers and response.content_type is JSON:
            return self._plain_data.copy()
        common = self._page if response.content_type.startswith(b"text/html") else self._data
        own = {name for name, _ in response.headers}
        # Two policies would both hold: a page's own stands in the place of the common one, which is the last.
        headers = [*(common[:-1] if _POLICY in own else common), *response.headers]
        if b"cache-control" not in own:
            headers.append(_NO_STORE)
        return headers
