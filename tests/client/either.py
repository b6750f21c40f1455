"""A common interface for both clients, so tests can run with each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any, Protocol, TypeVar

from loremark.client.async_client import AsyncClient
from loremark.client.call import Call, Response
from loremark.client.client import Client
from loremark.wire.answers import AnswerDone, AnswerToken, Ticket

T = TypeVar("T")
Events = list[AnswerToken | AnswerDone]


class Either(Protocol):
    def request(self, call: Call[T]) -> Response[T]: ...
    def paginate(self, call: Call[list[T]]) -> list[T]: ...
    def ask(self, project_id: str, question: str) -> Events: ...
    def stream(self, ticket: Ticket) -> Events: ...
    def close(self) -> None: ...


class Sync:
    def __init__(self, url: str, key: str | None, secrets: Mapping[str, str] | None = None, **options: Any) -> None:
        self._client = Client(url, key, secrets, **options)

    def request(self, call: Call[T]) -> Response[T]:
        return self._client.request(call)

    def paginate(self, call: Call[list[T]]) -> list[T]:
        return list(self._client.paginate(call))

    def ask(self, project_id: str, question: str) -> Events:
        return list(self._client.ask(project_id, question))

    def stream(self, ticket: Ticket) -> Events:
        return list(self._client.stream_answer(ticket, "why?"))

    def close(self) -> None:
        self._client.close()


class Async:
    def __init__(self, url: str, key: str | None, secrets: Mapping[str, str] | None = None, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self._client = self._runner.run(self._create(url, key, secrets, options))

    async def _create(
        self, url: str, key: str | None, secrets: Mapping[str, str] | None, options: dict[str, Any]
    ) -> AsyncClient:
        return AsyncClient(url, key, secrets, **options)

    def request(self, call: Call[T]) -> Response[T]:
        return self._runner.run(self._client.request(call))

    def paginate(self, call: Call[list[T]]) -> list[T]:
        async def collect() -> list[T]:
            return [entry async for entry in self._client.paginate(call)]

        return self._runner.run(collect())

    def ask(self, project_id: str, question: str) -> Events:
        return self._collect(self._client.ask(project_id, question))

    def stream(self, ticket: Ticket) -> Events:
        return self._collect(self._client.stream_answer(ticket, "why?"))

    def _collect(self, events: Any) -> Events:
        async def collect() -> Events:
            async with aclosing(events):
                return [event async for event in events]

        return self._runner.run(collect())

    def close(self) -> None:
        self._runner.run(self._client.__aexit__(None, None, None))
        self._runner.close()


KINDS: dict[str, Callable[..., Either]] = {"sync": Sync, "async": Async}
