"""Install every agent in every scope into realistic files, compare with the golden files, and uninstall again.

``golden/<agent>/<scope>/before`` holds typical configurations with other hooks and servers; ``after`` is the result of
installing. Update them with ``LOREMARK_WRITE_GOLDEN=1`` and review the diff.
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from loremark.agents import jsonc
from loremark.agents.agent import PROJECT, USER
from loremark.agents.catalog import AGENTS
from tests.agents_setup.conftest import GOLDEN, Machine, contents, snapshot

CASES = [(agent.name, scope) for agent in AGENTS for scope in (USER, PROJECT)]


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_install_into_existing_files_and_uninstall(machine: Machine, name: str, scope: str) -> None:
    golden = GOLDEN / name / scope
    root = machine.root(scope)
    machine.fill(scope, golden / "before")
    for path in root.rglob("*"):
        path.chmod(0o750 if path.is_dir() else 0o640)
    before = snapshot(root)
    machine.install(name, machine.options(scope))
    if os.environ.get("LOREMARK_WRITE_GOLDEN"):
        shutil.rmtree(golden / "after", ignore_errors=True)
        shutil.copytree(root, golden / "after")
    assert contents(root) == contents(golden / "after")
    assert not machine.install(name, machine.options(scope)).is_change, "installing twice changes nothing"
    machine.uninstall(name, machine.options(scope))
    assert snapshot(root) == before
    assert machine.ledger.list_records() == []


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_install_into_an_empty_home_and_uninstall(machine: Machine, name: str, scope: str) -> None:
    plan = machine.install(name, machine.options(scope))
    assert plan.is_change
    assert all(step.before is None for step in plan.steps)
    if scope == USER:
        assert all(os.stat(step.target).st_mode & 0o077 == 0 for step in plan.steps), (
            "agents store tokens in these files"
        )
    machine.uninstall(name, machine.options(scope))
    assert snapshot(machine.root(scope)) == {}


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_uninstall_keeps_edits_made_after_install(machine: Machine, name: str, scope: str) -> None:
    """The same edit yields the same bytes whether or not we were installed in between."""
    root = machine.root(scope)
    machine.fill(scope, GOLDEN / name / scope / "before")
    paths = [path for path in root.rglob("*") if path.suffix in (".json", ".jsonc", ".toml")]
    expected = {path: _edited(path.read_bytes().decode()) for path in paths}
    machine.install(name, machine.options(scope))
    for path in paths:
        path.write_bytes(_edited(path.read_bytes().decode()).encode())
    machine.install(name, machine.options(scope, executable="/opt/new place/loremark"))
    assert not any(b'"loremark hook' in content for content in contents(root).values()), (
        "the new path is used everywhere"
    )
    machine.uninstall(name, machine.options(scope))
    for path in paths:
        assert path.read_bytes().decode() == expected[path]


def _edited(text: str) -> str:
    """Add something at the start, as a user or the agent would."""
    if not text.lstrip().startswith(("{", "//")):
        return f"sandbox_mode = 'read-only' # new\n{text}"
    start = jsonc.parse(text).start + 1
    return f'{text[:start]}"added": [1, {{"by": "them"}}],{text[start:]}' if '"' in text[start:] else text


@pytest.mark.parametrize("name", [agent.name for agent in AGENTS if agent.supports_http])
def test_install_over_http_writes_no_secret(machine: Machine, name: str) -> None:
    options = machine.options(USER, url="https://loremark.example.com/mcp")
    machine.install(name, options)
    written = b"".join(contents(machine.home).values()).decode()
    assert "https://loremark.example.com/mcp" in written
    assert "LOREMARK_API_KEY" in written
    assert "service_sk_" not in written
    machine.uninstall(name, options)
    assert snapshot(machine.home) == {}


def _load(path: Path) -> Any:
    text = path.read_text()
    return tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text).plain()


def test_golden_files_are_valid() -> None:
    for path in GOLDEN.rglob("*"):
        if path.suffix in (".json", ".jsonc", ".toml"):
            assert isinstance(_load(path), dict | list), path
    strict = ["claude-code", "codex", "copilot", "cline", "windsurf", "devin"]
    for name in strict:
        for path in (GOLDEN / name).rglob("after/**/*.json"):
            json.loads(path.read_text())
