"""A turn whose prompt starts with the private prefix leaves nothing on disk and reaches no server."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from loremark.hook import agents, hook, private_turns, spawn, spool, spool_limits
from loremark.hook.link import find_link
from tests.hook.machine import Machine, events_of
from tests.support.processes import Process

SECRET = "the merger with Basalt"


def send(machine: Machine, payload: dict[str, Any]) -> None:
    """Run the hook in this process."""
    link = find_link(str(machine.folder))
    assert link is not None
    agent = "codex" if "codex" in payload["transcript_path"] else "claude-code"
    kind = agents.record_kind(agent, payload)
    assert kind is not None
    hook._record(kind, hook._build(agent, kind, payload, link))


def records() -> list[tuple[str, str]]:
    found = [record for name in spool.list_names() if (record := spool.read(name)) is not None]
    return [(record["kind"], record.get("text") or record.get("input") or "") for record in found]


@pytest.fixture
def quiet_machine(local_machine: Machine) -> Machine:
    """A machine on which no flusher starts."""
    assert spawn.acquire_lock() is not None
    return local_machine


def private_turn(machine: Machine, prompt: str = f"[Private] Think about {SECRET}.", **more: Any) -> None:
    send(machine, machine.claude("UserPromptSubmit", prompt=prompt, **more))
    send(machine, machine.claude("PostToolUse", tool_name="Bash", tool_input={"command": f"grep '{SECRET}'"}))
    send(machine, machine.claude("PreCompact"))
    send(machine, machine.claude("Stop", last_assistant_message=f"I thought about {SECRET}."))


def public_turn(machine: Machine) -> None:
    send(machine, machine.claude("UserPromptSubmit", prompt="Build it."))
    send(machine, machine.claude("PostToolUse", tool_name="Bash", tool_input={"command": "make"}))
    send(machine, machine.claude("Stop", last_assistant_message="Built."))


PUBLIC = [("prompt", "Build it."), ("tool", "make"), ("turn_end", "Built.")]


def test_nothing_of_a_private_turn_is_recorded(quiet_machine: Machine) -> None:
    public_turn(quiet_machine)
    private_turn(quiet_machine)
    public_turn(quiet_machine)
    assert records() == PUBLIC * 2
    assert SECRET.encode() not in quiet_machine.everything()


def test_the_turn_ends_with_the_session_or_the_next_prompt(quiet_machine: Machine) -> None:
    send(quiet_machine, quiet_machine.claude("UserPromptSubmit", prompt=f"[private] {SECRET}"))
    public_turn(quiet_machine)  # the private turn was interrupted and has no end
    send(quiet_machine, quiet_machine.claude("UserPromptSubmit", prompt=f"[private] {SECRET}"))
    send(quiet_machine, quiet_machine.claude("SessionEnd", reason="exit"))
    assert records() == [*PUBLIC, ("session_end", "")]
    assert list(Path(private_turns.folder()).iterdir()) == []


def test_hooks_that_run_twice_do_not_record_the_answer(quiet_machine: Machine) -> None:
    for _ in range(2):
        send(quiet_machine, quiet_machine.claude("UserPromptSubmit", prompt=f"[private] {SECRET}"))
    for _ in range(2):
        send(quiet_machine, quiet_machine.claude("Stop", last_assistant_message=SECRET))
    assert records() == []


def test_other_sessions_are_recorded(quiet_machine: Machine) -> None:
    send(quiet_machine, quiet_machine.claude("UserPromptSubmit", prompt=f"[private] {SECRET}"))
    send(quiet_machine, quiet_machine.claude("UserPromptSubmit", "s-2", prompt="And this?"))
    send(quiet_machine, quiet_machine.codex("UserPromptSubmit", "s-1", prompt="And that?"))
    assert [text for _, text in records()] == ["And this?", "And that?"]


@pytest.mark.parametrize(
    ("setting", "prompt", "is_private"),
    [
        ("", "  \n[PRIVATE]tell me", True),
        ("", "<system-reminder>Be brief</system-reminder>[private] tell me", True),
        ("", "tell me [private]", False),
        ("", "[privat", False),
        ('private_prefix = "off the record:"', "Off the Record: tell me", True),
        ('private_prefix = "off the record:"', "[private] tell me", False),
        ('private_prefix = ""', "[private] tell me", False),
        ('private_prefix = "  "', "[private] tell me", False),
        ("private_prefix = 5", "[private] tell me", True),
        ('[other]\nprivate_prefix = ""', "[private] tell me", True),
    ],
)
def test_the_prefix(quiet_machine: Machine, setting: str, prompt: str, is_private: bool) -> None:
    path = quiet_machine.folder / ".loremark.toml"
    path.write_text(f"{path.read_text()}{setting}\n")
    send(quiet_machine, quiet_machine.claude("UserPromptSubmit", prompt=prompt))
    assert bool(records()) is not is_private


def test_codex_notifications_contain_the_prompt(quiet_machine: Machine) -> None:
    notify = {"type": "agent-turn-complete", "thread-id": "t", "last-assistant-message": SECRET}
    for prompt in (f"[private] {SECRET}", "Build it."):
        answer = SECRET if SECRET in prompt else "Built."
        payload = {**notify, "input-messages": [prompt], "last-assistant-message": answer}
        send(quiet_machine, {**payload, "transcript_path": "codex"})
    assert records() == [("turn_end", "Built.")]


def test_old_markers_are_deleted(quiet_machine: Machine) -> None:
    send(quiet_machine, quiet_machine.claude("UserPromptSubmit", prompt=f"[private] {SECRET}"))
    spool_limits.trim()
    (marker,) = Path(private_turns.folder()).iterdir()
    assert marker.stat().st_mode & 0o777 == 0o600
    os.utime(marker, ns=(0, 0))
    spool_limits.trim()
    assert not marker.exists()


def test_a_private_turn_never_reaches_the_server(connected: tuple[Process, Machine]) -> None:
    server, machine = connected
    for prompt, command, answer in (
        ("Build it.", "make", "Built."),
        (f"[private] {SECRET}", f"grep '{SECRET}'", f"About {SECRET}."),
        ("Test it.", "make test", "Tested."),
    ):
        machine.hook(machine.claude("UserPromptSubmit", prompt=prompt))
        machine.hook(machine.claude("PostToolUse", tool_name="Bash", tool_input={"command": command}))
        machine.hook(machine.claude("Stop", last_assistant_message=answer))
    assert SECRET.encode() not in machine.everything()
    machine.flush()
    events = events_of(server, machine)
    assert SECRET not in json.dumps(events)
    said = sorted((event["payload"]["notes"], event["payload"]["summary"]) for _, event in events)
    assert said == [("Build it.", "Built."), ("Test it.", "Tested.")]
