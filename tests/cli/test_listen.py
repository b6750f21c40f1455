"""``loremark listen``: a program on this machine hears what a webhook would, and can check who says it."""

from __future__ import annotations

import http.server
import json
import queue
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from standardwebhooks import Webhook

from loremark.cli import forwarding
from loremark.cli.kit import USAGE
from loremark.client.calls.events import send_event
from loremark.client.client import Client
from tests.cli.person import Desk, Server
from tests.support.processes import COMMAND

Heard = queue.Queue[tuple[str, dict[str, str], bytes]]


@pytest.fixture
def receiver() -> Iterator[tuple[str, Heard]]:
    heard: Heard = queue.Queue()

    class Program(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.end_headers()
            heard.put((self.path, {name.lower(): value for name, value in self.headers.items()}, body))

        def log_message(self, format: str, *args: object) -> None:
            pass

    listening = http.server.HTTPServer(("127.0.0.1", 0), Program)
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://localhost:{listening.server_address[1]}/hooks?from=loremark", heard
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_events_arrive_signed_as_they_happen(olga: Desk, server: Server, receiver: tuple[str, Heard]) -> None:
    where, heard = receiver
    project = server.create_project("Heard")
    command = [str(COMMAND), "listen", "--project", project, "--forward-to", where, "--json", "--count", "2"]
    events = ["--events", "session.created,session.completed"]
    told: list[dict[str, Any]] = []
    with subprocess.Popen([*command, *events], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        secret = child.stderr.readline().split()[-1]  # from then on everything is news
        with Client(server.url, server.key) as client:
            session = client.send(send_event(project, "session_save", {"summary": "We chose stones"})).session_id
        told.append(_check(heard.get(timeout=60), secret))
        server.http.patch(f"/api/v2/sessions/{session}", json={"status": "completed"})
        told.append(_check(heard.get(timeout=60), secret))
        lines = [json.loads(line) for line in child.stdout]
        assert child.wait(60) == 0
    assert [event["type"] for event in told] == ["session.created", "session.completed"]
    assert told[1]["data"] == {"sessionId": session, "status": "completed", "eventCount": 1}
    assert all(event["projectId"] == project for event in told)
    assert [(line["delivery"], line["answered"]) for line in lines] == [(event, 204) for event in told]


def _check(arrived: tuple[str, dict[str, str], bytes], secret: str) -> dict[str, Any]:
    path, headers, body = arrived
    assert path == "/hooks?from=loremark"
    verified: dict[str, Any] = Webhook(secret).verify(body, headers)
    assert headers["x-service-webhook-signature"].startswith("sha256=")
    return verified


@pytest.mark.parametrize(
    "where",
    [
        "https://example.com/hooks",
        "http://10.0.0.1/",
        "file:///etc/passwd",
        "http://user@localhost/",
        "http://localhost:x/",
        "http://localhost.evil.com/",
        "http://127.0.0.1.nip.io",
        "http://localhost/a b",
        "//evil.com/",
    ],
)
def test_nothing_is_forwarded_to_another_machine(olga: Desk, where: str) -> None:
    assert olga.say("listen", "--forward-to", where).code == USAGE


def test_short_ways_to_say_where(olga: Desk) -> None:
    assert forwarding.target("3000") == ("localhost", 3000, "/")
    assert forwarding.target("3000/hooks") == ("localhost", 3000, "/hooks")
    assert forwarding.target("127.0.0.1:3000") == ("127.0.0.1", 3000, "/")
    assert olga.say("listen", "--events", "item.borrowed").code == USAGE
