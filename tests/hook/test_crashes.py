"""Kill the flusher at every single step: in the end, the server has every event exactly once."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loremark.hook import commits, files, flush, http_client, outbox, spool
from tests.hook.machine import Machine

ANSWERS = [f"Answer {number}" for number in range(2)]


class Killed(BaseException):
    """Not caught by any handler."""


class Wire:
    """A fake server that deduplicates events by content, like ours."""

    def __init__(self) -> None:
        self.events: dict[bytes, Any] = {}
        self.enriched = 0

    def request(
        self, url: str, method: str, path: str, headers: Any, body: bytes = b"", **_: Any
    ) -> http_client.Response:
        if path.endswith("/ingest"):
            self.events[body] = json.loads(body)
            return http_client.Response(202, {}, b'{"eventId": "evt_1", "sessionId": "ses_1"}')
        self.enriched += path.endswith("/enrich")
        return http_client.Response(202 if method == "POST" else 404, {}, b"{}")


def die_at(step: int, patch: pytest.MonkeyPatch, wire: Wire, *, after: bool) -> None:
    """Make the process die before or after the nth disk or network operation."""
    count = 0

    def count_calls(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            is_last = count == step
            if is_last and not after:
                raise Killed
            done = real(*arguments, **named)
            if is_last:
                raise Killed
            return done

        return wrapper

    patch.setattr(http_client, "request", count_calls(wire.request))
    for name in ("write_atomic", "remove", "sync_folder"):
        patch.setattr(files, name, count_calls(getattr(files, name)))


@pytest.mark.parametrize("after", [False, True])
def test_a_kill_at_any_step_loses_and_repeats_nothing(
    local_machine: Machine, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    local_machine.secret = "s"
    local_machine.write_profile()
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # only the process dies, not the machine
    about = {"project": local_machine.project_id, "url": local_machine.url, "agent": "codex"}
    step = 0
    while True:
        step += 1
        assert step < 200
        wire = Wire()
        for number, answer in enumerate(ANSWERS):
            session = f"s-{step}-{number}"
            spool.put({**about, "kind": "prompt", "session": session, "text": f"Prompt {answer}"}, clean=True)
            spool.put({**about, "kind": "turn_end", "session": session, "text": answer}, clean=True)
        spool.put({**about, "kind": "session_end", "session": f"s-{step}-0"}, clean=True)
        with monkeypatch.context() as patch:
            die_at(step, patch, wire, after=after)
            died = False
            try:
                flush.run(include_open_turns=False)
            except Killed:
                died = True
        with monkeypatch.context() as patch:
            patch.setattr(http_client, "request", wire.request)
            assert flush.run(include_open_turns=False)
        payloads = [event["payload"] for event in wire.events.values()]
        assert Counter(payload["summary"] for payload in payloads) == Counter(ANSWERS), step
        assert Counter(payload["notes"] for payload in payloads) == Counter(f"Prompt {answer}" for answer in ANSWERS), (
            step
        )
        assert wire.enriched >= 1, step
        assert spool.list_names() == outbox.list_names() == []
        if not died:
            break
    assert step > 20


def test_commits_are_reported_once_despite_crashes(
    local_machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    local_machine.secret = "s"
    local_machine.write_profile()
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    for git_arguments in (
        ("init", "-q", "-b", "main"),
        *[("commit", "-q", "--allow-empty", "-m", f"No {n}") for n in (1, 2)],
    ):
        command = [
            "git",
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.com",
            "-C",
            str(local_machine.folder),
            *git_arguments,
        ]
        subprocess.run(command, check=True)
    note = commits.snapshot("post-commit", [], str(local_machine.folder))
    assert note is not None
    seen: list[list[str]] = []
    for step in range(1, 9):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state-{step}"))
        spool.put(note)
        wire = Wire()
        with monkeypatch.context() as patch:
            die_at(step, patch, wire, after=True)
            with suppress(Killed):
                flush.run()
        with monkeypatch.context() as patch:
            patch.setattr(http_client, "request", wire.request)
            assert flush.run()
        messages = [
            commit["message"].strip() for event in wire.events.values() for commit in event["payload"]["commits"]
        ]
        seen.append(sorted(messages))
    assert seen == [sorted(set(seen[0]))] * len(seen)
    assert "No 2" in seen[0]
