"""The admin commands and the client, run as separate processes."""

from __future__ import annotations

import asyncio
import http.server
import json
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from loremark.cli.framework import SIGNED_OUT
from loremark.storage import schema
from tests.entry.owner import make_owner
from tests.support import databases
from tests.support.processes import Loremark, free_port, run_command


def test_help_lists_commands(plain: Loremark) -> None:
    words = plain.run("--help").stdout
    for command in ("serve", "api", "jobs", "admin", "login", "whoami", "projects"):
        assert command in words
    assert list(plain.folder.iterdir()) == [], "help creates no files"


def test_create_owner(loremark: Loremark) -> None:
    owner = loremark.create_owner()
    assert list(owner) == ["userId", "teamId", "projectId", "apiKey"]
    again = loremark.run(
        "admin", "create-owner", "--email", "OWNER@example.com", "--team", "Again", "--json", check=False
    )
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == "loremark: An account with this email already exists\n"
    for email, team, message in (("nope", "T", "email has an invalid format"), ("a@b.co", "", "team ")):
        refused = loremark.run("admin", "create-owner", "--email", email, "--team", team, check=False)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith(f"loremark: {message}")
    with loremark.start() as process, process.wait_ready().client(owner["apiKey"]) as client:
        me = client.get("/api/auth/me").json()
        assert (me["userId"], me["teamId"], me["role"], me["teamName"]) == (
            owner["userId"],
            owner["teamId"],
            "owner",
            "Stones",
        )
        assert [project["id"] for project in client.get("/api/projects").json()] == [owner["projectId"]]


def test_create_owner_migrates_an_empty_database(engine: str, tmp_path: Path) -> None:
    address = databases.empty(engine, tmp_path)
    loremark = Loremark(tmp_path, f"sqlite:///{address}" if isinstance(address, Path) else address)
    password = tmp_path / "password"
    password.write_text("correct horse battery\n")
    made = loremark.run(
        "admin", "create-owner", "--email", "ada@example.com", "--team", "A", "--password-file", str(password)
    )
    assert "service_sk_" in made.stdout
    assert asyncio.run(schema.version(address)) == schema.HEAD
    with loremark.start() as process, process.wait_ready().client() as client:
        body = {"email": "ada@example.com", "password": "correct horse battery"}
        assert client.post("/api/auth/login", json=body).status_code == 200
        assert "/signin?token=" not in process.output


def test_admin_doctor_on_a_healthy_installation(loremark: Loremark) -> None:
    make_owner(loremark)
    healthy = loremark.run("admin", "doctor")
    assert healthy.stderr == ""
    verdicts = {line.split()[1]: line.split()[0] for line in healthy.stdout.splitlines()}
    assert verdicts == dict.fromkeys(("python", "database", "schema", "accounts", "blobs", "mail", "sandbox"), "ok")
    assert "owner@example.com" in healthy.stdout
    assert "parsing is sandboxed with: resource limits" in healthy.stdout


def test_admin_doctor_reports_problems(plain: Loremark) -> None:
    plain.settings |= {
        "LOREMARK_DATABASE_URL": f"postgresql://somebody:secret-word@127.0.0.1:{free_port()}/loremark",
        "LOREMARK_MAIL_URL": "smtp://post:secret-word@mail.example.com",
        "LOREMARK_BLOBS_URL": "ftp://nowhere",
    }
    failing = plain.run("admin", "doctor", check=False)
    assert failing.returncode == 1
    verdicts = {line.split()[1]: line.split()[0] for line in failing.stdout.splitlines()}
    assert verdicts == {"python": "ok", "database": "FAIL", "blobs": "FAIL", "mail": "ok", "sandbox": "ok"}
    assert "secret-word" not in failing.stdout + failing.stderr
    assert "Traceback" not in failing.stderr


@pytest.fixture
def someone(plain: Loremark, tmp_path: Path) -> Loremark:
    """A command line with its own configuration folder."""
    plain.settings["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    plain.settings["HOME"] = str(tmp_path)
    return plain


def _run(loremark: Loremark, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command with this standard input."""
    environment = {name: value for name, value in loremark.environment().items() if not name.startswith("LOREMARK_")}
    return run_command(*arguments, env=environment, cwd=loremark.folder, input=stdin)


def _one_line(ended: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """The error line of a failed command."""
    assert (ended.returncode, ended.stdout) == (code, ""), ended
    assert ended.stderr.startswith("loremark: ")
    assert ended.stderr.count("\n") == 1
    return ended.stderr.strip().removeprefix("loremark: ")


def test_client_signs_in_and_manages_projects(someone: Loremark) -> None:
    assert _one_line(_run(someone, "whoami"), SIGNED_OUT).startswith("not signed in; run: loremark login")
    owner = make_owner(someone)
    with someone.start() as process:
        process.wait_ready()
        wrong = _run(someone, "login", "--url", process.url, stdin="service_sk_wrong\n")
        assert _one_line(wrong).endswith("create one in the dashboard, or use --browser")
        profile = Path(someone.settings["XDG_CONFIG_HOME"]) / "loremark" / "profile.json"
        assert not profile.exists()
        signed_in = _run(someone, "login", "--url", process.url + "/", stdin=owner["apiKey"] + "\n")
        assert (signed_in.returncode, signed_in.stderr) == (0, "")
        assert "Olga <owner@example.com> (owner of Stones)" in signed_in.stdout
        assert owner["apiKey"] not in signed_in.stdout
        assert stat.S_IMODE(profile.stat().st_mode) == 0o600
        assert stat.S_IMODE(profile.parent.stat().st_mode) == 0o700

        assert _run(someone, "whoami").stdout == "Olga <owner@example.com>, owner of Stones (team plan)\n"
        made = json.loads(_run(someone, "projects", "create", "Höhle", "--json").stdout)
        assert _one_line(_run(someone, "projects", "create", "x" * 101)).startswith("name ")
        listed = json.loads(_run(someone, "projects", "list", "--json").stdout)
        assert [(project["id"], project["name"]) for project in listed] == [
            (made["id"], "Höhle"),
            (owner["projectId"], "First"),
        ]
        process.stop()
        assert "cannot reach" in _one_line(_run(someone, "whoami"))


class _OtherServer(http.server.BaseHTTPRequestHandler):
    """Another web server that responds to every request."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>It works!</h1>")

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_other_server_software_is_reported(someone: Loremark) -> None:
    server = http.server.HTTPServer(("127.0.0.1", 0), _OtherServer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        port = server.server_address[1]
        _one_line(_run(someone, "login", "--url", f"http://127.0.0.1:{port}", "--key", "service_sk_x"))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    _one_line(_run(someone, "login", "--url", "http://[not an address", "--key", "service_sk_x"))
