"""POST requests over real TLS: only to the checked address, and with limits."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from loremark.ports.outbound.guard import Guard
from loremark.ports.outbound.sender import Answer, HttpsSender
from tests.servers.addresses import Names, refused_urls
from tests.servers.https import Authority, Receiver, Reply
from tests.support.processes import free_port

pytestmark = pytest.mark.anyio

_NONE: Mapping[str, str] = {}
_LOOPBACK = ("127.0.0.0/8", "::1/128")
_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"

Respond = Callable[[asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
def receiver(authority: Authority) -> Iterator[Receiver]:
    with Receiver(authority) as running:
        yield running


async def _post(authority: Authority, url: str, *, timeout_s: float = 10.0) -> Answer:
    [answer] = await _post_all(authority, _LOOPBACK, [url], timeout_s)
    return answer


async def _post_all(
    authority: Authority,
    allowed: tuple[str, ...],
    urls: list[str],
    timeout_s: float = 10.0,
    headers: Mapping[str, str] = _NONE,
) -> list[Answer]:
    guard = Guard(allowed)
    sender = HttpsSender(guard, ca_file=str(authority.ca_file), timeout_s=timeout_s)
    try:
        return [await sender.post(url, b'{"a": 1}', headers) for url in urls]
    finally:
        await sender.close()
        await guard.close()


async def _post_to(authority: Authority, respond: Respond, *, timeout_s: float = 5.0) -> Answer:
    """Post to a server that reads the request and then responds with this function."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.readuntil(b'{"a": 1}')
            await respond(writer)
        writer.transport.abort()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=authority.server_context()) as server:
        port = server.sockets[0].getsockname()[1]
        return await _post(authority, f"https://127.0.0.1:{port}/", timeout_s=timeout_s)


async def test_connects_to_the_checked_address_with_the_original_host_name(
    authority: Authority, receiver: Receiver, names: Names
) -> None:
    names.set("hooks.example.com", "127.0.0.1")
    url = receiver.url("/in?key=1&x", host="hooks.example.com")
    headers = {"Content-Type": "application/json", "webhook-id": "evt_1"}
    [answer] = await _post_all(authority, _LOOPBACK, [url], headers=headers)
    assert answer == Answer(200)
    assert answer.succeeded
    [request] = receiver.requests()
    assert (request.path, request.body, request.server_name) == ("/in?key=1&x", b'{"a": 1}', "hooks.example.com")
    assert request.headers["host"] == f"hooks.example.com:{receiver.port}"
    assert (request.headers["content-type"], request.headers["webhook-id"]) == ("application/json", "evt_1")
    assert names.query_count("hooks.example.com") == 2, (
        "one query per address family, because another lookup could return other addresses"
    )


async def test_ipv6_host_header_has_brackets(authority: Authority) -> None:
    with Receiver(authority, "::1") as receiver:
        assert await _post(authority, receiver.url("/six", host="[::1]")) == Answer(200)
        assert receiver.requests("/six")[0].headers["host"] == f"[::1]:{receiver.port}"


async def test_no_notation_reaches_a_private_address(authority: Authority, receiver: Receiver, names: Names) -> None:
    urls = refused_urls(receiver.port)
    for url, answer in zip(urls, await _post_all(authority, (), urls), strict=True):
        assert answer.status is None, url
        assert (answer.error or "").startswith("url "), url
    assert receiver.connections == 0


async def test_unresolved_name_is_an_ordinary_failure(authority: Authority, names: Names) -> None:
    names.set("later.example.com")
    assert await _post(authority, "https://later.example.com/") == Answer(None, "the host name cannot be resolved")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirect_is_a_failure_and_not_followed(
    status: int, authority: Authority, receiver: Receiver, names: Names
) -> None:
    with Receiver(authority) as inside:
        receiver.always("/", Reply(status, {"Location": inside.url("/secret")}))
        answer = await _post(authority, receiver.url())
        assert answer == Answer(status, "redirects are not followed")
        assert not answer.succeeded
        assert inside.connections == 0


@pytest.mark.parametrize("status", [204, 299, 304, 400, 404, 410, 429, 500, 503])
async def test_only_2xx_is_a_success(status: int, authority: Authority, receiver: Receiver) -> None:
    receiver.always("/", Reply(status))
    answer = await _post(authority, receiver.url())
    assert answer.status == status
    assert answer.succeeded == (200 <= status < 300)
    assert (answer.error is None) == answer.succeeded


async def test_proxy_environment_variables_are_ignored(
    authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.setblocking(False)
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        monkeypatch.setenv("NO_PROXY", "")
        monkeypatch.setenv("no_proxy", "")
        assert await _post(authority, receiver.url(), timeout_s=3) == Answer(200)
        with pytest.raises(BlockingIOError):
            proxy.accept()


async def test_silent_receiver_times_out(authority: Authority, receiver: Receiver) -> None:
    receiver.always("/", Reply(gate=threading.Event()))
    assert await _post(authority, receiver.url(), timeout_s=0.4) == Answer(None, "no response within 0.4 seconds")
    assert len(receiver.requests()) == 1


async def test_received_status_decides_whatever_follows(authority: Authority) -> None:
    async def trickle(writer: asyncio.StreamWriter) -> None:
        writer.write(_OK)
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.05)

    async def stop_short(writer: asyncio.StreamWriter) -> None:
        writer.write(_OK + b"some")
        await writer.drain()

    async def stall(writer: asyncio.StreamWriter) -> None:
        writer.write(_OK)
        await asyncio.sleep(10)

    async def send_a_broken_chunk(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n")
        await writer.drain()

    assert await _post_to(authority, trickle, timeout_s=0.6) == Answer(200)
    assert await _post_to(authority, stall, timeout_s=0.6) == Answer(200)
    assert await _post_to(authority, stop_short) == Answer(200)
    assert await _post_to(authority, send_a_broken_chunk) == Answer(202)

    async def stop_short_of_a_failure(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 500 Oh no\r\nContent-Length: 9\r\n\r\n")
        await writer.drain()

    assert await _post_to(authority, stop_short_of_a_failure) == Answer(500, "responded with status 500")


async def test_invalid_responses_are_never_quoted(authority: Authority) -> None:
    async def send_nonsense(writer: asyncio.StreamWriter) -> None:
        writer.write(b"secret nonsense " * 6_000 + b"\r\n\r\n")
        await writer.drain()

    async def send_a_long_head(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n" + b"a: secret\r\n" * 20_000)
        await writer.drain()

    async def send_half_a_status_line(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 O")
        await writer.drain()

    async def hang_up(writer: asyncio.StreamWriter) -> None:
        writer.close()

    assert await _post_to(authority, send_nonsense) == Answer(None, "the response is not valid HTTP")
    assert await _post_to(authority, send_a_long_head) == Answer(None, "the response is not valid HTTP")
    assert await _post_to(authority, send_half_a_status_line) == Answer(None, "the connection was lost")
    assert await _post_to(authority, hang_up) == Answer(None, "the connection was lost")


async def test_next_address_is_tried_when_connecting_fails(authority: Authority, names: Names) -> None:
    with Receiver(authority, "::1") as receiver:
        url = receiver.url(host="hooks.example.com")
        names.set("hooks.example.com", "127.0.0.1", "::1")
        assert await _post(authority, url) == Answer(200)
        assert receiver.requests()[0].server_name == "hooks.example.com"
        names.set("hooks.example.com", *(f"127.0.0.{number}" for number in range(1, 9)))
        assert await _post(authority, url) == Answer(None, "could not connect")
        assert receiver.connections == 1


async def test_delivered_request_is_not_sent_to_the_next_address(
    authority: Authority, receiver: Receiver, names: Names
) -> None:
    """It may have been processed already; retries are up to the delivery schedule."""
    with Receiver(authority, "::1", port=receiver.port) as other:
        names.set("hooks.example.com", "127.0.0.1", "::1")
        receiver.always("/", Reply(gate=threading.Event()))
        answer = await _post(authority, receiver.url(host="hooks.example.com"), timeout_s=3.5)
        assert answer == Answer(None, "no response within 3.5 seconds")
        assert (receiver.connections, other.connections) == (1, 0)


async def test_long_response_is_not_read_to_its_end(authority: Authority) -> None:

    async def respond(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
        while True:
            writer.write(b"x" * 65_536)
            await writer.drain()

    assert await _post_to(authority, respond) == Answer(200)


async def test_refused_connection_is_an_ordinary_failure(authority: Authority) -> None:
    answer = await _post(authority, f"https://127.0.0.1:{free_port()}/")
    assert answer == Answer(None, "could not connect")
    assert not answer.succeeded


async def test_certificate_must_match_the_name_and_be_trusted(
    authority: Authority, receiver: Receiver, names: Names, tmp_path: Path
) -> None:
    wrong_name = await _post(authority, receiver.url(host="loopback.example.com"))
    untrusted = await _post(Authority(tmp_path), receiver.url())
    assert wrong_name == Answer(None, "the certificate is not valid for the host name")
    assert untrusted == Answer(None, "the certificate is not trusted")
    assert receiver.connections == 2
    assert receiver.requests() == []


@pytest.mark.parametrize("path", ["/é€?ü=ß", "/%zz%", "//twice//", "/a;b=c|d^`{}", "/..%2f../x", "/?a=[b]#c"])
async def test_any_path_that_can_be_saved_can_be_called(path: str, authority: Authority, receiver: Receiver) -> None:
    assert await _post(authority, receiver.url(path)) == Answer(200)
    [request] = receiver.requests()
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
