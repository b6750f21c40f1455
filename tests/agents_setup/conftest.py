"""Fixtures: an isolated machine for each test, with its own home, project and ledger."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from loremark.agents import installer
from loremark.agents.agent import USER, Agent, Locations, Server, SetupOptions
from loremark.agents.catalog import find_agent
from loremark.agents.installer import Plan
from loremark.agents.ledger import Ledger
from loremark.cli import framework
from loremark.cli.command_table import HOOKS

GOLDEN = Path(__file__).parent / "golden"


class Machine:
    """A home and a project on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.project = folder / "shop"
        self.home.mkdir(parents=True)
        self.project.mkdir()
        self.ledger = Ledger(str(folder / "state" / "install"))

    def root(self, scope: str) -> Path:
        return self.home if scope == USER else self.project

    def options(self, scope: str, executable: str = "loremark", url: str | None = None) -> SetupOptions:
        locations = Locations(str(self.home), str(self.project), "linux")
        return SetupOptions(locations, scope, executable, Server(url))

    def install(self, name: str, options: SetupOptions) -> Plan:
        plan = installer.plan_install(agent(name), options, self.ledger)
        installer.apply_plan(plan, self.ledger)
        return plan

    def uninstall(self, name: str, options: SetupOptions) -> Plan:
        plan = installer.plan_uninstall(agent(name), options, self.ledger)
        installer.apply_plan(plan, self.ledger)
        return plan

    def fill(self, scope: str, tree: Path) -> None:
        if tree.is_dir():
            shutil.copytree(tree, self.root(scope), dirs_exist_ok=True)


def agent(name: str) -> Agent:
    found = find_agent(name)
    assert found is not None
    return found


def snapshot(folder: Path) -> dict[str, tuple[bytes, int] | None]:
    """Return every file with its bytes and mode, every symlink with its target, and every folder."""
    seen: dict[str, tuple[bytes, int] | None] = {}
    for path in sorted(folder.rglob("*")):
        name, mode = str(path.relative_to(folder)), os.lstat(path).st_mode
        if path.is_symlink():
            seen[name] = (os.fsencode(os.readlink(path)), mode)
        else:
            seen[name] = None if path.is_dir() else (path.read_bytes(), mode)
    return seen


def contents(folder: Path) -> Mapping[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine")


def put_program(folder: Path) -> Path:
    """Create an executable named loremark in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "loremark"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.fixture(autouse=True)
def default_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the default PATH instead of the one the tests run with."""
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")


class Shell:
    """Runs commands as a user in a project folder."""

    def __init__(self, home: Path, project: Path, program: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.home, self.project, self.program, self._capture = home, project, program, capture

    def __call__(self, *words: str) -> tuple[int, str, str]:
        code = framework.main(HOOKS, words, lambda: "0")
        captured = self._capture.readouterr()
        return code, captured.out, captured.err


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    home, project = tmp_path / "home", tmp_path / "home" / "my $(touch pwned) 'shop'"
    (project / ".git").mkdir(parents=True)
    for name in (
        "XDG_CONFIG_HOME",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "LOREMARK_URL",
        "LOREMARK_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    program = put_program(tmp_path / "bin")
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    return Shell(home, project, program, capsys)
