"""``loremark completion``: print a shell completion script."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loremark.cli.framework import CommandTable
    from loremark.cli.outline import Command

SUMMARY = "Print a shell completion script."
EXAMPLE = "loremark completion bash > ~/.local/share/bash-completion/completions/loremark"

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output

    text = script(arguments.shell, arguments.commands)
    if arguments.json:
        output.write_json({"shell": arguments.shell, "script": text})
    else:
        output.write(text.rstrip("\n"))
    return 0


def script(shell: str, table: CommandTable) -> str:
    from loremark.cli.outline import Command, outline

    commands = list(outline(table))
    top = Command((), "", (), (), tuple(table))
    generate = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return generate([top, *commands])


def _path(command: Command) -> str:
    return " ".join(("loremark", *command.words))


def _candidates(command: Command) -> list[str]:
    """Possible next words: subcommands, argument choices and options."""
    values = [choice for option in command.options if not option.names for choice in option.choices]
    options = [name for option in command.options for name in option.names]
    always = ["--help"] if command.words else ["--help", "--version", "help"]
    return [*command.subcommands, *values, *options, *always]


def _command_patterns(commands: Sequence[Command]) -> str:
    """Shell patterns that match every command path."""
    return " | ".join(shlex.quote(_path(command)) for command in commands if command.words)


def _option_values(commands: Sequence[Command]) -> list[tuple[str, tuple[str, ...]]]:
    """Option paths that take a value, with the choices."""
    return [
        (f"{_path(command)} {name}", option.choices)
        for command in commands
        for option in command.options
        for name in option.names
        if option.takes_value
    ]


def _case_branches(commands: Sequence[Command], reply: str) -> list[str]:
    """Case branches: first option values, then what may follow a command."""
    lines = ['  case "$cmd $previous" in']
    for words, choices in _option_values(commands):
        if choices:
            lines.append(f"    {shlex.quote(words)}) {reply.format(shlex.quote(' '.join(choices)))}; return ;;")
    free = [shlex.quote(words) for words, choices in _option_values(commands) if not choices]
    if free:
        lines.append(f"    {' | '.join(free)}) @files; return ;;")
    lines += ["  esac", '  case "$cmd" in']
    for command in commands:
        candidates = shlex.quote(" ".join(_candidates(command)))
        lines.append(f"    {shlex.quote(_path(command))}) {reply.format(candidates)} ;;")
    return [*lines, "  esac"]


def _bash(commands: Sequence[Command]) -> str:
    reply = 'COMPREPLY=($(compgen -W {} -- "$current"))'
    lines = [
        "# bash completion for loremark",
        "_loremark() {",
        "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} cmd=loremark number",
        "  for ((number = 1; number < COMP_CWORD; number++)); do",
        '    case "$cmd ${COMP_WORDS[number]}" in',
        f'      {_command_patterns(commands)}) cmd="$cmd ${{COMP_WORDS[number]}}" ;;',
        "    esac",
        "  done",
        "  COMPREPLY=()",
        *(line.replace("@files", ":") for line in _case_branches(commands, reply)),
        "}",
        "complete -o default -F _loremark loremark",
    ]
    return "\n".join(lines) + "\n"


def _zsh(commands: Sequence[Command]) -> str:
    lines = [
        "#compdef loremark",
        "_loremark() {",
        "  local previous=${words[CURRENT-1]} cmd=loremark word",
        "  for word in ${words[2,CURRENT-1]}; do",
        '    case "$cmd $word" in',
        f'      {_command_patterns(commands)}) cmd="$cmd $word" ;;',
        "    esac",
        "  done",
        *(line.replace("@files", "_files") for line in _case_branches(commands, "compadd -- ${{=:-{}}}")),
        "  _files",
        "}",
        'if [[ $funcstack[1] == _loremark ]]; then _loremark "$@"; else compdef _loremark loremark; fi',
    ]
    return "\n".join(lines) + "\n"


def _fish(commands: Sequence[Command]) -> str:
    lines = [
        "# fish completion for loremark",
        "function __loremark_cmd_is",
        "  set -l cmd loremark",
        "  for word in (commandline -opc)[2..-1]",
        '    switch "$cmd $word"',
        f"      case {_command_patterns(commands).replace(' | ', ' ')}",
        '        set cmd "$cmd $word"',
        "    end",
        "  end",
        '  test "$cmd" = "$argv"',
        "end",
    ]
    summaries = {command.words: command.summary for command in commands}
    for command in commands:
        at = f"complete -c loremark -n {_fish_quoted(f'__loremark_cmd_is {_path(command)}')}"
        lines += [
            f"{at} -f -a {name} -d {_fish_quoted(summaries[(*command.words, name)])}" for name in command.subcommands
        ]
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
