"""Every command has a summary and valid examples."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from loremark.cli.framework import CommandError, build_parser
from loremark.cli.outline import Command, outline
from loremark.entry.command_table import COMMANDS
from tests.cli.harness import Cli

ALL = list(outline(COMMANDS))
LEAVES = [command for command in ALL if not command.subcommands]
# These need neither a server nor a database, and change nothing.
OFFLINE = ("loremark completion", "loremark scan --dry-run")


def _name(command: Command) -> str:
    return " ".join(command.words)


def _words(example: str) -> list[str]:
    """The command's arguments, without environment variables, pipes and redirections."""
    words = shlex.split(example)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words.pop(0)
    ends = [number for number, word in enumerate(words) if word in ("|", "<", ">", "&&")]
    return words[: ends[0]] if ends else words


@pytest.mark.parametrize("command", ALL, ids=_name)
def test_every_command_has_a_summary(command: Command) -> None:
    assert command.summary.strip()
    first = command.summary.split("\n")[0]
    assert first.endswith("."), first
    assert command.words[1:] or command.words[0] in COMMANDS
    for option in command.options:  # choices or a metavar may replace the help
        assert option.help or option.choices or option.shown.split()[-1].isupper(), option


@pytest.mark.parametrize("command", LEAVES, ids=_name)
def test_every_command_has_valid_examples(command: Command) -> None:
    own = [example for example in command.examples if _words(example)[:1] == ["loremark"]]
    # The example for mcp is the agent's own command.
    assert own or command.words == ("mcp",), "no example"
    parser = build_parser(command.words[0], COMMANDS[command.words[0]])
    for example in own:
        words = _words(example)
        assert words[1 : 1 + len(command.words)] == list(command.words), example
        try:
            parser.parse_args(words[2:])
        except (CommandError, SystemExit) as wrong:
            pytest.fail(f"{example}: {wrong}")


def test_every_command_can_print_json() -> None:
    """Except server processes and protocol commands."""
    serving = {"serve", "worker", "jobs", "hook", "mcp", "api", "admin"}
    without = [
        _name(command)
        for command in LEAVES
        if command.words[0] not in serving and not any("--json" in option.names for option in command.options)
    ]
    assert without == []


def test_help_lists_every_command(cli: Cli) -> None:
    words = cli.run("--help").out
    assert all(re.search(rf"^  {name} ", words, re.MULTILINE) for name in COMMANDS)


def test_offline_examples_run(cli: Cli) -> None:
    folder = cli.home / "repo"
    folder.mkdir()
    (folder / "main.py").write_text("print('hello')\n")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    cli.monkeypatch.chdir(folder)
    ran = 0
    for example in (example for command in LEAVES for example in command.examples if example.startswith(OFFLINE)):
        done = cli.run(*_words(example)[1:])
        assert done.code == 0, (example, done)
        assert done.out, example
        ran += 1
    assert ran >= 2
    assert sorted(path.name for path in Path(folder).iterdir()) == [".git", "main.py"]
