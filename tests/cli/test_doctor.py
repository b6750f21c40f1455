"""The doctor: what is well and what is ill, each with the way to mend it."""

from __future__ import annotations

import http.server
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremark.base import clock, profile
from tests.cli.person import Desk, Done, Server
from tests.cli.repository import make
from tests.support.processes import COMMAND, free_port


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}")


def _verdicts(done: Done) -> dict[str, str]:
    lines = [line for line in done.out.splitlines() if not line.startswith("   ")]
    return {line.split()[1]: line.split()[0] for line in lines}


@pytest.fixture
def shop(olga: Desk) -> Path:
    folder = make(olga.home / "shop")
    olga.monkeypatch.chdir(folder)
    return folder


def test_who_is_well(olga: Desk, server: Server, shop: Path) -> None:
    assert _verdicts(olga.say("doctor"))["project"] == "BAD", "a repository that is not linked"
    project = server.create_project("Well")
    assert olga.say("init", "--project", project, "--git").code == 0
    well = olga.say("doctor")
    assert (well.code, well.err) == (0, "")
    assert _verdicts(well) == {
        **dict.fromkeys(("program", "login", "server", "clock", "key", "project", "secret", "spool", "git"), "ok"),
        "agents": "-",
    }
    assert server.key not in well.out
    events = server.http.get(f"/api/v2/sessions?projectId={project}").json()
    assert events == [], "the signed call that was tried has left nothing"
    told = olga.say("doctor", "--json").json
    assert [check["passed"] for check in told if check["name"] == "secret"] == [True]


def test_a_secret_that_was_renewed_elsewhere(olga: Desk, server: Server, shop: Path) -> None:
    project = server.create_project("Renewed")
    assert olga.say("init", "--project", project).code == 0
    renewed = server.http.post(f"/api/projects/{project}/hmac-secret/rotate", json={"revokeNow": True})
    assert renewed.status_code == 200
    ill = olga.say("doctor")
    assert (ill.code, _verdicts(ill)["secret"]) == (1, "BAD")
    assert olga.say("init").code == 0
    assert _verdicts(olga.say("doctor"))["secret"] == "ok"


def test_what_is_ill_is_told_with_its_cure(desk: Desk, server: Server) -> None:
    nobody = desk.say("doctor")
    assert (nobody.code, _verdicts(nobody)["login"]) == (1, "BAD")
    assert "loremark login" in nobody.out
    profile.save(profile.Profile(f"http://127.0.0.1:{free_port()}", "service_sk_x"))
    away = desk.say("doctor")
    assert (away.code, _verdicts(away)["server"]) == (1, "BAD")
    assert "key" not in _verdicts(away), "nothing is said of what cannot be known"
    profile.save(profile.Profile(server.url, "service_sk_ended"))
    Path(profile.location()).chmod(0o644)
    ended = _verdicts(desk.say("doctor"))
    assert (ended["login"], ended["server"], ended["key"]) == ("BAD", "ok", "BAD")
    desk.monkeypatch.setenv("PATH", "/nowhere")
    assert _verdicts(desk.say("doctor"))["program"] == "BAD"


class _Late(http.server.BaseHTTPRequestHandler):
    """A server of another time, whose version is a trap for terminals."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"info": {"version": "\\u001b[2J9\\u009b"}}')

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(clock.now_ms() / 1000 - 400)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def late() -> Iterator[str]:
    listening = http.server.HTTPServer(("127.0.0.1", 0), _Late)
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}"
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_a_clock_that_is_wrong(desk: Desk, late: str) -> None:
    profile.save(profile.Profile(late, "service_sk_x"))
    ill = desk.say("doctor")
    assert _verdicts(ill)["clock"] == "BAD"
    assert re.search(r"40\d s ahead", ill.out)
    assert not set(ill.out) & set("\x1b\x9b")
