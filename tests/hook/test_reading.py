"""A finished session is read by the person's own agent: once, bounded, and never at the cost of what was captured."""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hook.machine import Machine
from tests.support.processes import Process

ConnectedMachine = tuple[Process, Machine]
PROMPT = "How do we round invoice lines? Half up like everybody else, or is there a rule?"
SETTLED = "Down. Always down, the auditors insist on it since 2024."
SECRET = "ghp_" + "q7Zr2Lw9" + "Xk4Tb6Vn" + "Yc3Md8Ps" + "Hf5Jg1Ra" + "Ue0W"
RULE = {
    "verdict": "new",
    "known": "",
    "title": "Round invoice lines down, never half up",
    "content": "Each invoice line is rounded down.",
    "reason": "The auditors insist on it since 2024.",
    "type": "convention",
    "schemaKey": "root/billing",
    "files": [],
    "tags": [],
    "confidence": 0.9,
    "quotes": [{"turn": 3, "quote": "Down. Always down, the auditors insist on it"}],
}
_AGENT = """\
#!{python}
import json, os, sys, time
prompt = sys.stdin.read()
with open({calls!r}, "a") as calls:
    calls.write(json.dumps({{"pid": os.getpid(), "prompt": prompt, "arguments": sys.argv[1:]}}) + "\\n")
{body}
"""
_ANSWER = """\
usage = {"input_tokens": 1500, "output_tokens": 90}
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": ANSWER, "usage": usage,
                  "session_id": "x", "num_turns": 1}))
"""


class Agent:
    """A program named ``claude`` on the machine's PATH that records its calls."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self._machine = machine
        self._calls = folder / "calls.jsonl"
        self._program = folder / "claude"
        folder.mkdir()
        machine.settings["PATH"] = f"{folder}:{os.environ['PATH']}"
        self.turn_on()
        self.answers(RULE)

    def turn_on(self, **more: Any) -> None:
        settings = {"enabled": True, "agent": "claude-code", **more}
        (self._machine.home / ".config" / "loremark" / "reading.json").write_text(json.dumps(settings))

    def answers(self, *items: dict[str, Any]) -> None:
        self.does(f"ANSWER = {json.dumps({'items': items})!r}\n{_ANSWER}")

    def does(self, body: str) -> None:
        python = os.path.realpath(os.sys.executable)  # type: ignore[attr-defined]
        self._program.write_text(_AGENT.format(python=python, calls=str(self._calls), body=body))
        self._program.chmod(self._program.stat().st_mode | stat.S_IXUSR)

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._calls.read_text().splitlines()] if self._calls.exists() else []


@pytest.fixture
def agent(connected: ConnectedMachine, tmp_path: Path) -> Agent:
    return Agent(connected[1], tmp_path / "bin")


def _work(machine: Machine, session: str = "s-1") -> None:
    said = ((PROMPT, "I suggest half up, as most tax offices do it."), (f"{SETTLED} My token: {SECRET}", "Done."))
    machine.hook(machine.claude("SessionStart", session, source="startup"))
    for number, (prompt, answer) in enumerate(said):
        machine.hook(machine.claude("UserPromptSubmit", session, prompt=prompt, prompt_id=f"{session}-{number}"))
        machine.hook(machine.claude("Stop", session, last_assistant_message=answer))
    machine.hook(machine.claude("SessionEnd", session, reason="exit"))


def _items(server: Process, machine: Machine) -> list[dict[str, Any]]:
    with server.client(machine.key) as client:
        found: list[dict[str, Any]] = client.get("/api/v2/items", params={"projectId": machine.project_id}).json()
    return found


def _readings(server: Process, machine: Machine) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    with server.client(machine.key) as client:
        for session in client.get("/api/v2/sessions", params={"projectId": machine.project_id}).json():
            found += client.get(f"/api/v2/sessions/{session['id']}/readings").json()
    return found


def _wait(is_done: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _is_enriched(server: Process, machine: Machine, sessions: int = 1) -> bool:
    with server.client(machine.key) as client:
        found = client.get("/api/v2/sessions", params={"projectId": machine.project_id}).json()
    return len(found) == sessions and all(session["status"] == "completed" for session in found)


def test_the_agent_reads_a_finished_session_once(connected: ConnectedMachine, agent: Agent) -> None:
    server, machine = connected
    _work(machine)
    _wait(lambda: _items(server, machine))
    (item,) = _items(server, machine)
    assert item["title"] == RULE["title"]
    assert [quote["quote"] for quote in item["evidence"]] == [RULE["quotes"][0]["quote"]]  # type: ignore[index]
    (call,) = agent.calls
    assert SETTLED[:40] in call["prompt"]
    assert SECRET not in call["prompt"]
    assert not any(PROMPT in argument for argument in call["arguments"])
    (reading,) = _readings(server, machine)
    assert (reading["agent"], reading["promptTokens"], reading["completionTokens"]) == ("claude-code", 1500, 90)
    machine.flush()
    assert len(agent.calls) == 1
    block = json.loads(machine.start_session("s-2") or "{}")
    prompt = machine.claude("UserPromptSubmit", "s-2", prompt="Fix the rounding of invoice lines", prompt_id="p")
    block = json.loads(machine.hook(prompt) or "{}")
    assert RULE["title"] in block["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "body",
    ["sys.exit('Not logged in. Please run /login')", "print('I would rather talk about the weather.')", ""],
    ids=["signed out", "no JSON", "silence"],
)
def test_without_an_answer_the_server_does_it(connected: ConnectedMachine, agent: Agent, body: str) -> None:
    server, machine = connected
    agent.does(body)
    _work(machine)
    _wait(lambda: _is_enriched(server, machine))
    assert [item["type"] for item in _items(server, machine)] == ["convention"]  # by the rules
    assert [reading["status"] for reading in _readings(server, machine)] == ["failed"]
    _work(machine, "s-2")
    _wait(lambda: _is_enriched(server, machine, 2))
    assert len(agent.calls) == 1  # it would only fail again


def test_a_process_killed_at_any_moment_loses_and_doubles_nothing(connected: ConnectedMachine, agent: Agent) -> None:
    server, machine = connected
    agent.does("time.sleep(600)")
    _work(machine)
    _wait(lambda: len(agent.calls) == 1)
    _kill_reading(machine, agent)
    agent.answers(RULE)
    machine.hook(machine.claude("SessionStart", "s-2", source="startup"))
    _wait(lambda: _items(server, machine))
    assert [item["title"] for item in _items(server, machine)] == [RULE["title"]]
    assert [reading["status"] for reading in _readings(server, machine)] == ["applied"]
    assert len(agent.calls) == 2


def test_an_answer_given_before_a_kill_is_not_asked_for_again(connected: ConnectedMachine, agent: Agent) -> None:
    server, machine = connected
    machine.write_profile(enrich=False)
    _work(machine)
    machine.flush()
    machine.write_profile()
    answers = machine.spool / "answers"
    answers.mkdir(parents=True, exist_ok=True)
    with server.client(machine.key) as client:
        (session,) = client.get("/api/v2/sessions", params={"projectId": machine.project_id}).json()
        opened = client.post(f"/api/v2/sessions/{session['id']}/readings", json={"agent": "claude-code"}).json()
    kept = {"text": json.dumps({"items": [RULE]}), "model": "haiku", "promptTokens": 10, "completionTokens": 5}
    (answers / f"{opened['id']}.1.json").write_text(json.dumps(kept))
    machine.flush()
    _wait(lambda: _items(server, machine))
    assert agent.calls == []
    assert list(answers.iterdir()) == []


def test_nothing_is_read_when_it_is_off_or_the_limit_is_reached(connected: ConnectedMachine, agent: Agent) -> None:
    server, machine = connected
    agent.turn_on(enabled=False)
    _work(machine)
    _wait(lambda: _is_enriched(server, machine))
    agent.turn_on(callsPerDay=0)
    _work(machine, "s-2")
    _wait(lambda: _is_enriched(server, machine, 2))
    assert agent.calls == []


def _kill_reading(machine: Machine, agent: Agent) -> None:
    pid = int((machine.spool / "reading.lock").read_text())
    os.kill(pid, signal.SIGKILL)
    os.kill(agent.calls[-1]["pid"], signal.SIGKILL)
