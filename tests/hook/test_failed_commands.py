"""Commands that failed are captured with their error, apart from those that succeeded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loremark.hook import agents, record, sessions, spool, tool_errors, tools, turns
from loremark.hook.link import Link
from tests.hook.machine import Machine, events_of
from tests.memory.secret_samples import SECRETS
from tests.support.processes import Process

PAYLOADS = Path(__file__).parents[1] / "agents" / "payloads"
LINK = Link("prj_stones", "http://127.0.0.1:1", "/home/dev/project", "")
MISSING = "cat: no-such-file: No such file or directory"
# Codex reports only the output of a command, which does not say whether it failed.
FAILED = ["claude-code/PostToolUseFailure", "copilot/postToolUse-2", "copilot-pascal/PostToolUse-2"]
FAILED += ["gemini/AfterTool-2", "cline/PostToolUse-2"]


@pytest.mark.parametrize("name", FAILED)
def test_recorded_payloads_tell_of_a_failed_command(name: str) -> None:
    payload = json.loads((PAYLOADS / f"{name}.json").read_text())
    kind = agents.record_kind(agents.detect(payload), payload)
    assert kind == spool.TOOL
    made = record.build(agents.detect(payload), kind, payload, LINK)
    assert made is not None
    assert made["input"] == "cat no-such-file"
    assert made["failed"] is True
    assert made["error"] in (MISSING, "Command exited with code 1")


def test_all_other_recorded_payloads_succeeded() -> None:
    for path in PAYLOADS.glob("*/*.json"):
        if f"{path.parent.name}/{path.stem}" not in FAILED and path.parent.name != "opencode":
            assert tool_errors.find_error(json.loads(path.read_text())) is None, path


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ({"tool_response": {"exit": 1, "output": "one\nlast line\n"}}, "last line"),
        ({"tool_response": {"exit_code": 0, "output": "error: no"}}, None),
        ({"tool_response": {"exitCode": True}}, None),
        ({"tool_response": {"error": {"message": "timed out", "type": "x"}, "llmContent": ""}}, "timed out"),
        ({"tool_response": {"error": None}}, None),
        ({"tool_response": {"isError": True}}, ""),
        ({"tool_output": '{"exitCode": 2, "stderr": "bad"}'}, "bad"),
        ({"tool_output": '{"exitCode": 2, '}, None),
        ({"tool_response": "Exit code: 1"}, None),
        ({"toolName": "bash", "toolArgs": {"command": "x"}, "error": "it failed"}, "it failed"),
        ({"hook_event_name": "PostToolUseFailure"}, ""),
        ({"hook_event_name": "PostToolUseFailure", "error": "x" * 5_000}, "x" * 200),
        ({"hook_event_name": "PostToolUseFailure", "error": "a\x1b[31mb\x07"}, "a[31mb"),
        ({"tool_response": {"llmContent": "Output: Exit Code: 1\nProcess Group PGID: 1\n"}}, None),
        ({"tool_response": [[[{"success": False}]]]}, ""),
    ],
)
def test_the_error_is_read_from_known_fields(payload: dict[str, Any], error: str | None) -> None:
    assert tool_errors.find_error(payload) == error


def test_errors_contain_no_secrets() -> None:
    for line, secret in SECRETS:
        found = tool_errors.find_error({"hook_event_name": "PostToolUseFailure", "error": f"failed\n{line}"})
        assert found is not None
        assert not secret or secret not in found, line


def test_a_failed_edit_changed_no_file() -> None:
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "/w/a.py"}, "hook_event_name": "PostToolUseFailure"}
    assert tools.describe(edit, "/w") == {"tool": "Edit", "failed": True}
    assert tools.describe({**edit, "hook_event_name": "PostToolUse"}, "/w") == {"tool": "Edit", "files": ["a.py"]}


def ran(command: str, error: str | None = None) -> dict[str, Any]:
    entry = {"kind": spool.TOOL, "tool": "Bash", "input": command, "agent": "claude-code", "session": "s"}
    return entry if error is None else {**entry, "failed": True, "error": error}


@pytest.mark.parametrize(
    ("runs", "commands", "failed"),
    [
        ([ran("ls"), ran("make", "no rule")], ["ls"], [{"command": "make", "error": "no rule"}]),
        ([ran("make", "no rule"), ran("make")], ["make"], None),
        ([ran("make", "one"), ran("make", "two")], None, [{"command": "make", "error": "two"}]),
        ([ran("make"), ran("make", "")], None, [{"command": "make", "error": ""}]),
    ],
)
def test_the_last_run_of_a_command_decides(
    runs: list[dict[str, Any]], commands: list[str] | None, failed: list[dict[str, str]] | None
) -> None:
    payload = turns.build_payload(runs, "n")
    assert payload is not None
    assert payload.get("commands") == commands
    assert payload.get("failedCommands") == failed


def test_a_success_right_after_a_failure_is_not_a_repeat() -> None:
    runs = [ran("make", "no rule"), ran("make"), ran("make")]
    names = [f"{1_794_830_400_000 + at}-000000-x.tool" for at in range(3)]
    assert sessions.find_new({}, names, runs)[0] == [True, True, False]


def test_failed_commands_reach_the_server(connected: tuple[Process, Machine]) -> None:
    server, machine = connected
    machine.hook(machine.claude("UserPromptSubmit", prompt="Build it."))
    for event, command, more in (
        ("PostToolUseFailure", "make build", {"error": "Exit code 2\nmake: *** [build] Error 1"}),
        ("PostToolUseFailure", "make test", {"error": "Exit code 1"}),
        ("PostToolUse", "make test", {"tool_response": {"stdout": "", "stderr": ""}}),
    ):
        machine.hook(machine.claude(event, tool_name="Bash", tool_input={"command": command}, **more))
    machine.hook(machine.claude("Stop", last_assistant_message="The build fails."))
    machine.flush()
    ((_, event_),) = events_of(server, machine)
    assert event_["payload"]["commands"] == ["make test"]
    assert event_["payload"]["failedCommands"] == [{"command": "make build", "error": "make: *** [build] Error 1"}]
