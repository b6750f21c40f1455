"""Usage errors, help, exit codes, raw API requests and output sanitizing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loremark.base.terminal import wants_color
from loremark.cli import output
from loremark.cli.framework import SIGNED_OUT, USAGE
from tests.cli.harness import Cli, Server
from tests.support.processes import COMMAND


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("serach", "x"), "unknown command 'serach'; did you mean 'search'? (see: loremark --help)"),
        (("\x1b[2J\x9b", "x"), "unknown command '\\x1b[2J\\x9b' (see: loremark --help)"),
        (("whoami", "--jsn"), "unrecognized arguments: --jsn (see: loremark whoami --help)"),
        (("whoami", "--js"), "unrecognized arguments: --js (see: loremark whoami --help)"),
        (("mcp", "x"), "unrecognized arguments: x (see: loremark mcp --help)"),
        (("keys", "create"), "the following arguments are required: NAME (see: loremark keys create --help)"),
        (("items", "list", "--limit", "0"), "argument --limit: must be a positive integer"),
        (("projects", "secret", "burn"), "argument COMMAND: invalid choice: 'burn' (choose from 'show', 'rotate')"),
    ],
)
def test_usage_errors(cli: Cli, words: tuple[str, ...], message: str) -> None:
    done = cli.run(*words)
    assert (done.code, done.error.startswith(message)) == (USAGE, True), done


def test_help(cli: Cli) -> None:
    assert cli.run("help", "projects", "secret").out == cli.run("projects", "secret", "--help").out
    assert "example:\n  loremark keys create laptop" in cli.run("keys", "create", "--help").out
    assert "Without a command, loremark starts the server" in cli.run("--help").out
    assert [cli.run(word).out for word in ("--version", "version")] == ["loremark 0\n"] * 2
    alone = cli.run("projects", "secret")
    assert (alone.code, alone.err) == (USAGE, cli.run("projects", "secret", "--help").out)
    assert list(cli.home.iterdir()) == [], "help creates no files"


def test_files_that_cannot_be_used_are_named(olga: Cli) -> None:
    assert olga.run("save", "--file", "nofile").error == "nofile: No such file or directory"
    assert olga.run("api", "POST", "/api/x", "-d", "@nofile").error == "cannot read nofile: No such file or directory"


def test_api_request_prints_the_raw_response(olga: Cli, server: Server) -> None:
    answer = server.http.get("/api/projects", params={"limit": 1})
    called = olga.run("api", "get", "/api/projects", "-q", "limit=1")
    assert (called.code, called.out.encode()) == (0, answer.content)
    missing = olga.run("api", "GET", "/api/projects/prj_nobody")
    assert (missing.code, json.loads(missing.out)) == (1, {"error": "Project not found"})
    assert missing.out.endswith("}\n"), "the note starts on a new line"
    assert missing.err == "loremark: the server responded with status 404\n"
    body = olga.home / "body.json"
    body.write_text('{"name": "By call"}')
    for data, given in ((f"@{body}", ""), ("@-", body.read_text()), (body.read_text(), "")):
        made = olga.run("api", "POST", "/api/projects", "-d", data, stdin=given)
        assert json.loads(made.out)["name"] == "By call"
    signed = olga.run(
        "api", "GET", "/api/v2/genesis/status", "-q", f"projectId={server.project}", "--sign", server.project
    )
    assert signed.err in ("", "loremark: the server responded with status 404\n")
    unsigned = olga.run("api", "GET", "/api/v2/genesis/status", "-q", f"projectId={server.project}")
    assert unsigned.code == SIGNED_OUT
    lines = olga.run("api", "GET", "/api/auth/me", terminal=True).out
    assert '\n  "name": "Olga",\n' in lines


@pytest.mark.parametrize(
    "words",
    [
        ("GET", "api/projects"),
        ("GET", "https://evil.example.com/api"),
        ("GET", "//evil.example.com/api"),
        ("GET", "/\\evil.example.com"),
        ("GET", "/api projects"),
        ("GET", "/api\r\nX-Other: 1"),
        ("GET", "/ä"),
        ("GET", "/api/projects", "-q", "limit"),
        ("BREW", "/api/projects"),
        ("GET",),
        ("POST", "/api/projects", "-d", "@/no/such/file"),
    ],
)
def test_api_request_rejects_other_servers(olga: Cli, words: tuple[str, ...]) -> None:
    assert olga.run("api", *words).code == USAGE


def test_control_characters_are_stripped() -> None:
    hostile = "\x1b[31mred\x1b[0m \x9b2J\x07 \u202eturned\u2069 a\tb\nc\r"
    assert output.plain(hostile) == "[31mred[0m 2J turned a\tb\nc"
    assert output.one_line(hostile, 12) == "[31mred[0m …"


@pytest.mark.parametrize(
    ("given", "terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_color_settings(given: dict[str, str], terminal: bool, wanted: bool) -> None:
    assert wants_color(terminal, given) is wanted


def test_closed_pipe_and_invalid_utf8(tmp_path: Path) -> None:
    """A closed pipe ends the process quietly, and invalid UTF-8 does not crash it."""
    environment = {**os.environ, "HOME": str(tmp_path)}
    command = [str(COMMAND), "completion", "bash"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as closed:
        assert closed.stdout is not None
        assert closed.stderr is not None
        closed.stdout.close()
        assert closed.stderr.read() == b""
        assert closed.wait(60) == 0
    invalid = subprocess.run([str(COMMAND), b"\xff\xfe"], env=environment, capture_output=True, timeout=60, check=False)
    assert invalid.returncode == USAGE
    assert b"Traceback" not in invalid.stderr


_LOADED = """
import sys
from loremark.cli import framework
from loremark.entry.command_table import COMMANDS
for name in ("whoami", "brain", "search", "save", "items"):
    framework.build_parser(name, COMMANDS[name])
import loremark.client.client, loremark.cli.connection, loremark.hook.link
print(*(name for name in ("rich", "httpx", "asyncio", "numpy", "cryptography", "sqlalchemy") if name in sys.modules))
"""


def test_common_commands_import_nothing_slow(tmp_path: Path) -> None:
    """Keeps startup fast; ``python -m bench cli`` measures it."""
    environment = {**os.environ, "HOME": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-c", _LOADED], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout == "\n"
