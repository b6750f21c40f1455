"""The HTTP request."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from loremark.base import errors, limits
from loremark.base.caller import Origin
from loremark.base.slow_work import refuse_while_writing

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip", b"via")
_LOCAL_HOST = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_LENGTH_DIGITS = 12
_DRAIN_BYTES = 16 * 1024 * 1024
_DRAIN_S = 5.0


class Request:
    """Method, path, headers and, on demand, the body."""

    __slots__ = (
        "_body",
        "_read_whole",
        "_receive",
        "address",
        "headers",
        "method",
        "path",
        "query_string",
        "request_id",
    )

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query_string: bytes = scope["query_string"]
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.address = ""
        self.request_id = ""
        self._receive = receive
        self._body: bytes | None = None
        self._read_whole = False

    @property
    def origin(self) -> Origin:
        user_agent = self.header(b"user-agent") or ""
        return Origin(self.address, self.request_id, "".join(each for each in user_agent if each.isprintable()))

    @property
    def is_from_this_machine(self) -> bool:
        """Whether the client is on this machine. What a proxy forwards is not, if it says so or keeps the host name."""
        is_loopback = self.address == "::1" or self.address.startswith("127.")
        return is_loopback and not self.is_forwarded and _LOCAL_HOST.fullmatch(self.header(b"host") or "") is not None

    @property
    def is_forwarded(self) -> bool:
        """Whether a proxy says that it forwarded the request."""
        return not self.headers.keys().isdisjoint(_FORWARDED)

    def header(self, name: bytes) -> str | None:
        """Return a header's value as Latin-1, or None."""
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    async def read_body(self, limit: int = limits.BODY_BYTES) -> bytes:
        """Return the whole body (cached), or raise as soon as it exceeds the limit.

        The sender decides how long that takes, so it never happens inside a write transaction.
        """
        if self._body is None:
            refuse_while_writing("reading a request")
            declared = self.headers.get(b"content-length", b"0")
            if len(declared) > _LENGTH_DIGITS or not declared.isdigit() or int(declared) > limit:
                raise errors.BODY_TOO_LARGE()
            first = b"" if self._read_whole else await self._next_part()
            self._body = first if self._read_whole and len(first) <= limit else await self._receive_rest(first, limit)
        return self._body

    async def _receive_rest(self, first: bytes, limit: int) -> bytes:
        parts = [first]
        size = len(first)
        while size <= limit and not self._read_whole:
            parts.append(await self._next_part())
            size += len(parts[-1])
        if size > limit:
            raise errors.BODY_TOO_LARGE()
        return b"".join(parts)

    async def _next_part(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._read_whole = True
            raise errors.BODY_INCOMPLETE()
        self._read_whole = not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part

    async def drain(self) -> None:
        """Discard the rest of the body, within limits. Clients that sent ``Expect`` have not started sending it."""
        if b"expect" in self.headers:
            return
        if self.headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in self.headers:
            return
        size = 0
        try:
            async with asyncio.timeout(_DRAIN_S):
                while not self._read_whole and size < _DRAIN_BYTES:
                    size += len(await self._next_part())
        except (TimeoutError, errors.Refusal):
            return

    async def wait_for_disconnect(self) -> None:
        """Return when the client has disconnected."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
