"""``loremark completion``: what the TAB key offers, written out for a shell."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loremark.cli.kit import Table
    from loremark.cli.outline import Command

SUMMARY = "A script that completes commands and options at the TAB key."
EXAMPLE = "loremark completion bash > ~/.local/share/bash-completion/completions/loremark"

SHELLS = ("bash", "zsh", "fish")


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page

    text = script(arguments.shell, arguments.commands)
    if arguments.json:
        page.write_json({"shell": arguments.shell, "script": text})
    else:
        page.write(text.rstrip("\n"))
    return 0


def script(shell: str, table: Table) -> str:
    from loremark.cli.outline import Command, outline

    commands = list(outline(table))
    top = Command((), "", (), (), tuple(table))
    made = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return made([top, *commands])


def _place(command: Command) -> str:
    return " ".join(("loremark", *command.words))


def _offers(command: Command) -> list[str]:
    """What may follow: actions, values of arguments that have a few, options."""
    values = [choice for option in command.options if not option.names for choice in option.choices]
    options = [name for option in command.options for name in option.names]
    always = ["--help"] if command.words else ["--help", "--version", "help"]
    return [*command.below, *values, *options, *always]


def _steps(commands: Sequence[Command]) -> str:
    """The patterns of a word that leads one step further."""
    return " | ".join(shlex.quote(_place(command)) for command in commands if command.words)


def _values(commands: Sequence[Command]) -> list[tuple[str, tuple[str, ...]]]:
    """After which words a value is due, and which there are."""
    return [
        (f"{_place(command)} {name}", option.choices)
        for command in commands
        for option in command.options
        for name in option.names
        if option.takes_value
    ]


def _cases(commands: Sequence[Command], reply: str) -> list[str]:
    """The branches by what was typed before: first the values of options, then what may follow a command."""
    lines = ['  case "$place $before" in']
    for words, choices in _values(commands):
        if choices:
            lines.append(f"    {shlex.quote(words)}) {reply.format(shlex.quote(' '.join(choices)))}; return ;;")
    free = [shlex.quote(words) for words, choices in _values(commands) if not choices]
    if free:
        lines.append(f"    {' | '.join(free)}) @files; return ;;")
    lines += ["  esac", '  case "$place" in']
    for command in commands:
        offers = shlex.quote(" ".join(_offers(command)))
        lines.append(f"    {shlex.quote(_place(command))}) {reply.format(offers)} ;;")
    return [*lines, "  esac"]


def _bash(commands: Sequence[Command]) -> str:
    reply = 'COMPREPLY=($(compgen -W {} -- "$current"))'
    lines = [
        "# Completion of loremark for bash.",
        "_loremark() {",
        "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} place=loremark number",
        "  for ((number = 1; number < COMP_CWORD; number++)); do",
        '    case "$place ${COMP_WORDS[number]}" in',
        f'      {_steps(commands)}) place="$place ${{COMP_WORDS[number]}}" ;;',
        "    esac",
        "  done",
        "  COMPREPLY=()",
        *(line.replace("@files", ":") for line in _cases(commands, reply)),
        "}",
        "complete -o default -F _loremark loremark",
    ]
    return "\n".join(lines) + "\n"


def _zsh(commands: Sequence[Command]) -> str:
    lines = [
        "#compdef loremark",
        "_loremark() {",
        "  local before=${words[CURRENT-1]} place=loremark word",
        "  for word in ${words[2,CURRENT-1]}; do",
        '    case "$place $word" in',
        f'      {_steps(commands)}) place="$place $word" ;;',
        "    esac",
        "  done",
        *(line.replace("@files", "_files") for line in _cases(commands, "compadd -- ${{=:-{}}}")),
        "  _files",
        "}",
        'if [[ $funcstack[1] == _loremark ]]; then _loremark "$@"; else compdef _loremark loremark; fi',
    ]
    return "\n".join(lines) + "\n"


def _fish(commands: Sequence[Command]) -> str:
    lines = [
        "# Completion of loremark for fish.",
        "function __loremark_place",
        "  set -l place loremark",
        "  for word in (commandline -opc)[2..-1]",
        '    switch "$place $word"',
        f"      case {_steps(commands).replace(' | ', ' ')}",
        '        set place "$place $word"',
        "    end",
        "  end",
        '  test "$place" = "$argv"',
        "end",
    ]
    summaries = {command.words: command.summary for command in commands}
    for command in commands:
        at = f"complete -c loremark -n {_fish_quoted(f'__loremark_place {_place(command)}')}"
        lines += [f"{at} -f -a {name} -d {_fish_quoted(summaries[(*command.words, name)])}" for name in command.below]
        for option in command.options:
            words = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
            if option.choices:
                words.append(f"-x -a {_fish_quoted(' '.join(option.choices))}")
            elif option.takes_value:
                words.append("-r")
            if words:
                lines.append(f"{at} {' '.join(words)} -d {_fish_quoted(option.help)}")
    return "\n".join(lines) + "\n"


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
