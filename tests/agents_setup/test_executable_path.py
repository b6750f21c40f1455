"""How agents' files name our executable: one that agents find however they start, and no local path in shared files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from loremark.agents import executable_path
from loremark.agents.agent import PROJECT, USER, Locations
from loremark.agents.catalog import AGENTS
from loremark.agents.ledger import Ledger
from tests.agents_setup.conftest import Machine, Shell, contents, put_program, snapshot

NAMES = [agent.name for agent in AGENTS]


@pytest.fixture
def tool(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Loremark installed by pipx or uv in the user's home."""
    monkeypatch.setenv("PATH", str(shell.home / ".local" / "bin"))
    return put_program(shell.home / ".local" / "bin")


def _written(folder: Path) -> str:
    return "\n".join(text.decode() for name, text in contents(folder).items() if ".local/bin" not in name)


def _state(shell: Shell, name: str) -> tuple[str, str]:
    (row,) = [row for row in json.loads(shell("install", "--list", "--json")[1]) if row["agent"] == name]
    return row[USER], row[PROJECT]


@pytest.mark.parametrize("name", NAMES)
def test_user_files_use_the_absolute_path_if_only_this_shell_finds_it(shell: Shell, name: str) -> None:
    assert shell("install", name, "--yes")[0] == 0
    text = _written(shell.home)
    assert str(shell.program) in text
    assert '"loremark' not in text.replace('"loremark": {', "").replace('"name": "loremark"', ""), (
        "the bare name is not used anywhere"
    )
    assert "exec loremark" not in text
    assert _state(shell, name)[0] == "installed"


@pytest.mark.parametrize("name", NAMES)
def test_project_files_contain_no_local_path(shell: Shell, name: str, tmp_path: Path) -> None:
    code, _, err = shell("install", name, "--scope", "project", "--yes")
    assert code == 0
    assert str(tmp_path) not in _written(shell.project)
    assert "loremark" in _written(shell.project)
    assert f"make sure that {shell.program.parent} is on the PATH" in err
    assert "make sure" not in shell("install", name, "--scope", "project", "--yes")[2], "the warning is shown once"
    assert _state(shell, name)[1] == "installed"


def test_a_temporary_copy_is_not_written_into_agents_files(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """``uvx`` and ``pipx run`` keep it in a cache that they clean."""
    monkeypatch.setattr(sys, "prefix", str(shell.home / ".cache" / "uv" / "archive-v0" / "Zk3"))
    before = snapshot(shell.home)
    code, _, err = shell("install", "gemini", "--yes")
    assert (code, snapshot(shell.home) == before) == (2, True)
    assert "uv tool install loremark" in err
    assert shell("install", "--list")[0] == 0
    assert shell("install", "gemini", "--yes", "--command", str(shell.program))[0] == 0


def test_the_bare_name_is_used_if_all_programs_find_it(shell: Shell, tool: Path) -> None:
    assert shell("install", "claude-code", "--yes")[0] == 0
    settings = (shell.home / ".claude" / "settings.json").read_text()
    assert '"command": "loremark hook claude-code"' in settings
    assert json.loads((shell.home / ".claude.json").read_text())["mcpServers"]["loremark"]["command"] == "loremark"
    _, _, err = shell("install", "claude-code", "--scope", "project", "--yes")
    assert err == ""


def test_a_custom_executable_is_kept(shell: Shell) -> None:
    for scope, folder in ((USER, shell.home), (PROJECT, shell.project)):
        assert shell("install", "claude-code", "--scope", scope, "--command", "/opt/loremark", "--yes")[0] == 0
        assert '"/opt/loremark hook claude-code"' in (folder / ".claude" / "settings.json").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_an_earlier_bare_name_is_replaced_and_uninstalled(
    shell: Shell, tool: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(shell.home)
    assert shell("install", name, "--yes")[0] == 0
    bare = contents(shell.home)
    monkeypatch.setenv("PATH", str(shell.program.parent))
    assert _state(shell, name) == ("outdated", "not set up")
    code, out, _ = shell("install", name, "--dry-run")
    assert (code, str(shell.program) in out, contents(shell.home) == bare) == (0, True, True)
    assert shell("install", name, "--yes")[0] == 0
    renewed = contents(shell.home)
    assert _state(shell, name) == ("installed", "not set up")
    assert shell("uninstall", name, "--yes")[0] == 0
    assert snapshot(shell.home) == before
    assert shell("install", name, "--yes")[0] == 0
    assert contents(shell.home) == renewed, "no trace of the bare name is left"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("executable", ["loremark", "/home/ada/loremark/.venv/bin/loremark"])
def test_uninstall_works_with_a_lost_ledger(machine: Machine, name: str, executable: str, tmp_path: Path) -> None:
    for scope in (USER, PROJECT):
        machine.install(name, machine.options(scope, executable=executable))
        machine.ledger = Ledger(str(tmp_path / scope))
        machine.uninstall(name, machine.options(scope))
        assert contents(machine.root(scope)) == {}


def test_macos_only_has_the_system_folders_on_its_path(shell: Shell, tool: Path) -> None:
    home = str(shell.home)
    assert executable_path.is_on_default_path(Locations(home, home, "linux"))
    assert not executable_path.is_on_default_path(Locations(home, home, "darwin"))


def test_the_executable_of_a_checkout(tmp_path: Path) -> None:
    """As in the README: the executable is not on the desktop's PATH and is called by its path."""
    home, project = tmp_path / "home", tmp_path / "home" / "shop"
    (project / ".git").mkdir(parents=True)
    command = Path(sys.executable).parent / "loremark"
    for path, words in ((f"{command.parent}:/usr/bin:/bin", ["loremark"]), ("/usr/bin:/bin", [str(command)])):
        for scope, expected in ((USER, f"{command} hook claude-code"), (PROJECT, "loremark hook claude-code")):
            line = [*words, "install", "claude-code", "--scope", scope, "--yes"]
            subprocess.run(line, env={"HOME": str(home), "PATH": path}, cwd=project, check=True, timeout=60)
            settings = (home if scope == USER else project) / ".claude" / "settings.json"
            assert f'"command": "{expected}"' in settings.read_text()
