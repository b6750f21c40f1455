"""Busy, broken and hostile servers: timeouts, limits and safe retries."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from loremark.base import clock, signing
from loremark.client import answer_stream, protocol
from loremark.client.call import ApiError, Call
from loremark.client.calls.events import send_signed_event
from loremark.client.calls.hygiene import analyze
from loremark.client.calls.identity import get_me
from loremark.client.calls.items import delete_item, get_item, list_items
from loremark.client.calls.keys import create_key
from loremark.wire.answers import Ticket
from tests.client.either import Either
from tests.client.scripted import Reply, Scripted, hangs_up, says, writes

Connect = Callable[..., Either]
RAW: Call[Any] = Call(method="GET", path="/raw", response_type=bytes)
KEY = b'{"id": "key_1", "name": "n", "key": "k", "createdAt": "now"}'
FINE = says(200, b"fine")


def _get_error(client: Either, call: Call[Any] = RAW) -> ApiError:
    with pytest.raises(ApiError) as caught:
        client.request(call)
    return caught.value


def test_busy_server_is_retried_after_its_delay(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    script.replies = [says(429, b'{"error": "slow"}', "Retry-After: 1"), says(503, b"<html>"), says(200, KEY)]
    started = time.monotonic()
    assert client.request(create_key("n")).value.key == "k"
    assert time.monotonic() - started >= 1.0
    assert len(script.requests) == 3, "a busy server has done nothing, so any call is retried"
    script.replies = [says(503, b'{"error": "Worker not configured"}', "Retry-After: 60")]
    error = _get_error(client)
    assert (error.status, str(error), len(script.requests)) == (503, "Worker not configured", 4)
    script.replies = [says(503, b"", f"Retry-After: {clock.rfc2822(clock.now_ms() + clock.HOUR_MS)}")]
    assert (_get_error(client).status, len(script.requests)) == (503, 5)
    script.replies = [says(429, b"", "Retry-After: 0")]
    assert (_get_error(client).status, len(script.requests)) == (429, 5 + protocol.ATTEMPTS)


def test_only_idempotent_calls_are_retried_after_network_errors(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key", {"prj_1": "secret"})
    script.replies = [hangs_up(), writes(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal"), FINE]
    assert client.request(RAW).value == b"fine"
    assert len(script.requests) == 3
    never_twice: list[Call[Any]] = [create_key("n"), delete_item("itm_1"), analyze("prj_1")]
    for call in never_twice:
        before = len(script.requests)
        script.replies = [hangs_up()]
        assert _get_error(client, call).status == 0
        assert len(script.requests) == before + 1, call.path
    script.replies = [hangs_up(), says(202, b'{"eventId": "evt_1", "sessionId": "ses_1"}')]
    assert client.request(send_signed_event("prj_1", "session_save", {"summary": "x"})).value.event_id == "evt_1"
    one, two = script.requests[-2:]
    assert one.body == two.body, "the same event, so the server can deduplicate it"
    sent = two.headers
    signed = signing.sign_request("secret", sent["x-service-timestamp"], two.body)
    assert (sent["x-service-signature"], sent["x-service-project"]) == (signed, "prj_1")


def test_closed_connection_is_not_reused(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    script.replies = [says(200, KEY, close=True)]
    for _ in range(3):
        assert client.request(create_key("n")).value.key == "k"
        time.sleep(0.05)
    assert len(script.requests) == 3


def test_etags(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    script.replies = [says(200, b"long", 'ETag: "one"'), says(304), says(200, b"other", 'ETag: "two"'), says(304)]
    read = [client.request(RAW) for _ in range(4)]
    assert [(each.value, each.etag) for each in read] == [
        (b"long", '"one"'),
        (b"long", '"one"'),
        (b"other", '"two"'),
        (b"other", '"two"'),
    ]
    assert [request.headers.get("if-none-match") for request in script.requests] == [None, '"one"', '"one"', '"two"']
    other = connect(script.url, "key")
    script.replies = [says(200, b"odd", "ETag: \x01\x7f"), says(200, b"odd")]
    assert [other.request(RAW).etag for _ in range(2)] == [None, None]
    assert "if-none-match" not in script.requests[-1].headers


DEEP = b"[" * 100_000
HOSTILE: dict[str, Reply] = {
    "not JSON": says(200, b"<h1>It works!</h1>"),
    "unexpected fields": says(200, b'{"id": 5}'),
    "invalid UTF-8": says(200, b'{"id": "\xff\xfe"}'),
    "deep": says(200, DEEP),
    "empty": says(200),
    "redirect to another server": says(302, b"", "Location: http://127.0.0.1:9/"),
    "strange error body": says(400, b'{"error": {"deep": 1}}'),
    "huge error body": says(400, b'{"error": "%s"}' % (b"x" * 2_000_000)),
    "not HTTP": writes(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "a bad length": writes(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nfive"),
    "endless headers": writes(b"HTTP/1.1 200 OK\r\n", *[b"X: %s\r\n" % (b"y" * 1000)] * 500),
    "half a chunk": writes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nabc"),
    "compressed": writes(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"),
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_invalid_responses(script: Scripted, connect: Connect, reply: Reply) -> None:
    script.replies = [reply]
    error = _get_error(connect(script.url, "key", timeout_s=2.0), get_item("itm_1"))
    assert 0 < len(str(error)) <= 1_000
    assert all(request.headers["authorization"] == "Bearer key" for request in script.requests)


def test_timeouts_and_size_limit(script: Scripted, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_RESPONSE_BYTES", 300_000)
    monkeypatch.setattr(protocol, "TOTAL_TIMEOUT_FACTOR", 1)
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    script.replies = [writes(head, *[b"x" * 65_536] * 100)]
    assert "too large" in str(_get_error(connect(script.url, "key")))

    once: Call[Any] = Call(method="POST", path="/once", response_type=bytes)
    for silent in (writes(b"", pause_s=3), writes(b"H", *[b"T"] * 100, pause_s=0.03), writes(head, b"x", pause_s=3)):
        script.replies = [silent]
        assert _get_error(connect(script.url, "key", timeout_s=0.3), once).status == 0
    script.replies = [writes(head, *[b"x"] * 300, pause_s=0.03)]
    assert "took too long" in str(_get_error(connect(script.url, "key", timeout_s=0.3), once))


def test_pagination(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    call: Call[list[int]] = Call(method="GET", path="/numbers?of=us", response_type=list[int])
    script.replies = [
        says(200, b"[1,2]", "X-Next-Cursor: a&b"),
        says(200, b"[]", "X-Next-Cursor: c"),
        says(200, b"[3]"),
    ]
    assert client.paginate(call) == [1, 2, 3]
    assert [request.path for request in script.requests] == [
        "/numbers?of=us",
        "/numbers?of=us&cursor=a%26b",
        "/numbers?of=us&cursor=c",
    ]
    script.replies = [says(200, b"[1]", "X-Next-Cursor: again")]
    with pytest.raises(ApiError, match="endless list"):
        client.paginate(call)


def test_path_segments_are_escaped(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    script.replies = [says(404, b'{"error": "Item not found"}')]
    for name in ("..", ".", "", "a/../b", "x?y=1#z", "\udcff", "é %2e"):
        assert _get_error(client, get_item(name)).status == 404
    paths = [request.path for request in script.requests]
    assert all(path.count("/") == 4 and path.startswith("/api/v2/items/") and "?" not in path for path in paths), paths
    script.replies = [says(200, b"[]")]
    assert client.request(list_items(branch="\udcff&status=draft")).value == []
    assert script.requests[-1].path == "/api/v2/items?branch=%3F%26status%3Ddraft"
    script.replies = [says(200, KEY)]
    client.request(create_key("half \ud800 a pair"))
    assert msgspec.json.decode(script.requests[-1].body) == {"name": "half ? a pair"}


@pytest.mark.parametrize("url", ["", "nowhere", "ftp://127.0.0.1", "http://[", "http://127.0.0.1:99999", "http://a..b"])
def test_invalid_url(connect: Connect, url: str) -> None:
    assert _get_error(connect(url, "key"), get_me()).status == 0


def test_invalid_key_is_never_sent(script: Scripted, connect: Connect) -> None:
    script.replies = [FINE]
    for key in ("a\r\nX-Evil: 1", "schlüssel"):
        assert _get_error(connect(script.url, key)).status == 401
    assert script.requests == []


def test_invalid_answer_streams(script: Scripted, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_stream, "_MAX_LINE_BYTES", 100_000)
    client, ticket = connect(script.url, "key"), Ticket(ticket="t", worker_url=script.url)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    token = b'data: {"type":"token","content":"a"}\n\n'
    done = (
        b'data: {"type":"done","answer":"a","sources":[],"avgSimilarity":0,"usage":{},"model":"m","embedUsage":{}}\n\n'
    )
    unknown_event = b': alive\nevent: x\ndata: {"type":"new"}\n\n'
    script.replies = [writes(head, unknown_event, token[:10], token[10:], done, token, pause_s=0.01)]
    assert [event.type for event in client.stream(ticket)] == ["token", "done"]
    assert "authorization" not in script.requests[-1].headers, "the worker gets no key"
    for reply, message in (
        (writes(head, token), "cut off"),
        (writes(head, b"data: {nonsense\n"), "not an event stream"),
        (writes(head, b"data: " + b"x" * 200_000), "not an event stream"),
        (says(401, b'{"error": "Invalid or expired ticket"}'), "Invalid or expired ticket"),
        (hangs_up(), "cannot reach"),
    ):
        script.replies = [reply]
        with pytest.raises(ApiError, match=message):
            client.stream(ticket)
    with pytest.raises(ApiError):
        client.stream(Ticket(ticket="t", worker_url="file:///etc/passwd"))
