"""``loremark pause`` and ``loremark resume``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from loremark.base import clock
from loremark.base.folders import state_folder
from tests.cli.harness import Cli, Server
from tests.cli.repository import make
from tests.support.processes import COMMAND


@pytest.fixture
def shop(olga: Cli, server: Server) -> Path:
    folder = make(olga.home / "shop")
    olga.monkeypatch.chdir(folder)
    assert olga.run("init", "--project", server.create_project("Paused"), "--no-git", "--no-agents").code == 0
    return folder


def test_pause_and_resume(olga: Cli, shop: Path) -> None:
    olga.monkeypatch.setenv("PATH", f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}")
    (shop / "src").mkdir()
    olga.monkeypatch.chdir(shop / "src")
    paused = f"Capture is paused in {shop}; run `loremark resume` to continue."
    assert olga.run("pause").out == f"{paused}\n"
    doctor = olga.run("doctor")
    assert paused in doctor.out
    assert doctor.code == 0
    assert olga.run("install", "--list").err == f"{paused}\n"
    assert paused in olga.run("init", "--no-git", "--no-agents").err
    assert olga.run("resume").out == f"Capture resumed in {shop}.\n"
    assert olga.run("resume").out == f"Capture is not paused in {shop}.\n"
    assert "paused" not in olga.run("doctor").out
    assert olga.run("install", "--list").err == ""


@pytest.mark.parametrize(
    ("given", "shown", "minutes"),
    [("2h", "2 h", 120), ("30m", "30 min", 30), ("90m", "90 min", 90), ("3D", "3 d", 4320)],
)
def test_pause_for_a_time(olga: Cli, shop: Path, given: str, shown: str, minutes: int) -> None:
    before_ms = clock.now_ms()
    done = olga.run("pause", "--for", given)
    assert done.out == f"Capture is paused in {shop} for {shown}; run `loremark resume` to continue now.\n"
    saved = json.loads((Path(state_folder()) / "paused.json").read_text())
    assert 0 <= saved[str(shop)] - before_ms - minutes * clock.MINUTE_MS < clock.MINUTE_MS


@pytest.mark.parametrize("given", ["", "2", "0h", "-1h", "1.5h", "tomorrow", "99999h"])
def test_invalid_times(olga: Cli, shop: Path, given: str) -> None:
    done = olga.run("pause", f"--for={given}")
    assert done.code == 2
    assert "must be a time such as 30m, 2h or 1d" in done.error


def test_only_linked_folders_can_be_paused(olga: Cli) -> None:
    assert olga.run("pause").error.endswith(": not linked to a project; run: loremark init")
    assert "not linked to a project" in olga.run("resume").error
    assert not (Path(state_folder()) / "paused.json").exists()


def test_doctor_reports_an_invalid_exclude_list(olga: Cli, shop: Path) -> None:
    path = shop / ".loremark.toml"
    path.write_text(path.read_text() + 'exclude = "secrets"\n')
    done = olga.run("doctor")
    assert done.code == 1
    assert "exclude in .loremark.toml is not a list of strings" in done.out
