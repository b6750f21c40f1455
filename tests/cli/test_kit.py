"""What all commands have in common: usage, help, exit codes, raw calls, and texts that never command a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loremark.base.terminal import wants_colours
from loremark.cli import page
from loremark.cli.kit import SIGNED_OUT, USAGE
from tests.cli.person import Desk, Server
from tests.support.processes import COMMAND


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("serach", "x"), "there is no command 'serach'; did you mean 'search'? (see: loremark --help)"),
        (("\x1b[2J\x9b", "x"), "there is no command '\\x1b[2J\\x9b' (see: loremark --help)"),
        (("whoami", "--jsn"), "unrecognized arguments: --jsn (see: loremark whoami --help)"),
        (("whoami", "--js"), "unrecognized arguments: --js (see: loremark whoami --help)"),
        (("keys", "create"), "the following arguments are required: NAME (see: loremark keys create --help)"),
        (("items", "list", "--limit", "0"), "argument --limit: must be a whole number from 1"),
        (("projects", "secret", "burn"), "argument ACTION: invalid choice: 'burn' (choose from 'show', 'rotate')"),
    ],
)
def test_wrong_use_is_one_line_and_the_way_to_the_help(desk: Desk, words: tuple[str, ...], told: str) -> None:
    done = desk.say(*words)
    assert (done.code, done.refusal.startswith(told)) == (USAGE, True), done


def test_help_is_everywhere(desk: Desk) -> None:
    assert desk.say("help", "projects", "secret").out == desk.say("projects", "secret", "--help").out
    assert "example:\n  loremark keys create laptop" in desk.say("keys", "create", "--help").out
    alone = desk.say()
    assert (alone.code, alone.out) == (USAGE, "")
    assert alone.err == desk.say("--help").out
    assert [desk.say(word).out for word in ("--version", "version")] == ["loremark 0\n"] * 2
    alone = desk.say("projects", "secret")
    assert (alone.code, alone.err) == (USAGE, desk.say("projects", "secret", "--help").out)
    assert list(desk.home.iterdir()) == [], "asking for help makes nothing"


def test_a_raw_call_gives_the_answer_as_it_came(olga: Desk, server: Server) -> None:
    answer = server.http.get("/api/projects", params={"limit": 1})
    called = olga.say("api", "get", "/api/projects", "-q", "limit=1")
    assert (called.code, called.out.encode()) == (0, answer.content)
    missing = olga.say("api", "GET", "/api/projects/prj_nobody")
    assert (missing.code, json.loads(missing.out)) == (1, {"error": "Project not found"})
    assert missing.out.endswith("}\n"), "what is said next begins a line of its own"
    assert missing.err == "loremark: the server answered 404\n"
    body = olga.home / "body.json"
    body.write_text('{"name": "By call"}')
    for data, given in ((f"@{body}", ""), ("@-", body.read_text()), (body.read_text(), "")):
        made = olga.say("api", "POST", "/api/projects", "-d", data, given=given)
        assert json.loads(made.out)["name"] == "By call"
    signed = olga.say(
        "api", "GET", "/api/v2/genesis/status", "-q", f"projectId={server.project}", "--sign", server.project
    )
    assert signed.err in ("", "loremark: the server answered 404\n")
    unsigned = olga.say("api", "GET", "/api/v2/genesis/status", "-q", f"projectId={server.project}")
    assert unsigned.code == SIGNED_OUT
    lines = olga.say("api", "GET", "/api/auth/me", terminal=True).out
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
def test_a_raw_call_goes_to_no_other_server(olga: Desk, words: tuple[str, ...]) -> None:
    assert olga.say("api", *words).code == USAGE


def test_texts_lose_what_a_terminal_would_act_on() -> None:
    hostile = "\x1b[31mred\x1b[0m \x9b2J\x07 \u202eturned\u2069 a\tb\nc\r"
    assert page.plain(hostile) == "[31mred[0m 2J turned a\tb\nc"
    assert page.one_line(hostile, 12) == "[31mred[0m …"


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
def test_colours_as_the_person_wants_them(given: dict[str, str], terminal: bool, wanted: bool) -> None:
    assert wants_colours(terminal, given) is wanted


def test_a_reader_that_goes_and_a_name_that_is_no_text(tmp_path: Path) -> None:
    """As a process: `| head` ends it quietly, and bytes that are no text do not break it."""
    environment = {**os.environ, "HOME": str(tmp_path)}
    asked = [str(COMMAND), "completion", "bash"]
    with subprocess.Popen(asked, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as closed:
        assert closed.stdout is not None
        assert closed.stderr is not None
        closed.stdout.close()
        assert closed.stderr.read() == b""
        assert closed.wait(60) == 0
    odd = subprocess.run([str(COMMAND), b"\xff\xfe"], env=environment, capture_output=True, timeout=60, check=False)
    assert odd.returncode == USAGE
    assert b"Traceback" not in odd.stderr


_LOADED = """
import sys
from loremark.cli import kit
from loremark.entry.table import COMMANDS
for name in ("whoami", "brain", "search", "save", "items"):
    kit.parser_of(name, COMMANDS[name])
import loremark.client.client, loremark.cli.desk, loremark.hook.link
print(*(name for name in ("rich", "httpx", "asyncio", "numpy", "cryptography", "sqlalchemy") if name in sys.modules))
"""


def test_common_commands_load_nothing_heavy(tmp_path: Path) -> None:
    """What a command must not pay for before it begins; the figures are in ``python -m bench cli``."""
    environment = {**os.environ, "HOME": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", _LOADED], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout == "\n"
