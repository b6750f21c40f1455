"""Sending many events: the server's rate limit is waited out, and what it rejects is listed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from loremark.cli.event_sender import Sent, send_notes
from loremark.client.call import ApiError
from loremark.client.client import Client
from loremark.client.protocol import ATTEMPTS
from loremark.exchange.notes import Note

ACCEPTED = {"eventId": "evt_1", "sessionId": "ses_1"}


@contextmanager
def _answering(*answers: tuple[int, Mapping[str, object], int]) -> Iterator[str]:
    """A server with these answers in order, each with its ``Retry-After``."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, body, retry_after_s = left.pop(0)
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if retry_after_s:
                self.send_header("Retry-After", str(retry_after_s))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Do not log requests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert left == [], "every answer was asked for"


def _notes(count: int) -> list[Note]:
    return [Note("mem0", "item", f"Note {number}", f"Text {number}.", f"{number}.json") for number in range(count)]


def _send(url: str, count: int) -> tuple[Sent, list[int]]:
    progress: list[int] = []
    with Client(url, "service_sk_test") as client:
        return send_notes(client, "prj_1", _notes(count), progress.append), progress


def test_a_limit_on_requests_is_waited_out() -> None:
    busy = (429, {"error": "Too many requests"}, 1)
    with _answering(*[busy] * (ATTEMPTS + 1), (202, ACCEPTED, 0), (202, {**ACCEPTED, "duplicate": True}, 0)) as url:
        sent, progress = _send(url, 2)
    assert (sent.new, sent.known, list(sent.sessions), progress) == (1, 1, ["ses_1"], [1, 2])


def test_a_long_wait_and_other_errors_end_it() -> None:
    with _answering((429, {"error": "Too many requests"}, 3_600)) as url, pytest.raises(ApiError):
        _send(url, 1)
    with _answering((403, {"error": "Forbidden"}, 0)) as url, pytest.raises(ApiError, match="Forbidden"):
        _send(url, 1)


def test_rejected_notes_are_listed_and_the_others_sent() -> None:
    rejected = (400, {"error": "payload is invalid"}, 0)
    with _answering((202, ACCEPTED, 0), rejected, (202, {**ACCEPTED, "sessionId": "ses_2"}, 0)) as url:
        sent, progress = _send(url, 3)
    assert (sent.failed, list(sent.sessions)) == (["1.json: payload is invalid"], ["ses_1", "ses_2"])
    assert progress == [1, 2, 3]
