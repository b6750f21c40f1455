"""The blocking client. Uses the standard library's HTTP because commands must start quickly."""

from __future__ import annotations

import http.client
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Self, TypeVar

from loremark.base import clock
from loremark.client import answer_stream, protocol
from loremark.client.call import ApiError, Call, Response, next_page
from loremark.client.calls.ask import build_answer_call, create_ask_ticket
from loremark.client.calls.projects import get_hmac_secret
from loremark.client.etag_cache import EtagCache
from loremark.client.http_connection import HttpConnection
from loremark.wire.answers import AnswerDone, AnswerToken, Ticket

T = TypeVar("T")

_NETWORK_ERRORS = (OSError, http.client.HTTPException, ValueError)


class Client:
    """A connection to one server, with an API key and the projects' signing secrets."""

    def __init__(
        self, url: str, key: str | None, secrets: Mapping[str, str] | None = None, timeout_s: float = protocol.TIMEOUT_S
    ) -> None:
        self.url = url.rstrip("/")
        self._key = key
        self._secrets = dict(secrets or {})
        self._unverified = set(self._secrets)
        self._etags = EtagCache()
        self._connection = HttpConnection(self.url, timeout_s, timeout_s * protocol.TOTAL_TIMEOUT_FACTOR)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def send(self, call: Call[T]) -> T:
        """The decoded response. Retries if the server is busy, and idempotent calls after network errors."""
        return self.request(call).value

    def request(self, call: Call[T]) -> Response[T]:
        """Like ``send``, but includes the ETag and the next page's cursor."""
        if call.signed_for is not None:  # outside the retry loop
            self.get_secret(call.signed_for)
        attempt = 1
        while True:
            try:
                return self._send_once(call)
            except ApiError as error:
                if error.status == 401 and self._renew_secret(call):
                    continue
                delay_s = protocol.retry_delay_s(call, error, attempt)
                if delay_s is None:
                    raise
                attempt += 1
                clock.pause(delay_s)

    def paginate(self, call: Call[list[T]]) -> Iterator[T]:
        """All entries of a list; fetches further pages as needed."""
        page = self.request(call)
        yield from page.value
        seen: set[str] = set()
        while (cursor := protocol.check_cursor(seen, page.next_cursor, self.url)) is not None:
            page = self.request(next_page(call, cursor))
            yield from page.value

    def get_secret(self, project_id: str) -> str:
        """The signing secret of a project, fetched once if it was not given."""
        if project_id not in self._secrets:
            self._secrets[project_id] = self.send(get_hmac_secret(project_id)).secret
        return self._secrets[project_id]

    def ask(
        self, project_id: str, question: str, chat_session_id: str | None = None
    ) -> Iterator[AnswerToken | AnswerDone]:
        """Stream the answer to a question: tokens, then the sources."""
        yield from self.stream_answer(self.send(create_ask_ticket(project_id, question, chat_session_id)), question)

    def stream_answer(self, ticket: Ticket, question: str) -> Iterator[AnswerToken | AnswerDone]:
        """Stream the answer for an existing ticket."""
        call, server = build_answer_call(ticket, question), ticket.worker_url.rstrip("/")
        reader = answer_stream.AnswerStreamReader()
        connection = HttpConnection(server, answer_stream.IDLE_TIMEOUT_S, answer_stream.TIMEOUT_S)
        try:
            with connection.exchange(call, protocol.headers(call, None, None)) as response:
                if response.status != 200:
                    content = response.read(protocol.MAX_RESPONSE_BYTES)
                    protocol.parse_response(
                        call, response.status, content, connection.response_headers(response), server
                    )
                while not reader.is_done and (chunk := response.read1(65_536)):
                    yield from reader.feed(chunk)
            reader.end()
        except _NETWORK_ERRORS as error:
            raise connection.failure(error) from error
        finally:
            connection.close()

    def _send_once(self, call: Call[T]) -> Response[T]:
        secret = self._secrets[call.signed_for] if call.signed_for is not None else None
        request_headers = protocol.headers(call, self._key, secret)
        cached = self._etags.find(call.path) if call.method == "GET" else None
        if cached is not None:
            request_headers["If-None-Match"] = cached.etag
        try:
            with self._connection.exchange(call, request_headers) as response:
                content = response.read(protocol.MAX_RESPONSE_BYTES + 1)
                if response.length and len(content) <= protocol.MAX_RESPONSE_BYTES:  # http.client does not raise here
                    raise http.client.IncompleteRead(content, response.length)
        except _NETWORK_ERRORS as error:
            raise self._connection.failure(error) from error
        if len(content) > protocol.MAX_RESPONSE_BYTES:
            raise protocol.too_large_error(self.url)
        response_parts = response.status, self._connection.response_headers(response), content
        return protocol.parse_cached_response(call, cached, self._etags, response_parts, self.url)

    def _renew_secret(self, call: Call[T]) -> bool:
        """Fetch the secret once if the given one was rejected; True if it changed."""
        project_id = call.signed_for
        if project_id not in self._unverified or self._key is None:
            return False
        self._unverified.discard(project_id)
        before = self._secrets.pop(project_id)
        try:
            return self.get_secret(project_id) != before
        except ApiError:
            self._secrets[project_id] = before
            return False
