"""A machine of its own for each test: a home, a project, a ledger; never the real ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from cairn.agents import installing
from cairn.agents.agent import USER, Agent, Places, Server, Wish
from cairn.agents.catalog import find_agent
from cairn.agents.installing import Plan
from cairn.agents.ledger import Ledger

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

    def wish(self, scope: str, executable: str = "cairn", url: str | None = None) -> Wish:
        places = Places(str(self.home), str(self.project), "linux")
        return Wish(places, scope, executable, Server(url))

    def install(self, name: str, wish: Wish) -> Plan:
        plan = installing.plan_install(agent(name), wish, self.ledger)
        installing.carry_out(plan, self.ledger)
        return plan

    def uninstall(self, name: str, wish: Wish) -> Plan:
        plan = installing.plan_uninstall(agent(name), wish, self.ledger)
        installing.carry_out(plan, self.ledger)
        return plan

    def fill(self, scope: str, tree: Path) -> None:
        if tree.is_dir():
            shutil.copytree(tree, self.root(scope), dirs_exist_ok=True)


def agent(name: str) -> Agent:
    found = find_agent(name)
    assert found is not None
    return found


def snapshot(folder: Path) -> dict[str, tuple[bytes, int] | None]:
    """Every file with its bytes and mode, every link with its target, and every folder."""
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
