"""Answer streams over real sockets, from the API and from a separate worker."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from loremark.base import limits
from tests.features.ask_client import (
    QUESTION,
    AnswerServer,
    StreamedAnswer,
    messages,
    open_stream,
    open_streams,
    project_with_facts,
    read_stream,
    reserved,
    run_answer_server,
    settings_with,
    ticket_for,
    used,
)
from tests.features.memory_project import Memory
from tests.servers.scripted_model import Hang, Say, ScriptedModel
from tests.support.people import Person
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

LONG = "The payment worker retries a failed charge three times [1]. " * 40


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
async def service(model: ScriptedModel, database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with run_service(settings_for(tmp_path, database_url, **settings_with(model))) as running:
        yield running


@pytest.fixture(params=("mounted", "separate"))
async def answer_server(
    service: Service, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[AnswerServer]:
    async with run_answer_server(request.param, service, tmp_path) as running:
        yield running


@pytest.fixture
async def memory(service: Service) -> Memory:
    return await project_with_facts(service)


async def _wait_until(condition: Callable[[], Awaitable[bool]], seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.02)


async def _ticket(memory: Memory) -> str:
    return str((await ticket_for(memory.owner, memory.tool.project_id))["ticket"])


async def test_chunks_are_streamed_as_they_are_produced(
    memory: Memory, answer_server: AnswerServer, model: ScriptedModel
) -> None:
    """While a ticket is being answered, it cannot be used again."""
    gate = threading.Event()
    model.always(Say("The worker retries three times [1].", gate=gate))
    ticket, streamed = await _ticket(memory), StreamedAnswer(200)
    async with open_stream(answer_server.http, answer_server.url, ticket, QUESTION) as answer:
        lines = answer.aiter_lines()
        async for line in lines:
            streamed.add_line(line)
            if streamed.tokens:
                break
        assert streamed.text == "The w"
        second = await answer_server.ask(ticket)
        assert (second.status, second.content_type) == (429, "application/json")
        gate.set()
        async for line in lines:
            streamed.add_line(line)
    assert streamed.text == "The worker retries three times [1]."
    assert streamed.done["usage"] == {"promptTokens": 11, "completionTokens": 7, "totalTokens": 18}
    assert (await answer_server.ask(ticket)).status == 200


async def test_disconnect_stops_the_model(
    service: Service, memory: Memory, answer_server: AnswerServer, model: ScriptedModel
) -> None:
    """The partial answer is stored and charged once, and the ticket is released."""
    model.always(Say(LONG, each_s=0.02))
    ticket, streamed = await _ticket(memory), StreamedAnswer(200)
    async with open_stream(answer_server.http, answer_server.url, ticket, QUESTION) as answer:
        async for line in answer.aiter_lines():
            streamed.add_line(line)
            if len(streamed.tokens) > 3:
                break
    await asyncio.to_thread(model.wait_for_hang_up)
    await _wait_until(lambda: _no_open_streams(service))
    asked, answered = await messages(service)
    assert asked["content"] == QUESTION
    assert LONG.startswith(answered["content"])
    assert len(streamed.text) <= len(answered["content"]) < len(LONG)
    spent = answered["prompt_tokens"] + answered["completion_tokens"]
    assert spent > answered["completion_tokens"] > 0
    assert (await used(service))["ai_tokens"] == spent
    assert await reserved(service) == 0
    model.always(Say("Three times [1]."))
    assert (await answer_server.ask(ticket)).done["answer"].startswith("Three times")


@pytest.mark.parametrize("how", ["removed from the team", "removed from the project", "key revoked"])
async def test_a_stream_ends_when_its_caller_loses_access(
    service: Service, memory: Memory, answer_server: AnswerServer, model: ScriptedModel, how: str
) -> None:
    """Nothing more is sent; what was said until then is stored and charged."""
    if how == "key revoked" and not answer_server.url.endswith("/worker/ask") and service.settings.on_sqlite:
        pytest.skip("SQLite has no separate worker outside of tests; it would not hear of the key")
    model.always(Say(LONG, each_s=0.05))
    project, member = memory.tool.project_id, await service.join(memory.owner)
    added = await memory.owner.post(f"/api/projects/{project}/members", {"email": member.email, "role": "member"})
    assert added.status_code == 201, added.text
    ticket, streamed, ended = (await ticket_for(member, project))["ticket"], StreamedAnswer(200), None
    async with open_stream(answer_server.http, answer_server.url, ticket, QUESTION) as answer:
        async for line in answer.aiter_lines():
            streamed.add_line(line)
            if ended is None and streamed.tokens:
                ended = await _end_access(memory, member, how)
                assert ended.status_code == 204, ended.text
    assert [event["type"] for event in streamed.events if event["type"] != "token"] == []
    await _wait_until(lambda: _no_open_streams(service))
    _, answered = await messages(service)
    assert LONG.startswith(streamed.text)
    assert len(streamed.text) <= len(answered["content"]) < len(LONG)
    assert await reserved(service) == 0


async def _end_access(memory: Memory, member: Person, how: str) -> httpx.Response:
    if how == "removed from the team":
        return await memory.owner.delete(f"/api/team/{member.member_id}")
    if how == "removed from the project":
        path = f"/api/projects/{memory.tool.project_id}/members"
        return await memory.owner.call("DELETE", path, json={"userId": member.user_id})
    (key,) = (await member.get("/api/keys")).json()
    return await member.delete("/api/keys", {"keyId": key["id"]})


async def _no_open_streams(service: Service) -> bool:
    return await open_streams(service) == 0


async def test_slow_reader_neither_blocks_the_model_nor_loses_text(
    service: Service, memory: Memory, answer_server: AnswerServer, model: ScriptedModel
) -> None:
    """The answer is stored before the client reads on, and then arrives in fewer, larger chunks."""
    text = "".join(f"{number:06d} " for number in range(8_000))
    model.always(Say(text))
    body = json.dumps({"ticket": await _ticket(memory), "question": QUESTION}).encode()
    address = urlsplit(answer_server.url)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        await asyncio.to_thread(connection.connect, (address.hostname, address.port))
        head = f"POST {address.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        connection.sendall(
            head.encode() + f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )

        async def is_stored() -> bool:
            return len(await messages(service)) == 2

        await _wait_until(is_stored, 20.0)
        received = await asyncio.to_thread(lambda: b"".join(iter(lambda: connection.recv(65_536), b"")))
    streamed = StreamedAnswer(200)
    for line in _decode_chunked(received).decode().splitlines():
        streamed.add_line(line)
    assert streamed.text == text
    assert streamed.done["answer"].replace("\n", " ").split()[:100] == text.split()[:100]
    assert 1 < len(streamed.tokens) < len(text) / 5


def _decode_chunked(received: bytes) -> bytes:
    head, _, rest = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    parts: list[bytes] = []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        parts.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) + 2 :]
    return b"".join(parts)


async def _read_rest(streamed: StreamedAnswer, lines: AsyncIterator[str]) -> None:
    async for line in lines:
        streamed.add_line(line)


async def test_server_shutdown_stores_partial_answers(
    service: Service, memory: Memory, answer_server: AnswerServer, model: ScriptedModel
) -> None:
    model.always(Say(LONG, each_s=0.02))
    streamed = StreamedAnswer(200)
    async with open_stream(answer_server.http, answer_server.url, await _ticket(memory), QUESTION) as answer:
        lines = answer.aiter_lines()
        while len(streamed.tokens) < 4:
            streamed.add_line(await anext(lines))
        answer_server.stop.set()
        with pytest.raises(httpx.RemoteProtocolError):
            await _read_rest(streamed, lines)
    assert not [event for event in streamed.events if event["type"] == "done"]
    await _wait_until(lambda: _no_open_streams(service))
    _, answered = await messages(service)
    assert answered["content"].startswith(streamed.text)
    assert (await used(service))["ai_tokens"] == answered["prompt_tokens"] + answered["completion_tokens"]
    assert await reserved(service) == 0


async def test_concurrent_streams_are_all_answered(
    service: Service, memory: Memory, answer_server: AnswerServer
) -> None:
    """Each stream ends with its answer, both messages are stored and all tokens are counted."""
    tickets = [await _ticket(memory) for _ in range(20)]
    streamed = await asyncio.gather(*(answer_server.ask(ticket) for ticket in tickets))
    assert [one.status for one in streamed] == [200] * 20
    assert {one.done["answer"] for one in streamed} == {"all is well"}
    assert len(await messages(service)) == 40
    assert (await used(service))["ai_tokens"] == 20 * 18
    assert await open_streams(service) == 0


async def test_answer_times_out(
    service: Service, memory: Memory, answer_server: AnswerServer, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ANSWER_STREAM_MS", 700)
    model.always(Hang())
    streamed = await answer_server.ask(await _ticket(memory))
    assert streamed.done["error"] == "The answer took too long"
    assert "answer" not in streamed.done
    assert await reserved(service) == 0
    assert await _no_open_streams(service)


async def test_disconnect_before_the_first_token_leaves_nothing_behind(
    service: Service, memory: Memory, answer_server: AnswerServer, model: ScriptedModel
) -> None:
    model.always(Hang())
    with pytest.raises(TimeoutError):
        async with (
            asyncio.timeout(1.0),
            open_stream(answer_server.http, answer_server.url, await _ticket(memory), QUESTION) as answer,
        ):
            await read_stream(answer)
    await _wait_until(lambda: _no_open_streams(service))
    assert await messages(service) == []
    assert await reserved(service) == 0
