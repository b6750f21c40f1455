"""From the hook to the server: every event arrives exactly once despite outages, crashes, duplicates and rejections."""

from __future__ import annotations

import json
import random
import time
from collections import Counter

import pytest

from tests.hook.machine import Machine, Payload, events_of
from tests.support.processes import Loremark, Process

StoppedServer = tuple[Loremark, Machine]
ConnectedMachine = tuple[Process, Machine]
STONES = "Errors are always answered as one object with a text, because clients parse a single shape."


def serve(stopped_server: StoppedServer) -> Process:
    loremark, machine = stopped_server
    return loremark.start("serve", int(machine.url.rpartition(":")[2])).wait_ready()


def run_turns(machine: Machine, sessions: int, turns: int) -> int:
    """Run turns of several sessions of two agents, one process per event. Returns the number of runs."""
    runs = 0
    for turn in range(turns):
        for session in range(sessions):
            payload = machine.claude if session % 2 else machine.codex
            name = f"s-{session}"
            prompt = {"prompt": f"Prompt {session}.{turn} of {name}"}
            edit = {"tool_name": "Edit", "tool_input": {"file_path": f"src/{session}.py"}, "tool_use_id": f"{turn}"}
            end = {"last_assistant_message": f"Answer {session}.{turn} of {name}"}
            for event, more in (("UserPromptSubmit", prompt), ("PostToolUse", edit), ("Stop", end)):
                assert machine.hook(payload(event, name, **more)) == b""
                runs += 1
    return runs


def check_once(events: list[tuple[str, Payload]], sessions: int, turns: int) -> None:
    payloads = [event["payload"] for _, event in events]
    expected = [f"{session}.{turn} of s-{session}" for session in range(sessions) for turn in range(turns)]
    for field, word in (("notes", "Prompt"), ("summary", "Answer")):
        lines = [line for payload in payloads for line in payload.get(field, "").split("\n\n") if line]
        assert sorted(lines) == sorted(f"{word} {each}" for each in expected)
    assert sum((Counter(payload.get("tools", {})) for payload in payloads), Counter()) == {"Edit": len(expected)}
    # Concurrent agents don't mix: every event covers one session and is stored in it.
    session_ids: dict[str, set[str]] = {}
    for session_id, event in events:
        payload = event["payload"]
        words = f"{payload.get('notes', '')} {payload['summary']}".split()
        names = {word.rstrip(".") for word in words if word.startswith("s-")}
        assert {payload["source"].partition(":")[2]} >= names
        session_ids.setdefault(payload["source"], set()).add(session_id)
    assert sorted(map(len, session_ids.values())) == [1] * sessions


def test_a_session_becomes_memory_and_the_next_one_is_briefed(connected: ConnectedMachine) -> None:
    check_capture_and_briefing(*connected)


@pytest.mark.parametrize("stopped_server", ["postgresql"], indirect=True)
def test_the_same_on_postgresql(stopped_server: StoppedServer) -> None:
    with serve(stopped_server) as server:
        check_capture_and_briefing(server, stopped_server[1])


def check_capture_and_briefing(server: Process, machine: Machine) -> None:
    assert b"no approved memories" in machine.start_session()
    machine.hook(machine.claude("UserPromptSubmit", prompt=f"Decision: {STONES} Now do it.", prompt_id="p1"))
    machine.hook(
        machine.claude("PostToolUse", tool_name="Edit", tool_input={"file_path": str(machine.folder / "src/app.py")})
    )
    machine.hook(machine.claude("Stop", last_assistant_message="I made all handlers answer so in `src/app.py`."))
    machine.hook(machine.claude("SessionEnd", reason="exit"))
    deadline = time.monotonic() + 60
    brain = ""
    with server.client(machine.key) as client:
        while STONES not in brain and time.monotonic() < deadline:
            time.sleep(0.2)
            brain = client.get("/api/v2/brain", params={"projectId": machine.project_id, "format": "markdown"}).text
    ((_, event),) = events_of(server, machine)
    assert event["payload"]["files"] == ["src/app.py"]
    assert event["payload"]["agent"] == "claude-code"
    response = json.loads(machine.start_session("s-2"))
    context = response["hookSpecificOutput"]["additionalContext"]
    assert STONES in context
    assert context.startswith("<!-- loremark:brain -->\n")
    assert context.endswith("\n<!-- /loremark:brain -->")
    # The briefing is not captured as part of the user's prompt.
    machine.hook(machine.claude("UserPromptSubmit", "s-2", prompt=f"{context}\nThank you"))
    (kept,) = (machine.spool / "records").glob("*.prompt")
    assert json.loads(kept.read_text())["text"] == "Thank you"
    profile = machine.home / ".config" / "loremark" / "profile.json"
    assert json.loads(profile.read_text())["secrets"].keys() == {machine.project_id}
    assert profile.stat().st_mode & 0o777 == 0o600


def test_every_event_arrives_once_after_an_outage(stopped_server: StoppedServer) -> None:
    _, machine = stopped_server
    assert run_turns(machine, sessions=3, turns=4) == 36
    machine.kill_flusher()
    assert len(machine.waiting()) >= 12
    with serve(stopped_server) as server:
        machine.flush()
        check_once(events_of(server, machine), sessions=3, turns=4)
    assert machine.rejected() == []


@pytest.mark.slow
def test_a_thousand_runs_during_and_after_an_outage(stopped_server: StoppedServer) -> None:
    _, machine = stopped_server
    assert run_turns(machine, sessions=6, turns=56) == 1_008
    machine.kill_flusher()
    with serve(stopped_server) as server:
        machine.flush()
        check_once(events_of(server, machine), sessions=6, turns=56)


def test_a_killed_flusher_loses_and_duplicates_nothing(connected: ConnectedMachine) -> None:
    server, machine = connected
    machine.write_profile(url="http://127.0.0.1:9")  # unreachable for the hook
    run_turns(machine, sessions=2, turns=3)
    machine.kill_flusher()
    assert machine.waiting()
    for path in (*(machine.spool / "records").glob("[!.]*"), *(machine.spool / "outbox").glob("[!.]*")):
        path.write_text(path.read_text().replace("http://127.0.0.1:9", machine.url))
    machine.write_profile()
    kills, chance = 0, random.Random(8)
    for _ in range(12):
        with machine.start(b"", "flush") as flushing:
            time.sleep(0.05 + chance.random() * 0.2)
            if flushing.poll() is None:
                flushing.kill()
                kills += 1
            flushing.communicate()
    assert kills
    machine.flush()
    check_once(events_of(server, machine), sessions=2, turns=3)


def test_hooks_installed_twice_report_each_event_once(connected: ConnectedMachine) -> None:
    """Copilot runs Claude Code's hooks in addition to its own."""
    server, machine = connected
    ours = {"sessionId": "s-1", "timestamp": 1_794_830_400_000, "cwd": str(machine.folder)}
    theirs = {"session_id": "s-1", "timestamp": "2026-11-16T12:00:00.000Z", "cwd": str(machine.folder)}
    assert b"additionalContext" in machine.hook({**ours, "source": "new"}, "copilot")
    assert machine.hook({**theirs, "hook_event_name": "SessionStart", "source": "new"}, "claude") == b""
    machine.hook({**ours, "prompt": "Why is it so?"}, "copilot")
    machine.hook({**theirs, "hook_event_name": "UserPromptSubmit", "prompt": "Why is it so?"}, "claude")
    machine.hook({**ours, "stopReason": "end_turn"}, "copilot")
    machine.hook({**theirs, "hook_event_name": "Stop", "stop_reason": "end_turn"}, "claude")
    machine.flush()
    ((_, event),) = events_of(server, machine)
    assert (event["payload"]["notes"], event["payload"]["source"]) == ("Why is it so?", "copilot:s-1")


def test_permanently_rejected_batches_do_not_block_others(connected: ConnectedMachine) -> None:
    server, machine = connected
    gone = "prj_01jd0000000000000000000000"
    machine.write_profile(secrets={machine.project_id: "a secret that was changed since", gone: "x"})
    machine.link(gone)
    machine.hook(machine.claude("Stop", last_assistant_message="Told to a project that is not there."))
    machine.link(machine.project_id)
    (machine.spool / "records" / "1794830400000-aaaaaaaaaaaa.prompt").write_bytes(b'{"kind": "prom')
    machine.hook(machine.claude("Stop", "s-2", last_assistant_message="Taken."))
    machine.flush()
    assert [event["payload"]["summary"] for _, event in events_of(server, machine)] == ["Taken."]
    reasons = [json.loads(each)["reason"] for each in machine.rejected()]
    assert sorted(reasons) == ["404 Project not found", "unreadable record"]
    for path in (machine.spool / "rejected").glob("*.json"):
        path.write_text(path.read_text().replace(gone, machine.project_id))
    for _ in range(2):
        machine.flush()
        summaries = [event["payload"]["summary"] for _, event in events_of(server, machine)]
        assert sorted(summaries) == ["Taken.", "Told to a project that is not there."], "retried once"
    assert [json.loads(each)["reason"] for each in machine.rejected()] == ["unreadable record"]
