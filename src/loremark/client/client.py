"""The client for programs that wait: standard library HTTP, because a command must start quickly."""

from __future__ import annotations

import http.client
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Self, TypeVar

from loremark.base import clock
from loremark.client import answering, protocol
from loremark.client.call import Answer, ApiError, Call, next_page
from loremark.client.calls.ask import answer_at, open_ask
from loremark.client.calls.projects import get_hmac_secret
from loremark.client.etags import Etags
from loremark.client.line import Line
from loremark.wire.answers import AnswerDone, AnswerToken, Ticket

T = TypeVar("T")

_BROKEN = (OSError, http.client.HTTPException, ValueError)


class Client:
    """One connection to one server, with one key and the secrets of its projects."""

    def __init__(
        self, url: str, key: str | None, secrets: Mapping[str, str] | None = None, seconds: float = protocol.SECONDS
    ) -> None:
        self.url = url.rstrip("/")
        self._key = key
        self._secrets = dict(secrets or {})
        self._unproven = set(self._secrets)
        self._etags = Etags()
        self._line = Line(self.url, seconds, seconds * protocol.PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._line.close()

    def send(self, call: Call[T]) -> T:
        """Do it; a busy server is waited for, a broken line tried again where that is safe."""
        return self.answer(call).value

    def answer(self, call: Call[T]) -> Answer[T]:
        """The same, with what the answer's head tells."""
        if call.signed_for is not None:  # here, so that it is not tried again for each attempt
            self.secret(call.signed_for)
        attempt = 1
        while True:
            try:
                return self._once(call)
            except ApiError as error:
                if error.status == 401 and self._renew_secret(call):
                    continue
                pause = protocol.pause_s(call, error, attempt)
                if pause is None:
                    raise
                attempt += 1
                clock.pause(pause)

    def every(self, call: Call[list[T]]) -> Iterator[T]:
        """All entries of a list, page by page as they are wanted."""
        page = self.answer(call)
        yield from page.value
        seen: set[str] = set()
        while (cursor := protocol.go_on(seen, page.next_cursor, self.url)) is not None:
            page = self.answer(next_page(call, cursor))
            yield from page.value

    def secret(self, project_id: str) -> str:
        """The secret that signs for a project: as given, else asked for once."""
        if project_id not in self._secrets:
            self._secrets[project_id] = self.send(get_hmac_secret(project_id)).secret
        return self._secrets[project_id]

    def ask(
        self, project_id: str, question: str, chat_session_id: str | None = None
    ) -> Iterator[AnswerToken | AnswerDone]:
        """The answer to a question as it is being written: tokens, then what it rests on."""
        yield from self.stream_answer(self.send(open_ask(project_id, question, chat_session_id)), question)

    def stream_answer(self, ticket: Ticket, question: str) -> Iterator[AnswerToken | AnswerDone]:
        """The same for a ticket that one has already."""
        call, server = answer_at(ticket, question), ticket.worker_url.rstrip("/")
        reader = answering.Reader()
        line = Line(server, answering.SILENT_SECONDS, answering.SECONDS)
        try:
            with line.exchange(call, protocol.headers(call, None, None)) as answer:
                if answer.status != 200:
                    content = answer.read(protocol.MOST_BYTES)
                    protocol.read(call, answer.status, content, line.told(answer), server)
                while not reader.is_done and (piece := answer.read1(65_536)):
                    yield from reader.feed(piece)
            reader.end()
        except _BROKEN as error:
            raise line.failure(error) from error
        finally:
            line.close()

    def _once(self, call: Call[T]) -> Answer[T]:
        secret = self._secrets[call.signed_for] if call.signed_for is not None else None
        sent = protocol.headers(call, self._key, secret)
        kept = self._etags.find(call.path) if call.method == "GET" else None
        if kept is not None:
            sent["If-None-Match"] = kept.etag
        try:
            with self._line.exchange(call, sent) as answer:
                content = answer.read(protocol.MOST_BYTES + 1)
                if answer.length and len(content) <= protocol.MOST_BYTES:  # the library says nothing of it
                    raise http.client.IncompleteRead(content, answer.length)
        except _BROKEN as error:
            raise self._line.failure(error) from error
        if len(content) > protocol.MOST_BYTES:
            raise protocol.too_long(self.url)
        answered = answer.status, self._line.told(answer), content
        return protocol.read_kept(call, kept, self._etags, answered, self.url)

    def _renew_secret(self, call: Call[T]) -> bool:
        """Whether there is another secret now than the one that was given; that is asked once."""
        project_id = call.signed_for
        if project_id not in self._unproven or self._key is None:
            return False
        self._unproven.discard(project_id)
        before = self._secrets.pop(project_id)
        try:
            return self.secret(project_id) != before
        except ApiError:
            self._secrets[project_id] = before
            return False
