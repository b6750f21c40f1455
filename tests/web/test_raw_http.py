"""Malformed HTTP on a real server: refused or disconnected at once, and never processed."""

from __future__ import annotations

import json

import pytest

from loremark.base import ids
from tests.web.raw import Connection, request
from tests.web.running import RunningServer

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
"""None of these is a valid request."""


@pytest.mark.parametrize("why", GARBAGE)
def test_garbage_is_refused_or_disconnected(server: RunningServer, why: str) -> None:
    with server.connect() as connection:
        response = connection.send(GARBAGE[why]).read()
        if response is not None:
            assert response.status in (400, 414, 431), response
            assert response.error
            assert connection.read() is None, "the connection is closed"


def test_sloppy_requests_are_answered_or_refused(server: RunningServer) -> None:
    """No Host, an old version, bare line feeds: answered, or refused with 400."""
    for data in (
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.0\r\n\r\n",
        b"GET /healthz HTTP/1.1\nHost: x\nConnection: close\n\n",
        b"GET http://127.0.0.1/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ):
        with server.connect() as connection:
            response = connection.send(data).read()
            assert response is None or response.status in (200, 400)


def _head(server: RunningServer, *lines: bytes) -> bytes:
    """The head of a request that creates a project; ``lines`` describe its body."""
    bearer = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    return request(b"POST", b"/api/projects", bearer, *lines)


def _project_body(name: str) -> bytes:
    return json.dumps({"name": name}).encode()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _exists(server: RunningServer, name: str) -> bool:
    listed = server.http.get("/api/projects", headers={"Authorization": f"Bearer {server.key}"})
    return name in [entry["name"] for entry in listed.json()]


CHUNKED = b"Transfer-Encoding: chunked"


def _incomplete(name: str) -> dict[str, tuple[bytes, bytes]]:
    """Incomplete bodies that contain a complete JSON object, each as (header line, body)."""
    body = _project_body(name)
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
def test_incomplete_body_is_never_processed(server: RunningServer, why: str, leaves: str) -> None:
    name = ids.new("name")
    line, body = _incomplete(name)[why]
    with server.connect() as connection:
        connection.send(_head(server, line) + body)
        if leaves == "stops sending":
            response = connection.end_sending().read()
            assert response is None or 400 <= response.status < 500, response
    # Send a complete request afterwards, so that the server has handled the first one.
    with server.connect() as connection:
        complete = connection.send(
            _head(server, b"Content-Length: %d" % len(_project_body("whole"))) + _project_body("whole")
        ).read()
    assert complete is not None
    assert complete.status == 201
    assert not _exists(server, name)


@pytest.mark.parametrize("first", [b"zz\r\n", b"-1\r\n", b"f" * 20 + b"\r\n", b"\r\n", b"0x5\r\n"])
def test_invalid_chunk_sizes(server: RunningServer, first: bytes) -> None:
    name = ids.new("name")
    with server.connect() as connection:
        response = connection.send(_head(server, CHUNKED) + first + _project_body(name) + b"\r\n0\r\n\r\n").read()
        assert response is None or 400 <= response.status < 500, response
    assert not _exists(server, name)


def test_one_byte_chunks_are_read(server: RunningServer) -> None:
    name = ids.new("name")
    with server.connect() as connection:
        connection.send(_head(server, CHUNKED))
        for byte in _project_body(name):
            connection.send(_chunk(bytes([byte])))
        response = connection.send(b"0\r\nTrailer: x\r\n\r\n").read()
        assert response is not None
        assert response.status == 201
    assert _exists(server, name)


def test_trailers_are_not_treated_as_headers(server: RunningServer) -> None:
    """A proxy in front checks headers but not trailers."""
    name = ids.new("name")
    for trailer in (
        b"Authorization: Bearer " + server.key.encode(),
        b"Cookie: " + server.cookie.encode() + b"\r\nSec-Fetch-Site: same-origin",
    ):
        head = request(b"POST", b"/api/projects", {"Content-Type": "application/json"}, CHUNKED)
        with server.connect() as connection:
            response = connection.send(head + _chunk(_project_body(name)) + b"0\r\n" + trailer + b"\r\n\r\n").read()
        assert response is None or response.status in (400, 401), response
    assert not _exists(server, name)


def test_content_length_with_chunked_encoding_smuggles_nothing(server: RunningServer) -> None:
    hidden = request(
        b"DELETE", f"/api/projects/{server.project_id}".encode(), {"Authorization": f"Bearer {server.key}"}
    )
    with server.connect() as connection:
        connection.send(_head(server, CHUNKED, b"Content-Length: 5") + b"0\r\n\r\n" + hidden)
        first = connection.read()
        assert first is not None
        assert 400 <= first.status < 500
        assert connection.read() is None, "nothing after such a request is read"
    project = server.http.get(f"/api/projects/{server.project_id}", headers={"Authorization": f"Bearer {server.key}"})
    assert project.status_code == 200


@pytest.mark.parametrize("target", [b"/api/auth/logout", b"/api/projects/unknown", b"/api/nothing", b"/api/projects"])
def test_unread_body_is_not_parsed_as_the_next_request(server: RunningServer, target: bytes) -> None:
    hidden = request(
        b"DELETE", f"/api/projects/{server.project_id}".encode(), {"Authorization": f"Bearer {server.key}"}
    )
    with server.connect() as connection:
        connection.send(request(b"POST", target, body=hidden) + request(target=b"/readyz"))
        refused, following = connection.read(), connection.read()
    assert refused is not None
    assert refused.status in (401, 404, 405)
    assert following is None or (following.status, json.loads(following.body)["status"]) == (200, "ready")
    project = server.http.get(f"/api/projects/{server.project_id}", headers={"Authorization": f"Bearer {server.key}"})
    assert project.status_code == 200


@pytest.mark.parametrize("size", [1, 10_000, 60_000, 400_000, 5 * 1024 * 1024])
@pytest.mark.parametrize("target", [b"/api/projects", b"/api/nothing"])
def test_refused_body_does_not_corrupt_the_next_request(server: RunningServer, target: bytes, size: int) -> None:
    """Either the next request on the connection is answered, or the refusal announced the close."""
    bearer = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    for _ in range(10):
        with server.connect() as connection:
            refused = connection.send(request(b"POST", target, bearer, body=b" " * size)).read()
            assert refused is not None
            assert 400 <= refused.status < 500
            assert refused.error
            if refused.headers.get("connection") != "close":
                following = connection.send(request(target=b"/healthz")).read()
                assert following is not None, "closed without notice"
                assert following.status == 200


def test_pipelined_responses_keep_the_request_order(server: RunningServer) -> None:
    bearer = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    with server.connect() as connection:
        connection.send(
            request(target=b"/healthz")
            + request(b"POST", b"/api/projects", bearer, body=b"{")
            + request(b"HEAD", b"/api/projects", bearer)
            + request(b"GET", b"/api/nothing", bearer)
            + request(b"POST", b"/api/projects", bearer, body=b'{"name": 5}')
            + request(b"GET", b"/api/auth/me", bearer)
        )
        heads_only = (False, False, True, False, False, False)
        responses = [connection.read(head_only=head_only) for head_only in heads_only]
    assert [response.status for response in responses if response] == [200, 400, 200, 404, 400, 200]


def test_expect_100_continue(server: RunningServer) -> None:
    """A body that is too large is refused before any of it is sent."""
    body = _project_body(ids.new("name"))
    with server.connect() as connection:
        connection.send(_head(server, b"Expect: 100-continue", b"Content-Length: %d" % len(body)))
        interim = connection.read()
        created = connection.send(body).read()
    assert [response and response.status for response in (interim, created)] == [100, 201]
    with server.connect() as connection:
        connection.send(_head(server, b"Expect: 100-continue", b"Content-Length: 5000000"))
        refused = connection.read()
    assert refused is not None
    assert (refused.status, refused.error) == (413, "Request body too large")


def test_idle_connections_do_not_block_others(server: RunningServer) -> None:
    idle = [Connection(server.process.port) for _ in range(200)]
    try:
        for number, connection in enumerate(idle):
            if number % 2:
                connection.send(b"POST /api/projects HTTP/1.1\r\nHost: x\r\nContent-Le")
        server.assert_healthy()
    finally:
        for connection in idle:
            connection.close()


def test_stalled_bodies_do_not_block_others(server: RunningServer) -> None:
    """More of them than there are database connections."""
    stalled = [Connection(server.process.port) for _ in range(40)]
    try:
        for connection in stalled:
            connection.send(_head(server, b"Content-Length: 100") + b'{"name":')
        server.assert_healthy()
        created = server.http.post("/api/keys", json={"name": "x"}, headers={"Authorization": f"Bearer {server.key}"})
        assert created.status_code == 201
    finally:
        for connection in stalled:
            connection.close()
