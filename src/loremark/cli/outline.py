"""The commands as data: what completion and the reference page are made from."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from loremark.cli.kit import Table, parser_of

_EXAMPLE = "example:\n"


class Option(NamedTuple):
    """An option or an argument; ``names`` is empty for an argument, ``shown`` is how it is called in help."""

    names: tuple[str, ...]
    shown: str
    help: str
    required: bool
    takes_value: bool
    choices: tuple[str, ...]


class Command(NamedTuple):
    """A command, or an action of one; ``below`` are the names of its own actions."""

    words: tuple[str, ...]
    summary: str
    examples: tuple[str, ...]
    options: tuple[Option, ...]
    below: tuple[str, ...]


def outline(table: Table) -> Iterator[Command]:
    """Every command, each followed by its actions."""
    for name, place in table.items():
        yield from _commands((name,), parser_of(name, place))


def _commands(words: tuple[str, ...], parser: argparse.ArgumentParser) -> Iterator[Command]:
    below: dict[str, argparse.ArgumentParser] = {}
    options: list[Option] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            below = dict(action.choices)
        elif not isinstance(action, argparse._HelpAction):
            options.append(_option(action))
    _, _, told = (parser.epilog or "").partition(_EXAMPLE)
    examples = tuple(line.strip() for line in told.splitlines() if line.strip())
    yield Command(words, parser.description or "", examples, tuple(options), tuple(below))
    for name, part in below.items():
        yield from _commands((*words, name), part)


def _option(action: argparse.Action) -> Option:
    names = tuple(action.option_strings)
    choices = tuple(str(choice) for choice in action.choices or ())
    takes_value = bool(names) and action.nargs != 0
    metavar = action.metavar if isinstance(action.metavar, str) else ("|".join(choices) or action.dest.upper())
    shown = ", ".join(names) if names else metavar
    needed = action.required and (bool(names) or action.nargs not in ("?", "*"))
    return Option(
        names, f"{shown} {metavar}" if takes_value else shown, action.help or "", needed, takes_value, choices
    )
