"""The commands as data, for shell completion and the reference docs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from loremark.cli.framework import CommandTable, build_parser

_EXAMPLE = "example:\n"


class Option(NamedTuple):
    """An option or positional argument; ``names`` is empty for positionals, ``shown`` is the form used in the help."""

    names: tuple[str, ...]
    shown: str
    help: str
    required: bool
    takes_value: bool
    choices: tuple[str, ...]


class Command(NamedTuple):
    """A command or subcommand, with the names of its own subcommands."""

    words: tuple[str, ...]
    summary: str
    examples: tuple[str, ...]
    options: tuple[Option, ...]
    subcommands: tuple[str, ...]


def outline(table: CommandTable) -> Iterator[Command]:
    """All commands, each followed by its subcommands."""
    for name, spec in table.items():
        yield from _commands((name,), build_parser(name, spec))


def _commands(words: tuple[str, ...], parser: argparse.ArgumentParser) -> Iterator[Command]:
    subcommands: dict[str, argparse.ArgumentParser] = {}
    options: list[Option] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            subcommands = dict(action.choices)
        elif not isinstance(action, argparse._HelpAction):
            options.append(_option(action))
    _, _, text = (parser.epilog or "").partition(_EXAMPLE)
    examples = tuple(line.strip() for line in text.splitlines() if line.strip())
    yield Command(words, parser.description or "", examples, tuple(options), tuple(subcommands))
    for name, part in subcommands.items():
        yield from _commands((*words, name), part)


def _option(action: argparse.Action) -> Option:
    names = tuple(action.option_strings)
    choices = tuple(str(choice) for choice in action.choices or ())
    takes_value = bool(names) and action.nargs != 0
    metavar = action.metavar if isinstance(action.metavar, str) else ("|".join(choices) or action.dest.upper())
    shown = ", ".join(names) if names else metavar
    required = action.required and (bool(names) or action.nargs not in ("?", "*"))
    return Option(
        names, f"{shown} {metavar}" if takes_value else shown, action.help or "", required, takes_value, choices
    )
