"""The client for programs that do many things at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Self, TypeVar

import httpx

from loremark.client import answering, protocol
from loremark.client.call import Answer, ApiError, Call, next_page
from loremark.client.calls.ask import answer_at, open_ask
from loremark.client.calls.projects import get_hmac_secret
from loremark.client.etags import Etags
from loremark.wire.answers import AnswerDone, AnswerToken, Ticket

T = TypeVar("T")

_BROKEN = (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError)


class AsyncClient:
    """As ``Client``, over httpx; ``transport`` may be an ASGI application of this process."""

    def __init__(
        self,
        url: str,
        key: str | None,
        secrets: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        seconds: float = protocol.SECONDS,
    ) -> None:
        self.url = url.rstrip("/")
        self._key = key
        self._secrets = dict(secrets or {})
        self._unproven = set(self._secrets)
        self._etags = Etags()
        self._most_seconds = seconds * protocol.PATIENCE
        self._http = httpx.AsyncClient(transport=transport, timeout=seconds, trust_env=transport is None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Do it; a busy server is waited for, a broken line tried again where that is safe."""
        return (await self.answer(call)).value

    async def answer(self, call: Call[T]) -> Answer[T]:
        """The same, with what the answer's head tells."""
        if call.signed_for is not None:  # here, so that it is not tried again for each attempt
            await self.secret(call.signed_for)
        attempt = 1
        while True:
            try:
                return await self._once(call)
            except ApiError as error:
                if error.status == 401 and await self._renew_secret(call):
                    continue
                pause = protocol.pause_s(call, error, attempt)
                if pause is None:
                    raise
                attempt += 1
                await asyncio.sleep(pause)

    async def every(self, call: Call[list[T]]) -> AsyncIterator[T]:
        """All entries of a list, page by page as they are wanted."""
        page = await self.answer(call)
        for entry in page.value:
            yield entry
        seen: set[str] = set()
        while (cursor := protocol.go_on(seen, page.next_cursor, self.url)) is not None:
            page = await self.answer(next_page(call, cursor))
            for entry in page.value:
                yield entry

    async def secret(self, project_id: str) -> str:
        """The secret that signs for a project: as given, else asked for once."""
        if project_id not in self._secrets:
            self._secrets[project_id] = (await self.send(get_hmac_secret(project_id))).secret
        return self._secrets[project_id]

    async def ask(
        self, project_id: str, question: str, chat_session_id: str | None = None
    ) -> AsyncIterator[AnswerToken | AnswerDone]:
        """The answer to a question as it is being written: tokens, then what it rests on."""
        ticket = await self.send(open_ask(project_id, question, chat_session_id))
        async for event in self.stream_answer(ticket, question):
            yield event

    async def stream_answer(self, ticket: Ticket, question: str) -> AsyncIterator[AnswerToken | AnswerDone]:
        """The same for a ticket that one has already."""
        call, server = answer_at(ticket, question), ticket.worker_url.rstrip("/")
        protocol.address(server)
        reader = answering.Reader()
        ends = asyncio.get_running_loop().time() + answering.SECONDS
        try:
            async with self._http.stream(
                call.method,
                server + call.path,
                content=call.body,
                headers=protocol.headers(call, None, None),
                timeout=answering.SILENT_SECONDS,
            ) as answer:
                if answer.status_code != 200:
                    async with asyncio.timeout_at(ends):
                        content = await _content(answer, server)
                    protocol.read(call, answer.status_code, content, answer.headers, server)
                pieces = answer.aiter_raw()
                while not reader.is_done:
                    async with asyncio.timeout_at(ends):  # not around what is yielded: that is the reader's time
                        piece = await anext(pieces, b"")
                    if not piece:
                        break
                    for event in reader.feed(piece):
                        yield event
            reader.end()
        except TimeoutError:
            raise protocol.too_slow(server) from None
        except _BROKEN as error:
            raise protocol.unreachable(server, error) from error

    async def _once(self, call: Call[T]) -> Answer[T]:
        secret = self._secrets[call.signed_for] if call.signed_for is not None else None
        protocol.address(self.url)
        sent = protocol.headers(call, self._key, secret)
        kept = self._etags.find(call.path) if call.method == "GET" else None
        if kept is not None:
            sent["If-None-Match"] = kept.etag
        try:
            async with (
                asyncio.timeout(self._most_seconds),
                self._http.stream(call.method, self.url + call.path, content=call.body, headers=sent) as answer,
            ):
                content = await _content(answer, self.url)
        except TimeoutError:
            raise protocol.too_slow(self.url) from None
        except _BROKEN as error:
            raise protocol.unreachable(self.url, error) from error
        answered = answer.status_code, answer.headers, content
        return protocol.read_kept(call, kept, self._etags, answered, self.url)

    async def _renew_secret(self, call: Call[T]) -> bool:
        """Whether there is another secret now than the one that was given; that is asked once."""
        project_id = call.signed_for
        if project_id not in self._unproven or self._key is None:
            return False
        self._unproven.discard(project_id)
        before = self._secrets.pop(project_id)
        try:
            return await self.secret(project_id) != before
        except ApiError:
            self._secrets[project_id] = before
            return False


async def _content(answer: httpx.Response, server: str) -> bytes:
    """The bytes as they were sent, and not more of them than anything of ours is long."""
    pieces = bytearray()
    async for piece in answer.aiter_raw(65_536):
        pieces += piece
        if len(pieces) > protocol.MOST_BYTES:
            raise protocol.too_long(server)
    return bytes(pieces)
