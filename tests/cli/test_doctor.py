"""``loremark doctor``: checks and suggested fixes."""

from __future__ import annotations

import http.server
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremark.base import clock, profile
from loremark.entry.parser_check import describe
from loremark.features.genesis import sandboxed_parser
from loremark.hook import outbox
from loremark.ports.sandbox.child import Protection
from tests.cli.harness import Cli, Result, Server
from tests.cli.repository import make
from tests.support.processes import COMMAND, free_port


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}")


def _verdicts(done: Result) -> dict[str, str]:
    lines = [line for line in done.out.splitlines() if not line.startswith("   ")]
    return {line.split()[1]: line.split()[0] for line in lines}


@pytest.fixture
def shop(olga: Cli) -> Path:
    folder = make(olga.home / "shop")
    olga.monkeypatch.chdir(folder)
    return folder


def test_healthy_setup(olga: Cli, server: Server, shop: Path) -> None:
    assert _verdicts(olga.run("doctor"))["project"] == "FAIL", "a repository that is not linked"
    project = server.create_project("Well")
    assert olga.run("init", "--project", project, "--git").code == 0
    healthy = olga.run("doctor")
    assert (healthy.code, healthy.err) == (0, "")
    assert _verdicts(healthy) == {
        **dict.fromkeys(
            ("program", "login", "server", "clock", "key", "project", "secret", "agent", "spool", "git", "sandbox"),
            "ok",
        ),
        "model": "-",
        "agents": "-",
        "reading": "-",
    }
    assert server.key not in healthy.out
    events = server.http.get(f"/api/v2/sessions?projectId={project}").json()
    assert events == [], "the check has no side effects"
    checks = olga.run("doctor", "--json").json
    assert [check["passed"] for check in checks if check["name"] == "secret"] == [True]


def test_rotated_secret_is_reported(olga: Cli, server: Server, shop: Path) -> None:
    project = server.create_project("Renewed")
    assert olga.run("init", "--project", project).code == 0
    rotated = server.http.post(f"/api/projects/{project}/hmac-secret/rotate", json={"revokeNow": True})
    assert rotated.status_code == 200
    failing = olga.run("doctor")
    assert (failing.code, _verdicts(failing)["secret"]) == (1, "FAIL")
    assert olga.run("init").code == 0
    assert _verdicts(olga.run("doctor"))["secret"] == "ok"


def test_problems_are_reported_with_fixes(cli: Cli, server: Server) -> None:
    signed_out = cli.run("doctor")
    assert (signed_out.code, _verdicts(signed_out)["login"]) == (1, "FAIL")
    assert "loremark login" in signed_out.out
    profile.save(profile.Profile(f"http://127.0.0.1:{free_port()}", "service_sk_x"))
    unreachable = cli.run("doctor")
    assert (unreachable.code, _verdicts(unreachable)["server"]) == (1, "FAIL")
    assert "key" not in _verdicts(unreachable), "checks that need the server are skipped"
    profile.save(profile.Profile(server.url, "service_sk_ended"))
    Path(profile.location()).chmod(0o644)
    ended = _verdicts(cli.run("doctor"))
    assert (ended["login"], ended["server"], ended["key"]) == ("FAIL", "ok", "FAIL")
    cli.monkeypatch.setenv("PATH", "/nowhere")
    assert _verdicts(cli.run("doctor"))["program"] == "FAIL"


def test_rejected_batches_are_reported_with_the_reason(cli: Cli) -> None:
    for number in (1, 2):
        outbox.write(outbox.Batch(f"{number}.json", "prj_x", "http://localhost:1", "s", "session_save", {}, []))
        outbox.reject(f"{number}.json", f"40{number} Told why")
    assert "2 batches rejected: 402 Told why" in cli.run("doctor").out


def test_confinement_of_the_parser_is_reported(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    working = cli.run("doctor")
    assert _verdicts(working)["sandbox"] == "ok"
    assert "parsing is sandboxed with: resource limits" in working.out
    protections = [Protection("resource limits", True), Protection("Landlock", False), Protection("seccomp", False)]
    assert describe(protections) == (
        "parsing is sandboxed with: resource limits; not available on this system: Landlock, seccomp"
    )
    monkeypatch.setattr(sandboxed_parser, "_COMMAND", ("/bin/false",))
    failing = cli.run("doctor")
    assert (failing.code, _verdicts(failing)["sandbox"]) == (1, "FAIL")


class _LateServer(http.server.BaseHTTPRequestHandler):
    """A server with a wrong clock and control characters in its version."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"info": {"version": "\\u001b[2J9\\u009b"}}')

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(clock.now_ms() / 1000 - 400)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def late_server() -> Iterator[str]:
    listening = http.server.HTTPServer(("127.0.0.1", 0), _LateServer)
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}"
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_wrong_clock_is_reported(cli: Cli, late_server: str) -> None:
    profile.save(profile.Profile(late_server, "service_sk_x"))
    failing = cli.run("doctor")
    assert _verdicts(failing)["clock"] == "FAIL"
    assert re.search(r"40\d s ahead", failing.out)
    assert not set(failing.out) & set("\x1b\x9b")
