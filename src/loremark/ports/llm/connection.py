"""HTTP to model servers: JSON requests, event streams, limited response size, no redirects, and one error type."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncGenerator, Mapping
from typing import Any, TypeVar

import httpx
import msgspec

from loremark.ports.llm.attempt import AttemptFailed, error_message, from_status, from_stream_error
from loremark.ports.llm.model import ServerAddress
from loremark.ports.outbound.certificates import load_certificates
from loremark.ports.outbound.failures import connect_failure, root_cause

T = TypeVar("T")

CONNECT_S = 5.0
WIRE_BYTES = 16_000_000
"""Far more than the text limit, because a stream wraps every few letters in a few hundred bytes."""
_CONNECTIONS = httpx.Limits(max_connections=2_000, max_keepalive_connections=100)
"""At least the maximum number of concurrent streams, so calls never wait for a connection."""
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class Connection:
    """A connection to one model server. The key comes from our settings only; proxies from the usual variables."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        headers: Mapping[str, str] | None = None,
        key_header: str = "",
        ca_file: str = "",
    ) -> None:
        """``key_header``: also send the key in this header, because compatible servers differ in which they read."""
        url, self._key = _parse(base_url), api_key.strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise ValueError("the API key for the model server contains invalid characters")
        self._base_url = str(url)
        self.address = ServerAddress(str(url.copy_with(userinfo=b"")), bool(self._key))
        credentials = {"Authorization": f"Bearer {self._key}"} | ({key_header: self._key} if key_header else {})
        self._http = httpx.AsyncClient(
            verify=load_certificates(ca_file),
            headers={
                "Accept-Encoding": "identity",
                "Content-Type": "application/json",
                "User-Agent": "loremark",
                **(headers or {}),
                **(credentials if self._key else {}),
            },
            follow_redirects=False,
            # The caller's deadline ends a call: a local model may read a long prompt for minutes before it answers.
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            limits=_CONNECTIONS,
        )

    async def post(
        self, path: str, body: Mapping[str, Any], kind: type[T], *, streamed: bool = False
    ) -> AsyncGenerator[T, None]:
        """Yield the response, or every event of a stream. Close the generator when stopping early."""
        received, rest = 0, bytearray()
        try:
            async with self._http.stream("POST", self._base_url + path, content=msgspec.json.encode(body)) as response:
                async for piece in response.aiter_raw():
                    received += len(piece)
                    if received > WIRE_BYTES:
                        raise AttemptFailed(
                            "malformed", f"the model server's response is larger than {WIRE_BYTES} bytes"
                        )
                    rest += piece
                    if streamed and response.is_success and b"\n" in piece:
                        *lines, rest = rest.split(b"\n")
                        for line in lines:
                            data = line.removeprefix(b"data:").strip()
                            if line.startswith(b"data:") and data != b"[DONE]":
                                yield self._decode(data, kind)
            if not response.is_success:
                words = error_message(_read_json(rest), self._key)
                raise from_status(response.status_code, response.headers, words, self.address.has_key)
            if not streamed:
                yield self._decode(rest, kind)
        except (httpx.HTTPError, OSError) as error:
            raise _from_transport(error) from None

    async def close(self) -> None:
        await self._http.aclose()

    def _decode(self, document: bytearray, kind: type[T]) -> T:
        body = _read_json(document)
        if isinstance(body, dict) and body.get("error"):
            raise from_stream_error(body, error_message(body, self._key))
        try:
            return msgspec.convert(body, kind)
        except msgspec.ValidationError:
            raise AttemptFailed("malformed", "the model server's response is invalid") from None


def _read_json(document: bytearray) -> Any:
    """Return the parsed document, or its text. Models produce invalid UTF-8 and halves of surrogate pairs."""
    text = document.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _parse(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url.rstrip("/"))
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError("the model server's URL must start with http:// or https:// and include a host")
    return parsed


def _from_transport(error: Exception) -> AttemptFailed:
    if isinstance(error, _UNSENT):
        return AttemptFailed("unavailable", f"the model server cannot be reached: {_why(error)}", again=True, free=True)
    if isinstance(error, httpx.TimeoutException):
        return AttemptFailed("timeout", "the model server timed out")
    return AttemptFailed("broken", "the connection to the model server was lost", again=True)


def _why(error: Exception) -> str:
    cause = root_cause(error)
    if isinstance(cause, socket.gaierror):
        return "its host name cannot be resolved"
    if isinstance(cause, ConnectionRefusedError):
        return "connection refused"
    return connect_failure(cause)
