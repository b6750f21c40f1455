"""Hostile paths, symlinks and files, crashes, and concurrent changes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

from loremark.agents import files, installer, instructions
from loremark.agents.agent import PROJECT, USER, Locations, SetupOptions
from loremark.agents.changes import Block, Element, WholeFile
from loremark.agents.errors import EditError
from tests.agents_setup.conftest import GOLDEN, Machine, agent, contents, snapshot

_NAMES = [
    "my tools",
    "a'b",
    'a"b',
    "$(touch pwned)",
    "`touch pwned`",
    "a\nb",
    "a;touch pwned",
    "\\",
    "*",
    "-n",
    "é\u2028",
]


@pytest.mark.parametrize("name", _NAMES)
def test_any_executable_path_is_quoted_for_the_shell(machine: Machine, name: str) -> None:
    folder = machine.folder / name
    folder.mkdir()
    executable = folder / "loremark"
    executable.write_text('#!/bin/sh\nprintf "%s." "$@" > "$OUT"\n')
    executable.chmod(0o755)
    options = machine.options(USER, executable=str(executable))
    out = machine.folder / "out"
    commands: list[list[str]] = []
    for one in ("claude-code", "codex", "gemini", "copilot", "cursor", "windsurf", "devin"):
        machine.install(one, options)
        hooks = [change for file in agent(one).files(options) for change in file.changes if isinstance(change, Element)]
        inner = hooks[0].value.get("hooks", [hooks[0].value])[0]
        commands.append(["/bin/sh", "-c", inner["command"]])
    machine.install("cline", options)
    commands.append([str(machine.home / ".cline" / "hooks" / "TaskStart")])
    for command in commands:
        out.unlink(missing_ok=True)
        subprocess.run(command, env={"OUT": str(out), "PATH": "/usr/bin:/bin"}, cwd=machine.home, check=True, timeout=5)
        assert out.read_text().startswith("hook.")
    assert not list(machine.folder.rglob("pwned"))
    table = tomllib.loads((machine.home / ".codex" / "config.toml").read_text())
    assert table["mcp_servers"]["loremark"]["command"] == str(executable)
    machine.install("opencode", options)
    source = (machine.home / ".config" / "opencode" / "plugins" / "loremark.js").read_text()
    literal = next(line for line in source.split("\n") if line.startswith("const LOREMARK = "))
    assert json.loads(literal.removeprefix("const LOREMARK = ")) == str(executable)
    # Our hook is recognized at any path: installing from another path replaces it.
    machine.install("claude-code", machine.options(USER))
    settings = json.loads((machine.home / ".claude" / "settings.json").read_text())
    assert [len(groups) for groups in settings["hooks"].values()] == [1] * 7


def test_symlinks_out_of_the_project_are_not_followed(machine: Machine) -> None:
    outside = machine.folder / "outside"
    outside.mkdir()
    (outside / "settings.json").write_text("{}")
    (machine.project / ".claude").symlink_to(outside)
    (machine.project / ".gemini").mkdir()
    (machine.project / ".gemini" / "settings.json").symlink_to(machine.home / "new.json")
    (machine.project / ".clinerules").symlink_to("..")
    before = snapshot(machine.folder)
    for name in ("claude-code", "gemini"):
        with pytest.raises(EditError, match="points outside"):
            machine.install(name, machine.options(PROJECT))
    assert machine.install("cline", machine.options(PROJECT)).steps == []
    assert snapshot(machine.folder) == before


def test_symlinks_into_a_dotfiles_folder_are_followed(machine: Machine) -> None:
    dotfiles = machine.home / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "claude.json").write_text('{"model": "opus"}\n')
    (dotfiles / "claude.json").chmod(0o600)
    (machine.home / ".claude").mkdir()
    link = machine.home / ".claude" / "settings.json"
    link.symlink_to("../dotfiles/claude.json")
    before = snapshot(machine.home)
    machine.install("claude-code", machine.options(USER))
    assert link.is_symlink()
    assert "loremark hook" in (dotfiles / "claude.json").read_text()
    assert os.stat(dotfiles / "claude.json").st_mode & 0o777 == 0o600
    machine.uninstall("claude-code", machine.options(USER))
    assert link.is_symlink()
    assert snapshot(machine.home) == before


def test_one_broken_file_prevents_all_changes(machine: Machine) -> None:
    (machine.home / ".codex").mkdir()
    config = machine.home / ".codex" / "config.toml"
    for text, reason in (
        ("[mcp_servers\n", "not valid TOML"),
        ('[mcp_servers.loremark]\ncommand = "mine"\n', r"already has a \[mcp_servers\.loremark\] table"),
        (
            'mcp_servers = { docs = { url = "https://docs.example.com" } }\n',
            "adding the loremark table would make it invalid",
        ),
        ("# >>> loremark: half a block\n", "markers"),
        ("# <<< loremark <<<\n# >>> loremark >>>\n", "markers"),
    ):
        config.write_text(text)
        with pytest.raises(EditError, match=reason):
            machine.install("codex", machine.options(USER))
        assert contents(machine.home) == {".codex/config.toml": text.encode()}
    config.write_bytes(b"\xff\xfe{\x00")
    with pytest.raises(EditError, match="UTF-8"):
        machine.install("codex", machine.options(USER))


def test_pipes_and_folders_instead_of_a_file(machine: Machine) -> None:
    (machine.home / ".claude").mkdir()
    os.mkfifo(machine.home / ".claude" / "settings.json")
    with pytest.raises(EditError, match="not a regular file"):
        machine.install("claude-code", machine.options(USER))
    (machine.home / ".gemini" / "settings.json").mkdir(parents=True)
    with pytest.raises(EditError, match="was left unchanged"):
        machine.install("gemini", machine.options(USER))


def test_an_existing_hook_script_is_kept(machine: Machine) -> None:
    theirs = machine.project / ".clinerules" / "hooks" / "PostToolUse"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("#!/bin/sh\nexec audit\n")
    before = snapshot(machine.project)
    plan = machine.install("cline", machine.options(PROJECT))
    assert theirs.read_text() == "#!/bin/sh\nexec audit\n"
    assert [str(theirs) in note for note in plan.notes] == [True]
    assert (theirs.parent / "TaskStart").stat().st_mode & 0o111
    machine.uninstall("cline", machine.options(PROJECT))
    assert snapshot(machine.project) == before


def test_a_file_changed_after_planning_is_left_alone(machine: Machine) -> None:
    settings = machine.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    plan = installer.plan_install(agent("gemini"), machine.options(USER), machine.ledger)
    settings.write_text('{"ui": {}}')
    with pytest.raises(EditError, match="was just changed"):
        installer.apply_plan(plan, machine.ledger)
    assert settings.read_text() == '{"ui": {}}'


def test_crash_between_ledger_and_file(machine: Machine) -> None:
    settings = machine.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"ui": {}}')
    plan = installer.plan_install(agent("gemini"), machine.options(USER), machine.ledger)
    record = plan.steps[0].record
    assert record is not None
    machine.ledger.save(record)  # killed at this point
    machine.uninstall("gemini", machine.options(USER))
    assert settings.read_text() == '{"ui": {}}'
    assert machine.ledger.list_records() == []
    machine.ledger.save(record)
    machine.install("gemini", machine.options(USER))
    machine.uninstall("gemini", machine.options(USER))
    assert settings.read_text() == '{"ui": {}}'


def test_two_agents_share_a_file(machine: Machine) -> None:
    """Copilot and VS Code read the same hooks, Copilot and Claude Code the same servers."""
    machine.fill(PROJECT, GOLDEN / "claude-code" / PROJECT / "before")
    before = snapshot(machine.project)
    options = machine.options(PROJECT)
    for name in ("copilot", "vscode", "claude-code"):
        machine.install(name, options)
    hooks = machine.project / ".github" / "hooks" / "loremark.json"
    servers = machine.project / ".mcp.json"
    shared = hooks.read_bytes()
    machine.uninstall("copilot", options)
    assert hooks.read_bytes() == shared
    assert '"loremark"' in servers.read_text()
    machine.uninstall("claude-code", options)
    assert '"loremark"' not in servers.read_text()
    machine.uninstall("vscode", options)
    assert snapshot(machine.project) == before


def test_uninstall_works_in_a_clone_without_a_ledger(tmp_path: Path) -> None:
    """An installation committed on one machine can be uninstalled on another."""
    first, second = Machine(tmp_path / "first"), Machine(tmp_path / "second")
    for name in ("claude-code", "codex", "gemini", "cursor", "opencode", "zed"):
        first.fill(PROJECT, GOLDEN / name / PROJECT / "before")
        first.install(name, first.options(PROJECT))
        second.fill(PROJECT, first.project)
        assert not second.install(name, second.options(PROJECT)).is_change
        second.uninstall(name, second.options(PROJECT))
        for path, content in contents(GOLDEN / name / PROJECT / "before").items():
            if not (second.project / path).exists():
                assert json.loads(content) == {"mcpServers": {}}  # can't tell who created the empty object
                continue
            left = (second.project / path).read_text()
            assert "loremark" not in left
            if path.endswith("json"):
                assert json.loads(left).keys() <= json.loads(content).keys()
    assert second.ledger.list_records() == []


def test_a_manually_configured_server_is_restored(machine: Machine) -> None:
    """Uninstalling restores a server entry that the user had set up differently."""
    servers = machine.home / ".cursor" / "mcp.json"
    servers.parent.mkdir()
    servers.write_text('{"mcpServers": {"loremark": {"url": "http://localhost:8000/mcp"}}}')
    before = servers.read_text()
    machine.install("cursor", machine.options(USER))
    theirs = json.loads(servers.read_text())
    theirs["mcpServers"]["new"] = {"url": "http://x"}
    servers.write_text(json.dumps(theirs))
    machine.uninstall("cursor", machine.options(USER))
    theirs["mcpServers"]["loremark"] = json.loads(before)["mcpServers"]["loremark"]
    assert json.loads(servers.read_text()) == theirs


def test_environment_variables_can_move_agents_folders(machine: Machine, tmp_path: Path) -> None:
    moved = {
        name: str(tmp_path / name) for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "XDG_CONFIG_HOME")
    }
    moved["GEMINI_CLI_HOME"] = "relative/ignored"
    options = SetupOptions(Locations(str(machine.home), str(machine.project), "linux", moved), USER)
    for name in ("codex", "claude-code", "copilot", "opencode", "zed", "gemini"):
        machine.install(name, options)
    assert (tmp_path / "CODEX_HOME" / "hooks.json").exists()
    assert (tmp_path / "CLAUDE_CONFIG_DIR" / ".claude.json").exists()
    assert (tmp_path / "COPILOT_HOME" / "hooks" / "loremark.json").exists()
    assert (tmp_path / "XDG_CONFIG_HOME" / "zed" / "settings.json").exists()
    assert [path.name for path in machine.home.iterdir()] == [".gemini"]


def test_changes_contain_no_secret_and_are_quoted_for_the_shell(machine: Machine) -> None:
    options = machine.options(PROJECT, executable="/opt/it's here/loremark")
    for file in (file for one in ("claude-code", "cline", "codex") for file in agent(one).files(options)):
        for change in file.changes:
            text = change.text if isinstance(change, Block | WholeFile) else json.dumps(change.value)
            assert "service_sk_" not in text
    assert shlex.split(options.hook("codex")) == ["/opt/it's here/loremark", "hook", "codex"]


@pytest.mark.parametrize("target", [".git/config", ".git/hooks/pre-commit", "sub/.GIT/config"])
def test_an_instruction_file_linked_into_the_git_folder_is_left_alone(machine: Machine, target: str) -> None:
    there = machine.project / target
    there.parent.mkdir(parents=True)
    there.write_text("[core]\n")
    (machine.project / "AGENTS.md").symlink_to(there)
    project = str(machine.project)
    with pytest.raises(EditError, match=r"into the \.git folder"):
        files.read(str(machine.project / "AGENTS.md"), project)
    with suppress(EditError):
        plan = installer.plan_files(
            instructions.plan_instruction_files(project, "- a note"), "sync", [project], machine.ledger
        )
        installer.apply_plan(plan, machine.ledger)
    assert there.read_text() == "[core]\n"


def test_a_private_file_stays_private_if_we_are_killed_while_writing(tmp_path: Path) -> None:
    target = tmp_path / ".claude.json"
    target.write_text('{"oauth": "token"}')
    target.chmod(0o600)
    script = (
        "import os, signal, sys; from loremark.agents import files; os.umask(0o022)\n"
        "setattr(os, sys.argv[2], lambda *_: os.kill(os.getpid(), signal.SIGKILL))\n"
        'files.write(sys.argv[1], b\'{"oauth": "token", "more": 1}\', 0o600)'
    )
    for call in ("fchmod", "fsync", "replace"):
        done = subprocess.run([sys.executable, "-c", script, str(target), call], timeout=20, capture_output=True)
        assert done.returncode == -signal.SIGKILL, done.stderr
    parts = [path for path in tmp_path.iterdir() if path != target]
    assert len(parts) == 3
    assert {path.stat().st_mode & 0o777 for path in parts} == {0o600}
    assert target.read_text() == '{"oauth": "token"}'
    for path in parts:
        os.utime(path, (1, 1))
    files.write(str(target), b"{}", 0o600)
    assert list(tmp_path.iterdir()) == [target], "leftover files are removed the next time"
    assert target.stat().st_mode & 0o777 == 0o600
