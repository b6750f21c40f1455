"""``loremark reading`` and ``loremark enrich --with``: your coding agent reads sessions, if you want it to."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from loremark.base import clock
from loremark.base.folders import state_folder
from loremark.hook import reading_settings
from tests.cli.harness import Cli, Server

ITEM = {
    "title": "Prices are kept in cents",
    "content": "Every price is kept in cents, because rounding differs between shops.",
    "type": "convention",
    "quotes": [{"turn": 1, "quote": "We keep every price in cents"}],
    "confidence": 0.9,
}
_CLAUDE = """\
#!{python}
import json, sys
sys.stdin.read()
print(json.dumps({{"type": "result", "is_error": False, "result": json.dumps({{"items": [{item!r}]}})}}))
"""


@pytest.fixture
def claude(cli: Cli, tmp_path: Path) -> Path:
    """A program named ``claude``, first on the PATH and the only agent there."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(_CLAUDE.format(python=sys.executable, item=ITEM))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    cli.monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


def test_reading_is_off_until_it_is_turned_on(cli: Cli, claude: Path) -> None:
    assert cli.run("reading").out.startswith("Off: ")
    on = cli.run("reading", "on", "--sessions", "20", "--model", "haiku")
    assert "Claude Code found" in on.out
    assert "at most 20 sessions" in on.out
    state = cli.run("reading", "--json").json
    assert (state["enabled"], state["calls_per_day"], state["model"]) == (True, 20, "haiku")
    assert cli.run("reading", "off").out.startswith("Off: ")
    wrong = cli.run("reading", "on", "--agent", "cursor")
    assert (wrong.code, "choose from: claude-code" in wrong.err) == (2, True)


def test_the_use_of_an_earlier_day_is_not_todays(cli: Cli, claude: Path) -> None:
    cli.run("reading", "on")
    reading_settings.save_outcome("claude-code", "", 1, 5_000)
    assert "Today: 1 session, 5,000 tokens." in cli.run("reading").out
    assert "Today: 1 session, 5,000 tokens." in cli.run("doctor").out
    saved = Path(state_folder()) / "reading-outcome.json"
    saved.write_text(json.dumps({**json.loads(saved.read_text()), "atMs": clock.now_ms() - clock.DAY_MS}))
    assert "Today: 0 sessions, 0 tokens." in cli.run("reading").out


def test_agents_are_named_in_questions(cli: Cli, claude: Path) -> None:
    declined = cli.run("install", stdin="n\n", terminal=True)
    assert (declined.code, "Set up Claude Code? [Y/n]" in declined.err) == (2, True)
    installed = cli.run("install", "claude-code", stdin="y\nn\n", terminal=True)
    assert "Let Claude Code read finished sessions" in installed.err


def test_an_older_session_is_read_on_request(olga: Cli, server: Server, claude: Path) -> None:
    project = server.create_project("Cents")
    said = {"notes": "We keep every price in cents, because rounding differs between shops.", "summary": "Understood."}
    event = {"projectId": project, "event": "session_save", "payload": said}
    session = server.http.post("/api/v2/events", json=event).json()["sessionId"]
    assert olga.run("enrich", session, "--project", project).code == 0
    read = olga.run("enrich", session, "--with", "claude-code", "--project", project)
    assert (read.code, "Claude Code is reading" in read.err) == (0, True)
    assert str(ITEM["title"]) in read.out
    titles = [item["title"] for item in server.http.get(f"/api/v2/items?projectId={project}&status=draft").json()]
    assert titles == [ITEM["title"]]
    (reading,) = server.http.get(f"/api/v2/sessions/{session}/readings").json()
    assert (reading["status"], reading["agent"]) == ("applied", "claude-code")
    assert olga.run("reading", "--sessions", "1").out.startswith("Off: ")
    limited = olga.run("enrich", session, "--with", "claude-code", "--project", project)
    assert "Claude Code did not read the session: daily limit reached; raise it with: loremark reading" in limited.err
