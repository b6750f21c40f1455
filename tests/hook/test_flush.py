"""From the hook to the server: every event once, whatever is away, killed, doubled or refused in between."""

from __future__ import annotations

import json
import random
import time
from collections import Counter

import pytest

from tests.hook.desk import Desk, Payload, events_of
from tests.support.processes import Loremark, Process

House = tuple[Loremark, Desk]
Guest = tuple[Process, Desk]
STONES = "Errors are always answered as one object with a text, because clients parse a single shape."


def serve(house: House) -> Process:
    loremark, desk = house
    return loremark.start("serve", int(desk.url.rpartition(":")[2])).wait_ready()


def run_turns(desk: Desk, sessions: int, turns: int) -> int:
    """As many turns of as many sessions of two agents, each run a process; how many runs."""
    runs = 0
    for turn in range(turns):
        for session in range(sessions):
            payload = desk.claude if session % 2 else desk.codex
            name = f"s-{session}"
            said = {"prompt": f"Prompt {session}.{turn} of {name}"}
            edit = {"tool_name": "Edit", "tool_input": {"file_path": f"src/{session}.py"}, "tool_use_id": f"{turn}"}
            end = {"last_assistant_message": f"Answer {session}.{turn} of {name}"}
            for event, more in (("UserPromptSubmit", said), ("PostToolUse", edit), ("Stop", end)):
                assert desk.hook(payload(event, name, **more)) == b""
                runs += 1
    return runs


def check_once(events: list[tuple[str, Payload]], sessions: int, turns: int) -> None:
    payloads = [event["payload"] for _, event in events]
    wanted = [f"{session}.{turn} of s-{session}" for session in range(sessions) for turn in range(turns)]
    for field, word in (("notes", "Prompt"), ("summary", "Answer")):
        said = [line for payload in payloads for line in payload.get(field, "").split("\n\n") if line]
        assert sorted(said) == sorted(f"{word} {each}" for each in wanted)
    assert sum((Counter(payload.get("tools", {})) for payload in payloads), Counter()) == {"Edit": len(wanted)}
    # Two agents at once do not mix: every event tells of one session only, and is in that session.
    where: dict[str, set[str]] = {}
    for session_id, event in events:
        payload = event["payload"]
        words = f"{payload.get('notes', '')} {payload['summary']}".split()
        names = {word.rstrip(".") for word in words if word.startswith("s-")}
        assert {payload["source"].partition(":")[2]} >= names
        where.setdefault(payload["source"], set()).add(session_id)
    assert sorted(map(len, where.values())) == [1] * sessions


def test_a_session_becomes_memory_and_the_next_one_is_briefed(guest: Guest) -> None:
    tell_and_be_told(*guest)


@pytest.mark.parametrize("house", ["postgresql"], indirect=True)
def test_the_same_on_postgresql(house: House) -> None:
    with serve(house) as server:
        tell_and_be_told(server, house[1])


def tell_and_be_told(server: Process, desk: Desk) -> None:
    assert b"no memory yet" in desk.hook(desk.claude("SessionStart", source="startup"))
    desk.hook(desk.claude("UserPromptSubmit", prompt=f"Decision: {STONES} Now do it.", prompt_id="p1"))
    desk.hook(desk.claude("PostToolUse", tool_name="Edit", tool_input={"file_path": str(desk.folder / "src/app.py")}))
    desk.hook(desk.claude("Stop", last_assistant_message="I made all handlers answer so in `src/app.py`."))
    desk.hook(desk.claude("SessionEnd", reason="exit"))
    stop = time.monotonic() + 60
    brain = ""
    with server.client(desk.key) as client:
        while STONES not in brain and time.monotonic() < stop:
            time.sleep(0.2)
            brain = client.get("/api/v2/brain", params={"projectId": desk.project_id, "format": "markdown"}).text
    ((_, event),) = events_of(server, desk)
    assert event["payload"]["files"] == ["src/app.py"]
    assert event["payload"]["agent"] == "claude-code"
    said = json.loads(desk.hook(desk.claude("SessionStart", "s-2", source="startup")))
    context = said["hookSpecificOutput"]["additionalContext"]
    assert STONES in context
    assert context.startswith("<!-- loremark:brain -->\n")
    assert context.endswith("\n<!-- /loremark:brain -->")
    # What was briefed is not captured as the person's words.
    desk.hook(desk.claude("UserPromptSubmit", "s-2", prompt=f"{context}\nThank you"))
    (kept,) = (desk.spool / "records").glob("*.prompt")
    assert json.loads(kept.read_text())["text"] == "Thank you"
    profile = desk.home / ".config" / "loremark" / "profile.json"
    assert json.loads(profile.read_text())["secrets"].keys() == {desk.project_id}
    assert profile.stat().st_mode & 0o777 == 0o600


def test_with_the_server_down_and_then_up_every_event_arrives_once(house: House) -> None:
    _, desk = house
    assert run_turns(desk, sessions=3, turns=4) == 36
    desk.kill_flusher()
    assert len(desk.waiting()) >= 12
    with serve(house) as server:
        desk.flush()
        check_once(events_of(server, desk), sessions=3, turns=4)
    assert desk.refused() == []


@pytest.mark.slow
def test_a_thousand_runs_with_the_server_down_and_then_up(house: House) -> None:
    _, desk = house
    assert run_turns(desk, sessions=6, turns=56) == 1_008
    desk.kill_flusher()
    with serve(house) as server:
        desk.flush()
        check_once(events_of(server, desk), sessions=6, turns=56)


def test_a_flusher_killed_at_any_moment_loses_and_doubles_nothing(guest: Guest) -> None:
    server, desk = guest
    desk.write_profile(url="http://127.0.0.1:9")  # away, as far as the hook can see
    run_turns(desk, sessions=2, turns=3)
    desk.kill_flusher()
    assert desk.waiting()
    for path in (*(desk.spool / "records").glob("[!.]*"), *(desk.spool / "outbox").glob("[!.]*")):
        path.write_text(path.read_text().replace("http://127.0.0.1:9", desk.url))
    desk.write_profile()
    kills, chance = 0, random.Random(8)
    for _ in range(12):
        with desk.start(b"", "flush") as flushing:
            time.sleep(0.05 + chance.random() * 0.2)
            if flushing.poll() is None:
                flushing.kill()
                kills += 1
            flushing.communicate()
    assert kills
    desk.flush()
    check_once(events_of(server, desk), sessions=2, turns=3)


def test_hooks_in_two_places_tell_a_thing_once(guest: Guest) -> None:
    """Copilot runs the hooks of Claude Code's configuration as well as its own."""
    server, desk = guest
    ours = {"sessionId": "s-1", "timestamp": 1_794_830_400_000, "cwd": str(desk.folder)}
    theirs = {"session_id": "s-1", "timestamp": "2026-11-16T12:00:00.000Z", "cwd": str(desk.folder)}
    assert b"additionalContext" in desk.hook({**ours, "source": "new"}, "copilot")
    assert desk.hook({**theirs, "hook_event_name": "SessionStart", "source": "new"}, "claude") == b""
    desk.hook({**ours, "prompt": "Why is it so?"}, "copilot")
    desk.hook({**theirs, "hook_event_name": "UserPromptSubmit", "prompt": "Why is it so?"}, "claude")
    desk.hook({**ours, "stopReason": "end_turn"}, "copilot")
    desk.hook({**theirs, "hook_event_name": "Stop", "stop_reason": "end_turn"}, "claude")
    desk.flush()
    ((_, event),) = events_of(server, desk)
    assert (event["payload"]["notes"], event["payload"]["source"]) == ("Why is it so?", "copilot:s-1")


def test_what_is_refused_for_good_is_put_aside_and_the_rest_goes_on(guest: Guest) -> None:
    server, desk = guest
    gone = "prj_01jd0000000000000000000000"
    desk.write_profile(secrets={desk.project_id: "a secret that was changed since", gone: "x"})
    desk.link(gone)
    desk.hook(desk.claude("Stop", last_assistant_message="Told to a project that is not there."))
    desk.link(desk.project_id)
    (desk.spool / "records" / "1794830400000-aaaaaaaaaaaa.prompt").write_bytes(b'{"kind": "prom')
    desk.hook(desk.claude("Stop", "s-2", last_assistant_message="Taken."))
    desk.flush()
    assert [event["payload"]["summary"] for _, event in events_of(server, desk)] == ["Taken."]
    reasons = [json.loads(each)["reason"] for each in desk.refused()]
    assert sorted(reasons) == ["404 Project not found", "no record that can be read"]
