"""Servers that are busy, broken or hostile: both clients end in time, and do nothing twice that must be done once."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from loremark.base import clock, signing
from loremark.client import answering, protocol
from loremark.client.call import ApiError, Call
from loremark.client.calls.events import send_event
from loremark.client.calls.hygiene import analyze
from loremark.client.calls.identity import get_me
from loremark.client.calls.items import delete_item, get_item, list_items
from loremark.client.calls.keys import create_key
from loremark.wire.answers import Ticket
from tests.client.either import Either
from tests.client.scripted import Reply, Scripted, hangs_up, says, writes

Connect = Callable[..., Either]
RAW: Call[Any] = Call(method="GET", path="/raw", answer=bytes)
KEY = b'{"id": "key_1", "name": "n", "key": "k", "createdAt": "now"}'
FINE = says(200, b"fine")


def _refused(client: Either, call: Call[Any] = RAW) -> ApiError:
    with pytest.raises(ApiError) as refused:
        client.answer(call)
    return refused.value


def test_a_busy_server_is_waited_for_as_long_as_it_says(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    script.replies = [says(429, b'{"error": "slow"}', "Retry-After: 1"), says(503, b"<html>"), says(200, KEY)]
    started = time.monotonic()
    assert client.answer(create_key("n")).value.key == "k"
    assert time.monotonic() - started >= 1.0
    assert len(script.requests) == 3, "nothing was done, so even what must be done once is asked again"
    script.replies = [says(503, b'{"error": "Worker not configured"}', "Retry-After: 60")]
    error = _refused(client)
    assert (error.status, str(error), len(script.requests)) == (503, "Worker not configured", 4)
    script.replies = [says(503, b"", f"Retry-After: {clock.rfc2822(clock.now_ms() + clock.HOUR_MS)}")]
    assert (_refused(client).status, len(script.requests)) == (503, 5)
    script.replies = [says(429, b"", "Retry-After: 0")]
    assert (_refused(client).status, len(script.requests)) == (429, 5 + protocol.ATTEMPTS)


def test_after_a_broken_line_only_what_may_repeat_is_repeated(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key", {"prj_1": "secret"})
    script.replies = [hangs_up(), writes(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal"), FINE]
    assert client.answer(RAW).value == b"fine"
    assert len(script.requests) == 3
    never_twice: list[Call[Any]] = [create_key("n"), delete_item("itm_1"), analyze("prj_1")]
    for call in never_twice:
        before = len(script.requests)
        script.replies = [hangs_up()]
        assert _refused(client, call).status == 0
        assert len(script.requests) == before + 1, call.path
    script.replies = [hangs_up(), says(202, b'{"eventId": "evt_1", "sessionId": "ses_1"}')]
    assert client.answer(send_event("prj_1", "session_save", {"summary": "x"})).value.event_id == "evt_1"
    one, two = script.requests[-2:]
    assert one.body == two.body, "the same event, which the server knows again"
    sent = two.headers
    signed = signing.sign_request("secret", sent["x-service-timestamp"], two.body)
    assert (sent["x-service-signature"], sent["x-service-project"]) == (signed, "prj_1")


def test_a_connection_that_the_server_has_left_is_not_used_again(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    script.replies = [says(200, KEY, close=True)]
    for _ in range(3):
        assert client.answer(create_key("n")).value.key == "k"
        time.sleep(0.05)
    assert len(script.requests) == 3


def test_what_has_not_changed_is_not_sent_again(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    script.replies = [says(200, b"long", 'ETag: "one"'), says(304), says(200, b"other", 'ETag: "two"'), says(304)]
    read = [client.answer(RAW) for _ in range(4)]
    assert [(each.value, each.etag) for each in read] == [
        (b"long", '"one"'),
        (b"long", '"one"'),
        (b"other", '"two"'),
        (b"other", '"two"'),
    ]
    assert [request.headers.get("if-none-match") for request in script.requests] == [None, '"one"', '"one"', '"two"']
    other = connect(script.url, "key")
    script.replies = [says(200, b"odd", "ETag: \x01\x7f"), says(200, b"odd")]
    assert [other.answer(RAW).etag for _ in range(2)] == [None, None]
    assert "if-none-match" not in script.requests[-1].headers


DEEP = b"[" * 100_000
HOSTILE: dict[str, Reply] = {
    "not JSON": says(200, b"<h1>It works!</h1>"),
    "another shape": says(200, b'{"id": 5}'),
    "no text": says(200, b'{"id": "\xff\xfe"}'),
    "deep": says(200, DEEP),
    "nothing": says(200),
    "a turn to another server": says(302, b"", "Location: http://127.0.0.1:9/"),
    "a strange refusal": says(400, b'{"error": {"deep": 1}}'),
    "an endless refusal": says(400, b'{"error": "%s"}' % (b"x" * 2_000_000)),
    "no HTTP": writes(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "a bad length": writes(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nfive"),
    "headers without end": writes(b"HTTP/1.1 200 OK\r\n", *[b"X: %s\r\n" % (b"y" * 1000)] * 500),
    "half a chunk": writes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nabc"),
    "packed": writes(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"),
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_an_answer_that_is_none_is_told_in_one_line(script: Scripted, connect: Connect, reply: Reply) -> None:
    script.replies = [reply]
    error = _refused(connect(script.url, "key", seconds=2.0), get_item("itm_1"))
    assert 0 < len(str(error)) <= 1_000
    assert all(request.headers["authorization"] == "Bearer key" for request in script.requests)


def test_what_never_ends_is_ended(script: Scripted, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MOST_BYTES", 300_000)
    monkeypatch.setattr(protocol, "PATIENCE", 1)
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    script.replies = [writes(head, *[b"x" * 65_536] * 100)]
    assert "too long" in str(_refused(connect(script.url, "key")))

    once: Call[Any] = Call(method="POST", path="/once", answer=bytes)
    for silent in (writes(b"", pause_s=3), writes(b"H", *[b"T"] * 100, pause_s=0.03), writes(head, b"x", pause_s=3)):
        script.replies = [silent]
        started = time.monotonic()
        assert _refused(connect(script.url, "key", seconds=0.3), once).status == 0
        assert time.monotonic() - started < 2.5
    script.replies = [writes(head, *[b"x"] * 300, pause_s=0.03)]
    assert "takes too long" in str(_refused(connect(script.url, "key", seconds=0.3), once))


def test_pages(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    call: Call[list[int]] = Call(method="GET", path="/numbers?of=us", answer=list[int])
    script.replies = [
        says(200, b"[1,2]", "X-Next-Cursor: a&b"),
        says(200, b"[]", "X-Next-Cursor: c"),
        says(200, b"[3]"),
    ]
    assert client.every(call) == [1, 2, 3]
    assert [request.path for request in script.requests] == [
        "/numbers?of=us",
        "/numbers?of=us&cursor=a%26b",
        "/numbers?of=us&cursor=c",
    ]
    script.replies = [says(200, b"[1]", "X-Next-Cursor: again")]
    with pytest.raises(ApiError, match="does not end"):
        client.every(call)


def test_names_stay_names(script: Scripted, connect: Connect) -> None:
    client = connect(script.url, "key")
    script.replies = [says(404, b'{"error": "Item not found"}')]
    for name in ("..", ".", "", "a/../b", "x?y=1#z", "\udcff", "é %2e"):
        assert _refused(client, get_item(name)).status == 404
    paths = [request.path for request in script.requests]
    assert all(path.count("/") == 4 and path.startswith("/api/v2/items/") and "?" not in path for path in paths), paths
    script.replies = [says(200, b"[]")]
    assert client.answer(list_items(branch="\udcff&status=draft")).value == []
    assert script.requests[-1].path == "/api/v2/items?branch=%3F%26status%3Ddraft"
    script.replies = [says(200, KEY)]
    client.answer(create_key("half \ud800 a pair"))
    assert msgspec.json.decode(script.requests[-1].body) == {"name": "half ? a pair"}


@pytest.mark.parametrize("url", ["", "nowhere", "ftp://127.0.0.1", "http://[", "http://127.0.0.1:99999", "http://a..b"])
def test_what_is_no_address_is_one_error(connect: Connect, url: str) -> None:
    assert _refused(connect(url, "key"), get_me()).status == 0


def test_a_key_that_is_none_is_never_sent(script: Scripted, connect: Connect) -> None:
    script.replies = [FINE]
    for key in ("a\r\nX-Evil: 1", "schlüssel"):
        assert _refused(connect(script.url, key)).status == 401
    assert script.requests == []


def test_a_stream_that_is_none(script: Scripted, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "_MOST_LINE", 100_000)
    client, ticket = connect(script.url, "key"), Ticket(ticket="t", worker_url=script.url)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    token = b'data: {"type":"token","content":"a"}\n\n'
    done = (
        b'data: {"type":"done","answer":"a","sources":[],"avgSimilarity":0,"usage":{},"model":"m","embedUsage":{}}\n\n'
    )
    odd = b': alive\nevent: x\ndata: {"type":"new"}\n\n'
    script.replies = [writes(head, odd, token[:10], token[10:], done, token, pause_s=0.01)]
    assert [event.type for event in client.stream(ticket)] == ["token", "done"]
    assert "authorization" not in script.requests[-1].headers, "the worker has no need of the key"
    for reply, told in (
        (writes(head, token), "broke off"),
        (writes(head, b"data: {nonsense\n"), "not a stream"),
        (writes(head, b"data: " + b"x" * 200_000), "not a stream"),
        (says(401, b'{"error": "Invalid or expired ticket"}'), "Invalid or expired ticket"),
        (hangs_up(), "cannot be reached"),
    ):
        script.replies = [reply]
        with pytest.raises(ApiError, match=told):
            client.stream(ticket)
    with pytest.raises(ApiError):
        client.stream(Ticket(ticket="t", worker_url="file:///etc/passwd"))
