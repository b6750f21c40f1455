"""One call of the API as a value: what is asked, and the shape of the answer."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote, urlencode

import msgspec

T = TypeVar("T")


class ApiError(Exception):
    """The server refused, or could not be reached (status 0)."""

    def __init__(self, status: int, text: str, retry_after_s: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.retry_after_s = retry_after_s


class Call(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What is sent, and what comes back."""

    method: str
    path: str
    answer: type[T]
    """``bytes`` takes the answer as it is; everything else is decoded into its shape."""
    body: bytes | None = None
    kind: str = "application/json"
    signed_for: str | None = None
    """The project whose secret signs this call."""
    if_match: str | None = None
    repeatable: bool = False
    """Whether doing it twice is the same as doing it once; what only reads always is."""

    @property
    def may_repeat(self) -> bool:
        return self.repeatable or self.method in ("GET", "HEAD")


class Answer(NamedTuple, Generic[T]):
    """An answer with what its head tells."""

    value: T
    etag: str | None = None
    """Names this very state, for ``if_match``."""
    next_cursor: str | None = None
    """Where a list goes on, if it does."""


def path(template: str, *names: str, **query: str | int | float | bool | None) -> str:
    """A path with its names, which may hold anything, and the query without what is not given."""
    filled = template.format(*map(_segment, names))
    given = {name: _text(value) for name, value in query.items() if value is not None}
    return f"{filled}?{urlencode(given, errors='replace')}" if given else filled


def next_page(call: Call[T], cursor: str) -> Call[T]:
    """The same list, from there on."""
    joint = "&" if "?" in call.path else "?"
    return msgspec.structs.replace(call, path=f"{call.path}{joint}{urlencode({'cursor': cursor})}")


def body(**fields: Any) -> bytes:
    """A JSON body without what is not given."""
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        return msgspec.json.encode(given)
    except UnicodeEncodeError:  # half a character, such as a command line or a file name can hold
        return msgspec.json.encode(_whole(given))


def _segment(name: str) -> str:
    """A name as one segment; one of dots alone would be a way up."""
    quoted = quote(name, safe="", errors="replace")
    return quoted if quoted.strip(".") else quoted.replace(".", "%2E") or "%20"


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(each) for name, each in value.items()}
    return value
