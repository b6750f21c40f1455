"""Bytes that are hardly HTTP, over a real server: refused or cut off at once, never acted upon, and no harm done."""

from __future__ import annotations

import json

import pytest

from loremark.base import ids
from tests.web.raw import Connection, request
from tests.web.running import Running

GARBAGE = {
    "every byte": bytes(range(256)) * 20,
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 600,
    "an HTTP/2 greeting": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no method": b" /healthz HTTP/1.1\r\n\r\n",
    "another version": b"GET /healthz HTTP/3.0\r\n\r\n",
    "a space in the target": b"GET /api/projects /x HTTP/1.1\r\nHost: x\r\n\r\n",
    "a target without a slash": b"GET api/projects HTTP/1.1\r\nHost: x\r\n\r\n",
    "NUL in the target": b"GET /api/\0 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a raw byte in the target": b"GET /api/projects/\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    "a raw byte in the query": b"GET /api/projects?limit=\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    "a raw byte in the method": b"G\xffT /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    "a header without a colon": b"GET /healthz HTTP/1.1\r\nHost x\r\n\r\n",
    "a header without a name": b"GET /healthz HTTP/1.1\r\n: x\r\n\r\n",
    "NUL in a header's name": b"GET /healthz HTTP/1.1\r\nX\0: x\r\n\r\n",
    "NUL in a header": b"GET /healthz HTTP/1.1\r\nX: \0\r\n\r\n",
    "a folded header": b"GET /healthz HTTP/1.1\r\nX: a\r\n b\r\n\r\n",
    "a negative length": b"POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "a length in words": b"POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n",
    "a length beyond 64 bits": b"POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n",
    "two lengths": b"POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "an unknown coding": b"POST /api/projects HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    "chunks that are not the last coding": b"POST /api/projects HTTP/1.1\r\nHost: x\r\n"
    b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "a space before the colon": b"POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Length : 2\r\n\r\n{}",
    "a bare carriage return in a header": b"GET /healthz HTTP/1.1\r\nX: a\rb\r\n\r\n",
    "a plus before the length": b"POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n{}",
    "a header of a megabyte": b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
    "a hundred thousand headers": b"GET /healthz HTTP/1.1\r\n" + b"X: a\r\n" * 100_000 + b"\r\n",
    "a target of a megabyte": b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n\r\n",
    "a line that never ends": b"a" * 1_000_000,
}
"""None of these is a request."""


@pytest.mark.parametrize("why", GARBAGE)
def test_what_is_not_a_request_is_cut_off(running: Running, why: str) -> None:
    with running.connect() as connection:
        answer = connection.send(GARBAGE[why]).read()
        if answer is not None:
            assert answer.status in (400, 414, 431), answer
            assert answer.error
            assert connection.read() is None, "the connection is closed"


def test_a_request_may_lack_what_it_does_not_need(running: Running) -> None:
    """No Host, an old version, bare line feeds: answered, or refused as a whole."""
    for data in (
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.0\r\n\r\n",
        b"GET /healthz HTTP/1.1\nHost: x\nConnection: close\n\n",
        b"GET http://127.0.0.1/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ):
        with running.connect() as connection:
            answer = connection.send(data).read()
            assert answer is None or answer.status in (200, 400)


def _head(running: Running, *lines: bytes) -> bytes:
    """The head of a request that creates a project, up to the lines about its body."""
    bearer = {"Authorization": f"Bearer {running.key}", "Content-Type": "application/json"}
    return request(b"POST", b"/api/projects", bearer, *lines)


def _named(name: str) -> bytes:
    return json.dumps({"name": name}).encode()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _exists(running: Running, name: str) -> bool:
    listed = running.http.get("/api/projects", headers={"Authorization": f"Bearer {running.key}"})
    return name in [entry["name"] for entry in listed.json()]


CHUNKED = b"Transfer-Encoding: chunked"


def _incomplete(name: str) -> dict[str, tuple[bytes, bytes]]:
    """Bodies that hold a whole JSON object, but are not whole themselves: the line about the body, the body."""
    body = _named(name)
    return {
        "shorter than declared": (b"Content-Length: %d" % (len(body) + 20), body),
        "chunks without an end": (CHUNKED, _chunk(body)),
        "a second chunk of no number": (CHUNKED, _chunk(body) + b"zz\r\n"),
        "a second chunk of negative size": (CHUNKED, _chunk(body) + b"-1\r\n"),
        "a second chunk cut off": (CHUNKED, _chunk(body) + b"20\r\n  "),
        "a chunk of nearly endless size": (CHUNKED, b"7fffffffffffffff\r\n" + body),
        "a chunk without a line break": (CHUNKED, b"%x\r\n%sXX0\r\n\r\n" % (len(body), body)),
    }


@pytest.mark.parametrize("why", _incomplete(""))
@pytest.mark.parametrize("leaves", ["stops sending", "goes away"])
def test_a_body_that_did_not_arrive_whole_is_never_acted_upon(running: Running, why: str, leaves: str) -> None:
    name = ids.new("name")
    line, body = _incomplete(name)[why]
    with running.connect() as connection:
        connection.send(_head(running, line) + body)
        if leaves == "stops sending":
            answer = connection.end_sending().read()
            assert answer is None or 400 <= answer.status < 500, answer
    # A whole request after it, so that the server has had its turn with the first.
    with running.connect() as connection:
        whole = connection.send(_head(running, b"Content-Length: %d" % len(_named("whole"))) + _named("whole")).read()
    assert whole is not None
    assert whole.status == 201
    assert not _exists(running, name)


@pytest.mark.parametrize("first", [b"zz\r\n", b"-1\r\n", b"f" * 20 + b"\r\n", b"\r\n", b"0x5\r\n"])
def test_chunks_of_no_size(running: Running, first: bytes) -> None:
    name = ids.new("name")
    with running.connect() as connection:
        answer = connection.send(_head(running, CHUNKED) + first + _named(name) + b"\r\n0\r\n\r\n").read()
        assert answer is None or 400 <= answer.status < 500, answer
    assert not _exists(running, name)


def test_whole_chunks_are_read_also_byte_by_byte(running: Running) -> None:
    name = ids.new("name")
    with running.connect() as connection:
        connection.send(_head(running, CHUNKED))
        for byte in _named(name):
            connection.send(_chunk(bytes([byte])))
        answer = connection.send(b"0\r\nTrailer: x\r\n\r\n").read()
        assert answer is not None
        assert answer.status == 201
    assert _exists(running, name)


def test_what_comes_after_the_last_chunk_is_no_header(running: Running) -> None:
    """A proxy in front checks the headers, not these."""
    name = ids.new("name")
    for trailer in (
        b"Authorization: Bearer " + running.key.encode(),
        b"Cookie: " + running.cookie.encode() + b"\r\nSec-Fetch-Site: same-origin",
    ):
        head = request(b"POST", b"/api/projects", {"Content-Type": "application/json"}, CHUNKED)
        with running.connect() as connection:
            answer = connection.send(head + _chunk(_named(name)) + b"0\r\n" + trailer + b"\r\n\r\n").read()
        assert answer is None or answer.status in (400, 401), answer
    assert not _exists(running, name)


def test_a_length_beside_chunks_smuggles_nothing(running: Running) -> None:
    hidden = request(
        b"DELETE", f"/api/projects/{running.project_id}".encode(), {"Authorization": f"Bearer {running.key}"}
    )
    with running.connect() as connection:
        connection.send(_head(running, CHUNKED, b"Content-Length: 5") + b"0\r\n\r\n" + hidden)
        first = connection.read()
        assert first is not None
        assert 400 <= first.status < 500
        assert connection.read() is None, "what follows such a request is not read"
    still = running.http.get(f"/api/projects/{running.project_id}", headers={"Authorization": f"Bearer {running.key}"})
    assert still.status_code == 200


@pytest.mark.parametrize("target", [b"/api/auth/logout", b"/api/projects/unknown", b"/api/nothing", b"/api/projects"])
def test_a_body_that_nobody_reads_is_not_the_next_request(running: Running, target: bytes) -> None:
    hidden = request(
        b"DELETE", f"/api/projects/{running.project_id}".encode(), {"Authorization": f"Bearer {running.key}"}
    )
    with running.connect() as connection:
        connection.send(request(b"POST", target, body=hidden) + request(target=b"/readyz"))
        refused, following = connection.read(), connection.read()
    assert refused is not None
    assert refused.status in (401, 404, 405)
    assert following is None or (following.status, json.loads(following.body)["status"]) == (200, "ready")
    still = running.http.get(f"/api/projects/{running.project_id}", headers={"Authorization": f"Bearer {running.key}"})
    assert still.status_code == 200


@pytest.mark.parametrize("size", [1, 10_000, 60_000, 400_000, 5 * 1024 * 1024])
@pytest.mark.parametrize("target", [b"/api/projects", b"/api/nothing"])
def test_a_refused_body_does_not_poison_the_next_request(running: Running, target: bytes, size: int) -> None:
    """Either the next request on the connection is answered, or the refusal said that it would close."""
    bearer = {"Authorization": f"Bearer {running.key}", "Content-Type": "application/json"}
    for _ in range(10):
        with running.connect() as connection:
            refused = connection.send(request(b"POST", target, bearer, body=b" " * size)).read()
            assert refused is not None
            assert 400 <= refused.status < 500
            assert refused.error
            if refused.headers.get("connection") != "close":
                following = connection.send(request(target=b"/healthz")).read()
                assert following is not None, "closed without a word"
                assert following.status == 200


def test_answers_come_in_the_order_of_the_requests(running: Running) -> None:
    bearer = {"Authorization": f"Bearer {running.key}", "Content-Type": "application/json"}
    with running.connect() as connection:
        connection.send(
            request(target=b"/healthz")
            + request(b"POST", b"/api/projects", bearer, body=b"{")
            + request(b"HEAD", b"/api/projects", bearer)
            + request(b"GET", b"/api/nothing", bearer)
            + request(b"POST", b"/api/projects", bearer, body=b'{"name": 5}')
            + request(b"GET", b"/api/auth/me", bearer)
        )
        heads_only = (False, False, True, False, False, False)
        answers = [connection.read(head_only=head_only) for head_only in heads_only]
    assert [answer.status for answer in answers if answer] == [200, 400, 200, 404, 400, 200]


def test_a_client_that_asks_first_is_told_whether_to_send_its_body(running: Running) -> None:
    """One that is too large is refused at once, without waiting for a byte of it."""
    body = _named(ids.new("name"))
    with running.connect() as connection:
        connection.send(_head(running, b"Expect: 100-continue", b"Content-Length: %d" % len(body)))
        go_on = connection.read()
        made = connection.send(body).read()
    assert [answer and answer.status for answer in (go_on, made)] == [100, 201]
    with running.connect() as connection:
        connection.send(_head(running, b"Expect: 100-continue", b"Content-Length: 5000000"))
        refused = connection.read()
    assert refused is not None
    assert (refused.status, refused.error) == (413, "Request body too large")


def test_connections_that_say_nothing_keep_nobody_out(running: Running) -> None:
    idle = [Connection(running.process.port) for _ in range(200)]
    try:
        for number, connection in enumerate(idle):
            if number % 2:
                connection.send(b"POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Le")
        running.assert_well()
    finally:
        for connection in idle:
            connection.close()


def test_bodies_that_never_come_keep_nobody_out(running: Running) -> None:
    """More of them than the database has connections."""
    waiting = [Connection(running.process.port) for _ in range(40)]
    try:
        for connection in waiting:
            connection.send(_head(running, b"Content-Length: 100") + b'{"name":')
        running.assert_well()
        made = running.http.post("/api/keys", json={"name": "x"}, headers={"Authorization": f"Bearer {running.key}"})
        assert made.status_code == 201
    finally:
        for connection in waiting:
            connection.close()
