"""Real agents read their own finished session: in private, without tools, and unseen by our own hooks."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents import agent_specs
from tests.agents.journey import SECRET, briefing_in
from tests.agents.model import AgentModel
from tests.agents.runs import AgentRunner
from tests.agents.testbed import AgentEnvironment
from tests.support import databases

pytestmark = pytest.mark.slow

DECIDED = "we sign the parcels of the shop with ed25519, because the scanners check that without a network"
QUOTE = "sign the parcels of the shop with ed25519"
TITLE = "Parcels are signed with ed25519"
IN_PROJECT = "obsidian-in-the-readme"
INSTRUCTED = "obsidian-in-the-instructions"
_HIDES_KEYS = ("copilot",)
"""Agents that hide keys in environment variables from hooks. A wrapper stands in for the login file of real users."""
MISUSED = "written-by-a-reading.txt"
_PROGRAMS = {"claude-code": "claude"}
"""The names of programs that differ from the agent's name."""
_LEFT_OUT = ("loremark", ".cache", ".git", ".npm", "log", "logs")
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")


@pytest.fixture
def testbed(tmp_path: Path) -> Iterator[AgentEnvironment]:
    opened = AgentEnvironment.open(tmp_path, databases.fresh("sqlite", tmp_path / "database"))
    yield opened
    opened.close()


@pytest.mark.parametrize("agent", agent_specs.AGENTS, ids=lambda agent: agent.name)
def test_agent_reads_its_own_session(
    agent: agent_specs.Agent, testbed: AgentEnvironment, packages: Path, model: AgentModel
) -> None:
    runner = testbed.runner(agent, packages, model.url)
    try:
        _prepare(runner, testbed)
        session = _work(runner, testbed, model)
        _is_read_in_the_background(runner, testbed, model, session)
        _leaves_no_trace(runner, testbed, model, session)
        _next_session_knows(runner, testbed, model)
    finally:
        runner.end_processes()


def _prepare(runner: AgentRunner, testbed: AgentEnvironment) -> None:
    """Put the agent on the PATH under its usual name, with instructions that a reading must not contain."""
    programs = testbed.folder / "programs"
    programs.mkdir()
    name = _PROGRAMS.get(runner.agent.name, runner.agent.name)
    program = runner.packages / runner.agent.program
    if runner.agent.name in _HIDES_KEYS:
        keys = " ".join(shlex.quote(f"{key}={value}") for key, value in runner.agent.settings(runner.model_url).items())
        (programs / name).write_text(f'#!/bin/sh\nexec env {keys} {program} "$@"\n')
        (programs / name).chmod(0o755)
    else:
        (programs / name).symlink_to(program)
    runner.tools = (*runner.tools, programs)
    (runner.place.project / "README.md").write_text(f"A shop for stones: {IN_PROJECT}.\n")
    for file in _INSTRUCTIONS:
        (runner.place.project / file).write_text(f"Always say {INSTRUCTED}.\n")
    testbed.command(runner, "install", runner.agent.name, "--yes")
    testbed.command(runner, "reading", "on")


def _work(runner: AgentRunner, testbed: AgentEnvironment, model: AgentModel) -> str:
    """Have the agent work on something, and return the ID of its session on the server."""
    model.read, model.misuse = _read, runner.agent.write(str(runner.place.project / MISUSED), "x")
    model.begin([runner.agent.shell("echo stone")], done=f"Understood: {DECIDED}.")
    runner.ask(f"Decision: {DECIDED}.\nMy token is {SECRET}. Say something in the shell, please.")
    testbed.wait_for(lambda: any(QUOTE in str(event["payload"]) for event in testbed.events()), "the session")
    (session,) = {event["sessionId"] for event in testbed.events()}
    return str(session)


def _read(asked: str) -> str:
    """Answer like a model that found the decision, with a wrong quote beside the right one."""
    turn = re.search(rf"#(\d+) (?:(?!\n#\d+ ).)*?{QUOTE}", asked, re.DOTALL)
    if turn is None:
        return json.dumps({"items": []})
    found = {
        "verdict": "new",
        "known": "",
        "title": TITLE,
        "content": "Parcels of the shop are signed with ed25519.",
        "reason": "The scanners check that without a network.",
        "rejected": [],
        "cause": "",
        "fix": "",
        "check": "",
        "command": "",
        "type": "decision",
        "schemaKey": "root/parcels",
        "files": [],
        "tags": [],
        "confidence": 0.9,
        "quotes": [{"turn": int(turn[1]), "quote": QUOTE}, {"turn": int(turn[1]), "quote": "nobody ever said this"}],
    }
    return f"Here is what I found:\n```json\n{json.dumps({'items': [found]})}\n```"


def _is_read_in_the_background(runner: AgentRunner, testbed: AgentEnvironment, model: AgentModel, session: str) -> None:
    """Without an end of the session, the person asks for it."""
    if not runner.agent.reports_end:
        testbed.command(runner, "enrich", session, "--with", runner.agent.name)
    testbed.wait_for(lambda: _items(testbed), "the item of the reading")
    (item,) = _items(testbed)
    assert [proof["quote"] for proof in item["evidence"]] == [QUOTE], item
    (reading,) = testbed.get(f"/api/v2/sessions/{session}/readings")
    assert (reading["status"], reading["agent"]) == ("applied", runner.agent.name), reading
    runner.wait_for_exit()
    _is_private(runner, model)


def _is_private(runner: AgentRunner, model: AgentModel) -> None:
    """One reading, without tools. Codex always offers one, which has nothing to work on: the model has tried it."""
    asked, *after_misuse = model.readings
    assert set(asked.tools) <= {"apply_patch"}
    assert len(after_misuse) == len(asked.tools)
    assert not (runner.place.project / MISUSED).exists()
    for text in (SECRET, IN_PROJECT, INSTRUCTED, "loremark:brain"):
        assert text not in asked.text, text


def _leaves_no_trace(runner: AgentRunner, testbed: AgentEnvironment, model: AgentModel, session: str) -> None:
    """Read once more, with the home and the project folder compared before and after."""
    model.begin([])
    before = _snapshot(runner)
    testbed.command(runner, "enrich", session, "--with", runner.agent.name)
    runner.wait_for_exit()
    assert _snapshot(runner) == before
    _is_private(runner, model)
    assert len(testbed.get("/api/v2/sessions", projectId=testbed.project)) == 1
    assert len(_items(testbed)) == 1


def _snapshot(runner: AgentRunner) -> dict[str, str]:
    """Return what the home and the project contain, except for what is ours, caches, logs and open journals."""
    found: dict[str, str] = {}
    for top in (runner.place.home, runner.place.project):
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name not in _LEFT_OUT]
            for name in names:
                path = Path(folder) / name
                if not path.is_symlink() and not name.endswith(("-shm", "-wal")):
                    found[str(path.relative_to(top))] = _content(path)
    return found


def _content(path: Path) -> str:
    """Return a hash of the content; of a database, the numbers of rows, because reading it may rewrite its pages."""
    data = path.read_bytes()
    if not data.startswith(b"SQLite format 3"):
        return hashlib.sha256(data).hexdigest()
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        tables = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
        rows = {table: database.execute(f'select count(*) from "{table}"').fetchone()[0] for table in tables}
    return json.dumps(rows, sort_keys=True)


def _next_session_knows(runner: AgentRunner, testbed: AgentEnvironment, model: AgentModel) -> None:
    for item in _items(testbed):
        testbed.approve(item)
    model.begin([runner.agent.shell("echo stone")])
    runner.ask("What did we decide about the parcels? Say it in the shell, please.")
    assert TITLE in briefing_in(model.turns[runner.agent.briefed_at])
    runner.wait_for_exit()


def _items(testbed: AgentEnvironment) -> list[dict[str, Any]]:
    return [item for item in testbed.items() if item["title"] == TITLE]
