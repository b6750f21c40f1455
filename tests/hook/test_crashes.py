"""A flusher that dies at its first step, its second, its third …: the server has every event once in the end."""

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

from loremark.hook import commits, files, flush, outbox, spool, web
from tests.hook.desk import Desk

SAID = [f"Answer {number}" for number in range(2)]


class Killed(BaseException):
    """Nothing catches it."""


class Wire:
    """What is outside: a server that keeps an event once by its content, as ours does, and can die with us."""

    def __init__(self) -> None:
        self.events: dict[bytes, Any] = {}
        self.enriched = 0

    def ask(self, url: str, method: str, path: str, headers: Any, body: bytes = b"", **_: Any) -> web.Answer:
        if path.endswith("/ingest"):
            self.events[body] = json.loads(body)
            return web.Answer(202, {}, b'{"eventId": "evt_1", "sessionId": "ses_1"}')
        self.enriched += path.endswith("/enrich")
        return web.Answer(202 if method == "POST" else 404, {}, b"{}")


def die_at(step: int, patch: pytest.MonkeyPatch, wire: Wire, *, after: bool) -> None:
    """Let the process die before or after the so-manieth thing that is done to the disk or the wire."""
    count = 0

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def doing(*arguments: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            is_last = count == step
            if is_last and not after:
                raise Killed
            done = real(*arguments, **named)
            if is_last:
                raise Killed
            return done

        return doing

    patch.setattr(web, "ask", counted(wire.ask))
    for name in ("write_whole", "remove", "sync_folder"):
        patch.setattr(files, name, counted(getattr(files, name)))


@pytest.mark.parametrize("after", [False, True])
def test_death_at_every_step(here: Desk, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    here.secret = "s"
    here.write_profile()
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # the machine stays up, only the process dies
    about = {"project": here.project_id, "url": here.url, "agent": "codex"}
    step = 0
    while True:
        step += 1
        assert step < 200
        wire = Wire()
        for number, said in enumerate(SAID):
            session = f"s-{step}-{number}"
            spool.put({**about, "kind": "prompt", "session": session, "text": f"Prompt {said}"}, clean=True)
            spool.put({**about, "kind": "turn_end", "session": session, "text": said}, clean=True)
        spool.put({**about, "kind": "session_end", "session": f"s-{step}-0"}, clean=True)
        with monkeypatch.context() as patch:
            die_at(step, patch, wire, after=after)
            died = False
            try:
                flush.run(everything=False)
            except Killed:
                died = True
        with monkeypatch.context() as patch:
            patch.setattr(web, "ask", wire.ask)
            assert flush.run(everything=False)
        told = [event["payload"] for event in wire.events.values()]
        assert Counter(payload["summary"] for payload in told) == Counter(SAID), step
        assert Counter(payload["notes"] for payload in told) == Counter(f"Prompt {said}" for said in SAID), step
        assert wire.enriched >= 1, step
        assert spool.list_names() == outbox.list_names() == []
        if not died:
            break
    assert step > 20


def test_commits_are_told_once_whenever_it_dies(here: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here.secret = "s"
    here.write_profile()
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    for words in (("init", "-q", "-b", "main"), *[("commit", "-q", "--allow-empty", "-m", f"No {n}") for n in (1, 2)]):
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "-C", str(here.folder), *words]
        subprocess.run(command, check=True)
    note = commits.note("post-commit", [], str(here.folder))
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
            patch.setattr(web, "ask", wire.ask)
            assert flush.run()
        told = [commit["message"].strip() for event in wire.events.values() for commit in event["payload"]["commits"]]
        seen.append(sorted(told))
    assert seen == [sorted(set(seen[0]))] * len(seen)
    assert "No 2" in seen[0]
