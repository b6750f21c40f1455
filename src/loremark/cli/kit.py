"""What a command is made of, and how one is found and run.

A command is a module with ``SUMMARY``, ``EXAMPLE`` and ``declare(parser)``; ``run(arguments)`` does it, or the
functions that ``declare`` names by ``actions``. Only the module of the command that was typed is loaded.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from loremark.client.call import ApiError

OK, FAILED, USAGE, SIGNED_OUT, INTERRUPTED = 0, 1, 2, 4, 130

_SIGNED_BADLY = ("Invalid signature", "Timestamp expired")

Run = Callable[[argparse.Namespace], int]


class Stop(Exception):
    """Ends a command with one line for the person, and an exit code."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code


class Place(NamedTuple):
    """Where a command lives, and under which heading it is listed."""

    module: str
    group: str


Table = Mapping[str, Place]


class _Form(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=100)


class Parser(argparse.ArgumentParser):
    """Wrong use is one line with the way to the help, and exit code 2."""

    usual = ""
    """The action that is meant where none is named."""

    def __init__(self, *, prog: str, description: str = "", epilog: str = "") -> None:
        super().__init__(prog=prog, description=description, epilog=epilog, formatter_class=_Form, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise Stop(f"{message} (see: {self.prog} --help)", USAGE)


class Actions:
    """The verbs of a command such as ``loremark items``."""

    def __init__(self, parser: argparse.ArgumentParser, usual: str) -> None:
        if isinstance(parser, Parser):
            parser.usual = usual
        told = f"{usual}, if none is named" if usual else None
        self._parsers = parser.add_subparsers(metavar="ACTION", title="actions", description=told)
        parser.set_defaults(run=lambda _: _show_help(parser))

    def add(self, name: str, summary: str, run: Run, example: str = "") -> argparse.ArgumentParser:
        made = self._parsers.add_parser(name, help=summary, description=summary, epilog=_epilog(example))
        made.set_defaults(run=run)
        return made

    def group(self, name: str, summary: str) -> argparse.ArgumentParser:
        """A verb that has verbs of its own."""
        return self._parsers.add_parser(name, help=summary, description=summary)


def actions(parser: argparse.ArgumentParser, usual: str = "") -> Actions:
    """``usual`` is done where no action is named; without one, help is shown."""
    return Actions(parser, usual)


def _show_help(parser: argparse.ArgumentParser) -> int:
    parser.print_help(sys.stderr)
    return USAGE


def _epilog(example: str) -> str:
    return f"example:\n  {example}" if example else ""


def parser_of(name: str, place: Place) -> Parser:
    """The parser of one command, with its module loaded."""
    module = import_module(place.module)
    parser = Parser(prog=f"loremark {name}", description=module.SUMMARY, epilog=_epilog(module.EXAMPLE))
    if hasattr(module, "run"):
        parser.set_defaults(run=module.run)
    module.declare(parser)
    return parser


def main(table: Table, arguments: Sequence[str], version: Callable[[], str]) -> int:
    """Find the command, run it, and turn what went wrong into one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a file's name may be no text at all
    try:
        return _run(table, list(arguments), version)
    except Stop as stop:
        return _tell(str(stop), stop.code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as after `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        return _tell(str(error), FAILED)


def _run(table: Table, arguments: list[str], version: Callable[[], str]) -> int:
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [*arguments[1:], "--help"]
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        (sys.stdout if arguments else sys.stderr).write(overview(table))
        return OK if arguments else USAGE
    if arguments[0] in ("-V", "--version", "version"):
        sys.stdout.write(f"loremark {version()}\n")
        return OK
    name, *rest = arguments
    if name not in table:
        raise Stop(f"there is no command {name!r}{_nearest(name, table)} (see: loremark --help)", USAGE)
    parser = parser_of(name, table[name])
    if parser.usual and (not rest or (rest[0].startswith("-") and rest[0] not in ("-h", "--help"))):
        rest = [parser.usual, *rest]
    try:
        parsed = parser.parse_args(rest)
    except SystemExit as ended:  # --help
        return ended.code if isinstance(ended.code, int) else OK
    parsed.commands = table  # for those who tell of the others, or call them
    done = _guarded(parsed)
    sys.stdout.flush()
    return done


def _guarded(parsed: argparse.Namespace) -> int:
    from loremark.client.call import ApiError

    run: Run = parsed.run
    try:
        return run(parsed)
    except ApiError as error:
        if error.status == 401 and str(error) in _SIGNED_BADLY:
            raise Stop(
                f"{error}: the project's secret or this machine's clock is wrong; see: loremark doctor"
            ) from None
        if error.status == 401:
            raise Stop(f"{error}; sign in with: loremark login", SIGNED_OUT) from None
        raise Stop(_explained(error)) from None


def _explained(error: ApiError) -> str:
    from loremark.base import profile
    from loremark.cli.trouble import explain

    found = profile.load()
    return explain(error, found.url if found is not None else "the server")


def overview(table: Table) -> str:
    """All commands, under their headings."""
    lines = ["Project memory for AI-assisted software work.", "", "usage: loremark COMMAND …", ""]
    groups: dict[str, list[str]] = {}
    for name, place in table.items():
        groups.setdefault(place.group, []).append(name)
    for group, names in groups.items():
        lines.append(f"{group}:")
        lines += [f"  {name:<12} {import_module(table[name].module).SUMMARY}" for name in names]
        lines.append("")
    lines.append("loremark COMMAND --help says more of each.")
    return "\n".join(lines) + "\n"


def _nearest(name: str, table: Table) -> str:
    import difflib

    close = difflib.get_close_matches(name, table, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _tell(text: str, code: int) -> int:
    from loremark.cli.page import plain

    sys.stderr.write(f"loremark: {plain(text)}\n")
    return code
