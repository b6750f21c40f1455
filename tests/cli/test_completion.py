"""Shell completion, tested in bash."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from loremark.cli.completion import SHELLS, script
from loremark.cli.outline import outline
from loremark.entry.command_table import COMMANDS

_ASK = r"""
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_loremark
printf '%s\n' "${COMPREPLY[@]}"
"""
_ASK_EACH = r"""
. "$1"
while IFS= read -r line; do
  COMP_WORDS=($line ""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _loremark; echo "${COMPREPLY[*]}"
done
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "loremark"
    path.write_text(script("bash", COMMANDS))
    return path


def _offered(installed: Path, *words: str) -> list[str]:
    command = ["bash", "--norc", "-c", _ASK, "bash", str(installed), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completion(installed: Path) -> None:
    assert _offered(installed, "loremark", "who") == ["whoami"]
    assert set(COMMANDS) <= set(_offered(installed, "loremark", ""))
    assert _offered(installed, "loremark", "projects", "s") == ["show", "secret"]
    assert _offered(installed, "loremark", "projects", "secret", "r") == ["rotate"]
    assert _offered(installed, "loremark", "projects", "secret", "rotate", "--re") == ["--revoke-now"]
    assert _offered(installed, "loremark", "team", "invite", "a@example.com", "--role", "") == ["admin", "member"]
    assert _offered(installed, "loremark", "completion", "z") == ["zsh"]
    assert _offered(installed, "loremark", "login", "--url", "") == [], "free-form value"
    assert _offered(installed, "loremark", "nonsense", "--js") == [], "unknown command"


def test_bash_completes_every_command_and_option(installed: Path) -> None:
    """Each command completes the subcommands and options of its parser."""
    wanted = {
        ("loremark", *command.words): {
            *command.subcommands,
            *(name for option in command.options for name in option.names),
        }
        for command in outline(COMMANDS)
    }
    done = subprocess.run(
        ["bash", "--norc", "-c", _ASK_EACH, "bash", str(installed)],
        input="".join(" ".join(words) + "\n" for words in wanted),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    for words, line in zip(wanted, done.stdout.splitlines(), strict=True):
        assert wanted[words] <= set(line.split()), words


def test_bash_script_registers_itself(installed: Path) -> None:
    done = subprocess.run(
        ["bash", "--norc", "-c", '. "$1"; complete -p loremark', "bash", str(installed)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "complete -o default -F _loremark loremark\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_contains_every_command(shell: str) -> None:
    text = script(shell, COMMANDS)
    assert all(name in text for name in COMMANDS)
    assert "revoke-now" in text
