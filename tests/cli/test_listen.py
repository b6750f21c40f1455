"""``loremark listen``: forward signed events to a local program."""

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

from loremark.cli import webhook_forwarding
from loremark.cli.framework import USAGE
from loremark.client.calls.events import send_signed_event
from loremark.client.client import Client
from tests.cli.harness import Cli, Server
from tests.support.processes import COMMAND

Received = queue.Queue[tuple[str, dict[str, str], bytes]]


@pytest.fixture
def receiver() -> Iterator[tuple[str, Received]]:
    received: Received = queue.Queue()

    class Program(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.end_headers()
            received.put((self.path, {name.lower(): value for name, value in self.headers.items()}, body))

        def log_message(self, format: str, *args: object) -> None:
            pass

    listening = http.server.HTTPServer(("127.0.0.1", 0), Program)
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://localhost:{listening.server_address[1]}/hooks?from=loremark", received
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_events_are_forwarded_signed(olga: Cli, server: Server, receiver: tuple[str, Received]) -> None:
    where, received = receiver
    project = server.create_project("Received")
    command = [str(COMMAND), "listen", "--project", project, "--forward-to", where, "--json", "--count", "2"]
    events = ["--events", "session.created,session.completed"]
    deliveries: list[dict[str, Any]] = []
    with subprocess.Popen([*command, *events], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        secret = child.stderr.readline().split()[-1]  # changes are reported from here on
        with Client(server.url, server.key) as client:
            session = client.send(send_signed_event(project, "session_save", {"summary": "We chose stones"})).session_id
        deliveries.append(_check(received.get(timeout=60), secret))
        server.http.patch(f"/api/v2/sessions/{session}", json={"status": "completed"})
        deliveries.append(_check(received.get(timeout=60), secret))
        lines = [json.loads(line) for line in child.stdout]
        assert child.wait(60) == 0
    assert [event["type"] for event in deliveries] == ["session.created", "session.completed"]
    assert deliveries[1]["data"] == {"sessionId": session, "status": "completed", "eventCount": 1}
    assert all(event["projectId"] == project for event in deliveries)
    assert [(line["delivery"], line["response"]) for line in lines] == [(event, 204) for event in deliveries]


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
def test_forwarding_is_limited_to_this_machine(olga: Cli, where: str) -> None:
    assert olga.run("listen", "--forward-to", where).code == USAGE


def test_short_forms_of_forward_to(olga: Cli) -> None:
    assert webhook_forwarding.parse_target("3000") == ("localhost", 3000, "/")
    assert webhook_forwarding.parse_target("3000/hooks") == ("localhost", 3000, "/hooks")
    assert webhook_forwarding.parse_target("127.0.0.1:3000") == ("127.0.0.1", 3000, "/")
    assert olga.run("listen", "--events", "item.borrowed").code == USAGE
