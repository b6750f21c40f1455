"""An API call as a value: the request, and the type of the response."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

import msgspec

T = TypeVar("T")


class ApiError(Exception):
    """The server returned an error, or could not be reached (status 0)."""

    def __init__(self, status: int, text: str, retry_after_s: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.retry_after_s = retry_after_s


class Call(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A request, and the type its response decodes to."""

    method: str
    path: str
    response_type: type[T]
    """``bytes`` returns the raw body; any other type is decoded from JSON."""
    body: bytes | None = None
    content_type: str = "application/json"
    signed_for: str | None = None
    """The project whose secret signs this request."""
    if_match: str | None = None
    idempotent: bool = False
    """Whether it is safe to send twice. GET and HEAD always are."""

    @property
    def is_retryable(self) -> bool:
        return self.idempotent or self.method in ("GET", "HEAD")


class Response(NamedTuple, Generic[T]):
    """A decoded response with its ETag and cursor."""

    value: T
    etag: str | None = None
    """For ``if_match``."""
    next_cursor: str | None = None
    """The cursor of the next page, if there is one."""


def path(template: str, *names: str, **query: str | int | float | bool | None) -> str:
    """Fill a path template with escaped segments, and append the query parameters that are not None."""
    filled = template.format(*map(_segment, names))
    given = {name: _text(value) for name, value in query.items() if value is not None}
    return f"{filled}?{urlencode(given, errors='replace')}" if given else filled


def next_page(call: Call[T], cursor: str) -> Call[T]:
    """The call for the next page of a list."""
    separator = "&" if "?" in call.path else "?"
    return msgspec.structs.replace(call, path=f"{call.path}{separator}{urlencode({'cursor': cursor})}")


def body(**fields: Any) -> bytes:
    """A JSON body with the fields that are not None."""
    return changes(**{name: value for name, value in fields.items() if value is not None})


def changes(**given: Any) -> bytes:
    """A JSON body in which None stands for null."""
    try:
        return msgspec.json.encode(given)
    except UnicodeEncodeError:  # lone surrogates, from a command line or a file name
        return msgspec.json.encode(_replace_surrogates(given))


def _segment(name: str) -> str:
    """One URL-encoded path segment. Dots are escaped if the segment would be ``.`` or ``..``."""
    quoted = quote(name, safe="", errors="replace")
    return quoted if quoted.strip(".") else quoted.replace(".", "%2E") or "%20"


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, list):
        return [_replace_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {_replace_surrogates(name): _replace_surrogates(each) for name, each in value.items()}
    return value
