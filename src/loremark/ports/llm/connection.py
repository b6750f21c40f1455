"""The HTTP client for the SDKs: limited response size, no redirects, translated errors."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import anyio
import httpx2
import msgspec

from loremark.ports.llm.attempt import AttemptFailed, error_message, from_status, from_stream_error

CONNECT_S = 5.0
SILENCE_S = 30.0
_WHOLE_ANSWER_S = 600.0
_CONNECTIONS = httpx2.Limits(max_connections=2_000, max_keepalive_connections=100)
"""At least the maximum number of concurrent streams, so calls never wait for a connection."""
WIRE_BYTES = 16_000_000
"""Far more than the text limit, because a stream wraps every few letters in a few hundred bytes."""

DUMMY_KEY = "none"
"""For self-hosted servers without a key, because the SDKs insist on one."""


_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


class _TooLarge(httpx2.RequestError):
    """The response exceeds the size limit."""


class _Bounded(httpx2.AsyncByteStream):
    """A response body with a size limit."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > WIRE_BYTES:
                raise _TooLarge("the answer is too large")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


class BoundedClient(httpx2.AsyncClient):
    """The HTTP client for both SDKs. Proxies and certificates come from the usual variables."""

    async def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        response = await super().send(request, stream=True, **options)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream)
        if not stream:
            try:
                await response.aread()
            finally:
                await response.aclose()
        return response


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Load certificates once for all models."""
    return httpx2.create_ssl_context()


def open_client() -> BoundedClient:
    plain = {"Accept-Encoding": "identity"}
    return BoundedClient(verify=_certificates(), follow_redirects=False, headers=plain, limits=_CONNECTIONS)


def timeouts(streamed: bool) -> httpx2.Timeout:
    """Return the network timeouts. Without streaming, nothing arrives until the answer is complete."""
    return httpx2.Timeout(SILENCE_S, connect=CONNECT_S, read=SILENCE_S if streamed else _WHOLE_ANSWER_S)


@contextmanager
def translate_errors(sdk: Any, root: type[Exception], key: str | None) -> Iterator[None]:
    """Convert the errors of an SDK (both use the same names) to ``AttemptFailed``, without their context."""
    try:
        yield
    except sdk.APIStatusError as error:
        words = error_message(error.body, key)
        if error.status_code < 300:
            raise from_stream_error(error.body, words) from None
        raise from_status(error.status_code, error.response.headers, words) from None
    except sdk.APIConnectionError as error:
        raise _from_transport(error.__cause__) from None
    except sdk.APIResponseValidationError:
        raise _unreadable() from None
    except sdk.APIError as error:
        raise from_stream_error(error.body, error_message(error.body or error.message, key)) from None
    except root:
        raise AttemptFailed("refused", "the SDK did not send the request: incomplete credentials", free=True) from None
    except (httpx2.HTTPError, OSError, anyio.EndOfStream) as error:
        raise _from_transport(error) from None
    except (ValueError, msgspec.ValidationError):
        raise _unreadable() from None


def _unreadable() -> AttemptFailed:
    return AttemptFailed("malformed", "the model server's response is invalid")


def _from_transport(error: BaseException | None) -> AttemptFailed:
    if isinstance(error, _UNSENT):
        return AttemptFailed("unavailable", "the model server cannot be reached", again=True, free=True)
    if isinstance(error, httpx2.TimeoutException):
        return AttemptFailed("timeout", "the model server timed out")
    if isinstance(error, _TooLarge):
        return AttemptFailed("malformed", f"the model server's response is larger than {WIRE_BYTES} bytes")
    return AttemptFailed("broken", "the connection to the model server was lost", again=True)
