"""While a folder is paused, nothing is recorded from agents and git there, and no briefing is given."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from loremark.base import clock
from loremark.base.folders import state_folder
from loremark.hook import hook, pausing, spawn, spool
from tests.hook.git_repositories import Repository, create, subjects, use_home
from tests.hook.machine import Machine, events_of
from tests.support.processes import Process


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_home(tmp_path / "home", monkeypatch)
    made = create(tmp_path / "work", monkeypatch)
    made.watch()
    made.commit("a.py", "a = 1\n", "Add a")
    assert subjects(made.events()) == ["Add a"]
    return made


def prompt(machine: Machine) -> int:
    """Send a prompt to the hook in this process, and return how many records there are."""
    payload = json.dumps(machine.claude("UserPromptSubmit", prompt="Build it."))
    hook.run([payload])
    return len(spool.list_names())


def test_a_pause_covers_the_folder_and_below(local_machine: Machine) -> None:
    assert spawn.acquire_lock() is not None
    folder = str(local_machine.folder)
    below = local_machine.folder / "src"
    below.mkdir()
    assert prompt(local_machine) == 1
    paused = pausing.pause(folder, None)
    assert paused == (os.path.realpath(folder), None)
    assert pausing.find_pause(str(below)) == paused
    assert pausing.find_pause(f"{folder}-2") is None
    assert prompt(local_machine) == 1
    assert pausing.resume(f"{folder}-2") == []
    assert pausing.resume(str(below)) == [paused.folder]
    assert pausing.resume(folder) == []
    assert prompt(local_machine) == 2


def test_a_pause_ends_by_itself(local_machine: Machine) -> None:
    assert spawn.acquire_lock() is not None
    pausing.pause(str(local_machine.folder), clock.now_ms() + clock.HOUR_MS)
    assert prompt(local_machine) == 0
    pausing.pause(str(local_machine.folder), clock.now_ms() - 1)
    assert pausing.find_pause(str(local_machine.folder)) is None
    assert prompt(local_machine) == 1


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"/": "soon"}', b"\xff"])
def test_a_damaged_file_pauses_nothing(local_machine: Machine, content: bytes) -> None:
    assert spawn.acquire_lock() is not None
    (Path(state_folder()) / "paused.json").write_bytes(content)
    assert prompt(local_machine) == 1


def test_commits_of_a_pause_are_never_reported(work: Repository) -> None:
    pausing.pause(str(work.folder), None)
    work.commit("c.py", "c = 1\n", "Add c")
    work.git("checkout", "--quiet", "-b", "beside")
    work.commit("d.py", "d = 1\n", "Add d")
    assert work.events() == []
    pausing.resume(str(work.folder))
    work.commit("e.py", "e = 1\n", "Add e")
    work.git("checkout", "--quiet", "main")
    work.git("merge", "--quiet", "--no-ff", "-m", "Merge it", "beside")
    assert subjects(work.events()) == ["Add e", "Merge it"]


def test_a_paused_folder_in_a_repository_pauses_its_commits(work: Repository) -> None:
    (work.folder / "packages").mkdir()
    pausing.pause(str(work.folder / "packages"), None)
    work.commit("packages/b.py", "b = 1\n", "Add b")
    assert work.events() == []


def test_nothing_is_captured_and_no_briefing_given(connected: tuple[Process, Machine]) -> None:
    server, machine = connected
    state = machine.home / ".local" / "state" / "loremark"
    state.mkdir(parents=True)
    (state / "paused.json").write_text(json.dumps({str(machine.folder.resolve()): None}))
    assert machine.hook(machine.claude("SessionStart", source="startup")) == b""
    machine.hook(machine.claude("UserPromptSubmit", prompt="Build it."))
    machine.hook(machine.claude("Stop", last_assistant_message="Built."))
    assert machine.waiting() == []
    (state / "paused.json").unlink()
    assert b"no approved memories" in machine.start_session()
    machine.hook(machine.claude("UserPromptSubmit", prompt="Test it."))
    machine.hook(machine.claude("Stop", last_assistant_message="Tested."))
    machine.flush()
    assert [event["payload"]["notes"] for _, event in events_of(server, machine)] == ["Test it."]
