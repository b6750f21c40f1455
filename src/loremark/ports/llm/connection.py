"""The HTTP below the SDKs: bounded answers, no redirects, and their errors in our words."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import anyio
import httpx2
import msgspec

from loremark.ports.llm.attempt import AttemptFailed, from_status, from_stream_error, words_of

CONNECT_S = 5.0
SILENCE_S = 30.0
_WHOLE_ANSWER_S = 600.0
_CONNECTIONS = httpx2.Limits(max_connections=2_000, max_keepalive_connections=100)
"""As many as there may be streams at once: whoever waits for a connection has not been heard by the model yet."""
WIRE_BYTES = 16_000_000
"""A stream wraps every few letters in some hundred bytes, so this is far more than the text itself may be."""

DUMMY_KEY = "none"
"""For a server of one's own that asks for no key, while the SDKs insist on sending one."""


_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


class _TooLarge(httpx2.RequestError):
    """The server does not stop."""


class _Bounded(httpx2.AsyncByteStream):
    """The bytes of an answer, up to a bound."""

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
    """The client for both SDKs. Proxies and certificates come from the usual variables, as without it."""

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
    """Read once for all models."""
    return httpx2.create_ssl_context()


def open_client() -> BoundedClient:
    plain = {"Accept-Encoding": "identity"}
    return BoundedClient(verify=_certificates(), follow_redirects=False, headers=plain, limits=_CONNECTIONS)


def patience(streamed: bool) -> httpx2.Timeout:
    """How long the network may be silent. An answer in one piece is silent until it is there: the deadline ends it."""
    return httpx2.Timeout(SILENCE_S, connect=CONNECT_S, read=SILENCE_S if streamed else _WHOLE_ANSWER_S)


@contextmanager
def in_our_words(sdk: Any, root: type[Exception], key: str | None) -> Iterator[None]:
    """Turns the errors of an SDK (both name them alike) into ``AttemptFailed``, cutting off what they drag along."""
    try:
        yield
    except sdk.APIStatusError as error:
        words = words_of(error.body, key)
        if error.status_code < 300:
            raise from_stream_error(error.body, words) from None
        raise from_status(error.status_code, error.response.headers, words) from None
    except sdk.APIConnectionError as error:
        raise _from_transport(error.__cause__) from None
    except sdk.APIResponseValidationError:
        raise _unreadable() from None
    except sdk.APIError as error:
        raise from_stream_error(error.body, words_of(error.body or error.message, key)) from None
    except root:
        raise AttemptFailed("refused", "the SDK sends nothing: its credentials are incomplete", free=True) from None
    except (httpx2.HTTPError, OSError, anyio.EndOfStream) as error:
        raise _from_transport(error) from None
    except (ValueError, msgspec.ValidationError):
        raise _unreadable() from None


def _unreadable() -> AttemptFailed:
    return AttemptFailed("malformed", "the model server's answer cannot be read")


def _from_transport(error: BaseException | None) -> AttemptFailed:
    if isinstance(error, _UNSENT):
        return AttemptFailed("unavailable", "the model server cannot be reached", again=True, free=True)
    if isinstance(error, httpx2.TimeoutException):
        return AttemptFailed("timeout", "the model server was silent for too long")
    if isinstance(error, _TooLarge):
        return AttemptFailed("malformed", f"the model server's answer is larger than {WIRE_BYTES} bytes")
    return AttemptFailed("broken", "the connection to the model server broke off", again=True)
