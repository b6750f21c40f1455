"""A request as the kit reads it from the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from cairn.base import errors, limits

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Request:
    """Method, path, headers and (when asked for) the body."""

    __slots__ = ("_receive", "address", "headers", "method", "path", "query_string", "request_id", "secure")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query_string: bytes = scope["query_string"]
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.secure: bool = scope.get("scheme") == "https"
        self.address = ""
        self.request_id = ""
        self._receive = receive

    def header(self, name: bytes) -> str | None:
        """A header's value, or None; bytes beyond ASCII are kept as they are, in Latin-1."""
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    async def read_body(self, limit: int = limits.BODY_BYTES) -> bytes:
        """The whole body; refuses one over the limit as soon as that is known."""
        declared = self.headers.get(b"content-length")
        if declared is not None and (not declared.isdigit() or int(declared) > limit):
            raise errors.BODY_TOO_LARGE()
        first = await self._receive()
        body: bytes = first.get("body", b"")
        if not first.get("more_body"):
            return self._bounded(body, limit)
        parts = [body]
        size = len(body)
        while True:
            message = await self._receive()
            part: bytes = message.get("body", b"")
            parts.append(part)
            size += len(part)
            if size > limit:
                raise errors.BODY_TOO_LARGE()
            if not message.get("more_body"):
                return b"".join(parts)

    def _bounded(self, body: bytes, limit: int) -> bytes:
        if len(body) > limit:
            raise errors.BODY_TOO_LARGE()
        return body

    async def wait_for_disconnect(self) -> None:
        """Return when the client has gone away."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
