"""What both clients do alike: headers and signatures, reading answers, and when a call is tried again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from loremark.base import clock, signing
from loremark.client.call import Answer, ApiError, Call
from loremark.client.etags import Etags, Kept, plain_tag
from loremark.wire.shapes import ErrorShape

T = TypeVar("T")

SECONDS = 30.0
"""Without a word from the server."""
PATIENCE = 4
"""So many times longer may an answer take that keeps coming."""
MOST_BYTES = 64 * 1024 * 1024
ATTEMPTS = 3
_LONGEST_PAUSE_S = 30.0
_FIRST_PAUSE_S = 0.2
_MOST_DATE_CHARS = 40
_MOST_PAGES = 10_000
_MOST_REFUSAL_CHARS = 1_000
_BUSY = (429, 503)
_BROKEN = (0, 502, 504)


def headers(call: Call[T], key: str | None, secret: str | None) -> dict[str, str]:
    """Who asks, and where a project's secret is needed, its signature over what is sent just now."""
    told = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "loremark-python"}
    if key:
        if not (key.isascii() and key.isprintable()):
            raise ApiError(401, "the key is not one of Loremark's")
        told["Authorization"] = f"Bearer {key}"
    if call.body is not None:
        told["Content-Type"] = call.kind
    if call.if_match is not None:
        told["If-Match"] = call.if_match
    if call.signed_for is not None and secret is not None:
        timestamp = str(clock.now_ms() // 1000)
        told |= {
            "X-Service-Project": call.signed_for,
            "X-Service-Timestamp": timestamp,
            "X-Service-Signature": signing.sign_request(secret, timestamp, call.body or b""),
        }
    return told


def read(call: Call[T], status: int, content: bytes, told: Mapping[str, str], server: str) -> Answer[T]:
    """The answer in its shape; a refusal as the error that it is."""
    if not 200 <= status < 300:
        raise ApiError(status, _refusal(status, content), _seconds(told.get("retry-after")))
    etag, cursor = plain_tag(told.get("etag")), told.get("x-next-cursor")
    if call.answer is bytes:
        return Answer(content, etag, cursor)  # type: ignore[arg-type]
    if call.answer is type(None):
        return Answer(None, etag, cursor)
    try:
        return Answer(msgspec.json.decode(content, type=call.answer), etag, cursor)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ApiError(status, f"{server} does not answer like Loremark") from None


def read_kept(
    call: Call[T], kept: Kept | None, etags: Etags, answered: tuple[int, Mapping[str, str], bytes], server: str
) -> Answer[T]:
    """The same, where an answer that was kept still holds; and what comes anew is kept for the next time."""
    status, told, content = answered
    if status == 304 and kept is not None:
        return read(call, 200, kept.content, {**told, "etag": kept.etag}, server)
    answer = read(call, status, content, told, server)
    if call.method == "GET" and answer.next_cursor is None:
        etags.keep(call.path, answer.etag, content)
    return answer


def pause_s(call: Call[T], error: ApiError, attempt: int) -> float | None:
    """How long to wait before the next attempt; None: give up.

    A busy server has not done what was asked, so anything may be asked again; a broken line only what may repeat.
    """
    if attempt >= ATTEMPTS:
        return None
    if error.status in _BUSY:
        wait = error.retry_after_s if error.retry_after_s is not None else _doubled(attempt)
        return wait if wait <= _LONGEST_PAUSE_S else None
    return _doubled(attempt) if error.status in _BROKEN and call.may_repeat else None


def go_on(seen: set[str], cursor: str | None, server: str) -> str | None:
    """Where the next page begins; a server that leads in a circle is not followed."""
    if cursor is not None and (cursor in seen or len(seen) >= _MOST_PAGES):
        raise ApiError(0, f"the list of {server} does not end")
    if cursor is not None:
        seen.add(cursor)
    return cursor


def unreachable(server: str, error: BaseException) -> ApiError:
    return ApiError(0, f"{server} cannot be reached: {str(error) or type(error).__name__}")


class Address(NamedTuple):
    """Where a server is."""

    is_safe: bool
    host: str
    port: int | None
    path: str


def address(url: str) -> Address:
    """The parts of an address, if it is one."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port  # the port is looked at only now
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise ApiError(0, f"{url} is not the address of a server; it begins with http:// or https://")
    return Address(parts.scheme == "https", host, port, parts.path.rstrip("/"))


def too_slow(server: str) -> ApiError:
    return ApiError(0, f"{server} takes too long to answer")


def too_long(server: str) -> ApiError:
    return ApiError(0, f"the answer of {server} is too long")


def _doubled(attempt: int) -> float:
    """Twice as long each time, and not for everybody the same."""
    return _FIRST_PAUSE_S * float(2**attempt) * (0.5 + os.urandom(1)[0] / 255)


def _seconds(told: str | None) -> float | None:
    """``Retry-After``: seconds, or, from some, the moment itself."""
    if told is None or len(told) > _MOST_DATE_CHARS:
        return None
    if told.isascii() and told.isdigit():
        return float(told)
    from email.utils import parsedate_to_datetime

    try:
        return max(parsedate_to_datetime(told).timestamp() - clock.now_ms() / 1000, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _refusal(status: int, content: bytes) -> str:
    try:
        return msgspec.json.decode(content, type=ErrorShape).error[:_MOST_REFUSAL_CHARS]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return f"the server answered {status}"
