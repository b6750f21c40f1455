"""The asyncio client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Self, TypeVar

import httpx

from loremark.base.server_lock import refuse_stopped
from loremark.client import answer_stream, protocol
from loremark.client.call import ApiError, Call, Response, next_page
from loremark.client.calls.ask import build_answer_call, create_ask_ticket
from loremark.client.calls.projects import get_hmac_secret
from loremark.client.etag_cache import EtagCache
from loremark.wire.answers import AnswerDone, AnswerToken, Ticket

T = TypeVar("T")

_NETWORK_ERRORS = (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError)


class AsyncClient:
    """Like ``Client``, but async, over httpx. ``transport`` may call an ASGI app in this process."""

    def __init__(
        self,
        url: str,
        key: str | None,
        secrets: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        timeout_s: float = protocol.TIMEOUT_S,
    ) -> None:
        self.url = url.rstrip("/")
        self._key = key
        self._secrets = dict(secrets or {})
        self._unverified = set(self._secrets)
        self._etags = EtagCache()
        self._total_timeout_s = timeout_s * protocol.TOTAL_TIMEOUT_FACTOR
        self._is_remote = transport is None
        self._http = httpx.AsyncClient(transport=transport, timeout=timeout_s, trust_env=transport is None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """The decoded response. Retries if the server is busy, and idempotent calls after network errors."""
        return (await self.request(call)).value

    async def request(self, call: Call[T]) -> Response[T]:
        """Like ``send``, but includes the ETag and the next page's cursor."""
        if call.signed_for is not None:  # outside the retry loop
            await self.get_secret(call.signed_for)
        attempt = 1
        while True:
            try:
                return await self._send_once(call)
            except ApiError as error:
                if error.status == 401 and await self._renew_secret(call):
                    continue
                delay_s = protocol.retry_delay_s(call, error, attempt)
                if delay_s is None:
                    raise
                attempt += 1
                await asyncio.sleep(delay_s)

    async def paginate(self, call: Call[list[T]]) -> AsyncIterator[T]:
        """All entries of a list; fetches further pages as needed."""
        page = await self.request(call)
        for entry in page.value:
            yield entry
        seen: set[str] = set()
        while (cursor := protocol.check_cursor(seen, page.next_cursor, self.url)) is not None:
            page = await self.request(next_page(call, cursor))
            for entry in page.value:
                yield entry

    async def get_secret(self, project_id: str) -> str:
        """The signing secret of a project, fetched once if it was not given."""
        if project_id not in self._secrets:
            self._secrets[project_id] = (await self.send(get_hmac_secret(project_id))).secret
        return self._secrets[project_id]

    async def ask(
        self, project_id: str, question: str, chat_session_id: str | None = None
    ) -> AsyncIterator[AnswerToken | AnswerDone]:
        """Stream the answer to a question: tokens, then the sources."""
        ticket = await self.send(create_ask_ticket(project_id, question, chat_session_id))
        async for event in self.stream_answer(ticket, question):
            yield event

    async def stream_answer(self, ticket: Ticket, question: str) -> AsyncIterator[AnswerToken | AnswerDone]:
        """Stream the answer for an existing ticket."""
        call, server = build_answer_call(ticket, question), ticket.worker_url.rstrip("/")
        protocol.parse_address(server)
        reader = answer_stream.AnswerStreamReader()
        deadline = asyncio.get_running_loop().time() + answer_stream.TIMEOUT_S
        try:
            async with self._http.stream(
                call.method,
                server + call.path,
                content=call.body,
                headers=protocol.headers(call, None, None),
                timeout=answer_stream.IDLE_TIMEOUT_S,
            ) as response:
                if response.status_code != 200:
                    async with asyncio.timeout_at(deadline):
                        content = await _read_body(response, server)
                    protocol.parse_response(call, response.status_code, content, response.headers, server)
                chunks = response.aiter_raw()
                while not reader.is_done:
                    async with asyncio.timeout_at(deadline):  # the consumer's own time does not count
                        chunk = await anext(chunks, b"")
                    if not chunk:
                        break
                    for event in reader.feed(chunk):
                        yield event
            reader.end()
        except TimeoutError:
            raise protocol.timeout_error(server) from None
        except _NETWORK_ERRORS as error:
            raise protocol.unreachable_error(server, error) from error

    async def _send_once(self, call: Call[T]) -> Response[T]:
        secret = self._secrets[call.signed_for] if call.signed_for is not None else None
        address = protocol.parse_address(self.url)
        request_headers = protocol.headers(call, self._key, secret)
        cached = self._etags.find(call.path) if call.method == "GET" else None
        if cached is not None:
            request_headers["If-None-Match"] = cached.etag
        try:
            if self._is_remote:
                refuse_stopped(address.host, address.port or (443 if address.is_https else 80))
            async with (
                asyncio.timeout(self._total_timeout_s),
                self._http.stream(
                    call.method, self.url + call.path, content=call.body, headers=request_headers
                ) as response,
            ):
                content = await _read_body(response, self.url)
        except TimeoutError:
            raise protocol.timeout_error(self.url) from None
        except _NETWORK_ERRORS as error:
            raise protocol.unreachable_error(self.url, error) from error
        response_parts = response.status_code, response.headers, content
        return protocol.parse_cached_response(call, cached, self._etags, response_parts, self.url)

    async def _renew_secret(self, call: Call[T]) -> bool:
        """Fetch the secret once if the given one was rejected; True if it changed."""
        project_id = call.signed_for
        if project_id not in self._unverified or self._key is None:
            return False
        self._unverified.discard(project_id)
        before = self._secrets.pop(project_id)
        try:
            return await self.get_secret(project_id) != before
        except ApiError:
            self._secrets[project_id] = before
            return False


async def _read_body(response: httpx.Response, server: str) -> bytes:
    """The raw response body, up to the size limit."""
    body = bytearray()
    async for chunk in response.aiter_raw(65_536):
        body += chunk
        if len(body) > protocol.MAX_RESPONSE_BYTES:
            raise protocol.too_large_error(server)
    return bytes(body)
