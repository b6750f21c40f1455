"""Logic shared by both clients: headers, signatures, response parsing and retries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from loremark.base import clock, signing
from loremark.client.call import ApiError, Call, Response
from loremark.client.etag_cache import CachedResponse, EtagCache, valid_etag
from loremark.wire.shapes import ErrorBody

T = TypeVar("T")

TIMEOUT_S = 30.0
"""Timeout of a single read or write."""
TOTAL_TIMEOUT_FACTOR = 4
"""The whole response may take this many times longer."""
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
ATTEMPTS = 3
_MAX_DELAY_S = 30.0
_FIRST_DELAY_S = 0.2
_MAX_DATE_CHARS = 40
_MAX_PAGES = 10_000
_MAX_ERROR_CHARS = 1_000
_BUSY = (429, 503)
_UNEXPECTED = "unexpected response from {server}; it may not be a Loremark server, or may run another version"
_NETWORK_ERRORS = (0, 502, 504)


def headers(call: Call[T], key: str | None, secret: str | None) -> dict[str, str]:
    """Request headers, including authorization and, if a secret is given, the signature."""
    result = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "loremark-python"}
    if key:
        if not (key.isascii() and key.isprintable()):
            raise ApiError(401, "the API key contains invalid characters")
        result["Authorization"] = f"Bearer {key}"
    if call.body is not None:
        result["Content-Type"] = call.content_type
    if call.if_match is not None:
        result["If-Match"] = call.if_match
    if call.signed_for is not None and secret is not None:
        timestamp = str(clock.now_ms() // 1000)
        result |= {
            "X-Service-Project": call.signed_for,
            "X-Service-Timestamp": timestamp,
            "X-Service-Signature": signing.sign_request(secret, timestamp, call.body or b""),
        }
    return result


def parse_response(
    call: Call[T], status: int, content: bytes, response_headers: Mapping[str, str], server: str
) -> Response[T]:
    """Decode a response; raises ``ApiError`` for error statuses."""
    if not 200 <= status < 300:
        raise ApiError(status, _error_text(status, content), _retry_after_s(response_headers.get("retry-after")))
    etag, cursor = valid_etag(response_headers.get("etag")), response_headers.get("x-next-cursor")
    if call.response_type is bytes:
        return Response(content, etag, cursor)  # type: ignore[arg-type]
    if call.response_type is type(None):
        return Response(None, etag, cursor)
    try:
        return Response(msgspec.json.decode(content, type=call.response_type), etag, cursor)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ApiError(status, _UNEXPECTED.format(server=server)) from None


def parse_cached_response(
    call: Call[T],
    cached: CachedResponse | None,
    etags: EtagCache,
    response: tuple[int, Mapping[str, str], bytes],
    server: str,
) -> Response[T]:
    """Like ``parse_response``, but uses the cached body on 304 and caches new responses."""
    status, response_headers, content = response
    if status == 304 and cached is not None:
        return parse_response(call, 200, cached.content, {**response_headers, "etag": cached.etag}, server)
    parsed = parse_response(call, status, content, response_headers, server)
    if call.method == "GET" and parsed.next_cursor is None:
        etags.store(call.path, parsed.etag, content)
    return parsed


def retry_delay_s(call: Call[T], error: ApiError, attempt: int) -> float | None:
    """Seconds until the next attempt, or None to give up.

    A busy server has not processed the request, so any call can be retried; after a network error only idempotent ones.
    """
    if attempt >= ATTEMPTS:
        return None
    if error.status in _BUSY:
        wait = error.retry_after_s if error.retry_after_s is not None else _backoff_s(attempt)
        return wait if wait <= _MAX_DELAY_S else None
    return _backoff_s(attempt) if error.status in _NETWORK_ERRORS and call.is_retryable else None


def check_cursor(seen: set[str], cursor: str | None, server: str) -> str | None:
    """The cursor of the next page; raises if the server repeats cursors."""
    if cursor is not None and (cursor in seen or len(seen) >= _MAX_PAGES):
        raise ApiError(0, f"{server} returned an endless list")
    if cursor is not None:
        seen.add(cursor)
    return cursor


def unreachable_error(server: str, error: BaseException) -> ApiError:
    return ApiError(0, f"cannot reach {server}: {str(error) or type(error).__name__}")


class Address(NamedTuple):
    """The parts of a server URL."""

    is_https: bool
    host: str
    port: int | None
    path: str


def parse_address(url: str) -> Address:
    """Split a server URL; raises ``ApiError`` if it is invalid."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port  # raises ValueError for an invalid port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise ApiError(0, f"{url} is not a server address; it must start with http:// or https://")
    return Address(parts.scheme == "https", host, port, parts.path.rstrip("/"))


def timeout_error(server: str) -> ApiError:
    return ApiError(0, f"{server} took too long to respond")


def too_large_error(server: str) -> ApiError:
    return ApiError(0, f"the response from {server} is too large")


def _backoff_s(attempt: int) -> float:
    """Exponential backoff with jitter."""
    return _FIRST_DELAY_S * float(2**attempt) * (0.5 + os.urandom(1)[0] / 255)


def _retry_after_s(value: str | None) -> float | None:
    """``Retry-After`` in seconds; the header may also hold a date."""
    if value is None or len(value) > _MAX_DATE_CHARS:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    from email.utils import parsedate_to_datetime

    try:
        return max(parsedate_to_datetime(value).timestamp() - clock.now_ms() / 1000, 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _error_text(status: int, content: bytes) -> str:
    try:
        return msgspec.json.decode(content, type=ErrorBody).error[:_MAX_ERROR_CHARS]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return f"the server responded with status {status}"
