"""The command framework: argument parsing, help, dispatch and exit codes.

A command is a module with ``SUMMARY``, ``EXAMPLE``, ``add_arguments(parser)`` and ``run(arguments)``, or subcommands
added with ``add_subcommands``. Only the module of the invoked command is imported.
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

_SIGNATURE_ERRORS = ("Invalid signature", "Timestamp expired")

Run = Callable[[argparse.Namespace], int]


class CommandError(Exception):
    """Ends the command with a one-line message and an exit code."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code


class CommandSpec(NamedTuple):
    """The module that implements a command, and its group in the top-level help."""

    module: str
    group: str


CommandTable = Mapping[str, CommandSpec]


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=100)


class Parser(argparse.ArgumentParser):
    """Reports usage errors as one line that points to the help, with exit code 2."""

    default_action = ""
    """The subcommand to run if none is given."""

    def __init__(self, *, prog: str, description: str = "", epilog: str = "") -> None:
        super().__init__(
            prog=prog, description=description, epilog=epilog, formatter_class=_HelpFormatter, allow_abbrev=False
        )

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message} (see: {self.prog} --help)", USAGE)


class Subcommands:
    """The subcommands of a command such as ``loremark items``."""

    def __init__(self, parser: argparse.ArgumentParser, default: str) -> None:
        if isinstance(parser, Parser):
            parser.default_action = default
        description = f"default: {default}" if default else None
        self._parsers = parser.add_subparsers(metavar="COMMAND", title="commands", description=description)
        parser.set_defaults(run=lambda _: _show_help(parser))

    def add(self, name: str, summary: str, run: Run, example: str = "") -> argparse.ArgumentParser:
        parser = self._parsers.add_parser(name, help=summary, description=summary, epilog=_epilog(example))
        parser.set_defaults(run=run)
        return parser

    def group(self, name: str, summary: str) -> argparse.ArgumentParser:
        """Add a subcommand that has subcommands itself."""
        return self._parsers.add_parser(name, help=summary, description=summary)


def add_subcommands(parser: argparse.ArgumentParser, default: str = "") -> Subcommands:
    """Add subcommands to a command. Without ``default``, running it bare prints the help."""
    return Subcommands(parser, default)


def _show_help(parser: argparse.ArgumentParser) -> int:
    parser.print_help(sys.stderr)
    return USAGE


def _epilog(example: str) -> str:
    return f"example:\n  {example}" if example else ""


def build_parser(name: str, spec: CommandSpec) -> Parser:
    """Import the command's module and build its parser."""
    module = import_module(spec.module)
    parser = Parser(prog=f"loremark {name}", description=module.SUMMARY, epilog=_epilog(module.EXAMPLE))
    if hasattr(module, "run"):
        parser.set_defaults(run=module.run)
    module.add_arguments(parser)
    return parser


def main(table: CommandTable, arguments: Sequence[str], version: Callable[[], str]) -> int:
    """Run a command line (at least one word) and return the exit code. Errors are one line on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # file names may not be valid UTF-8
    try:
        return _run(table, list(arguments), version)
    except CommandError as error:
        return _print_error(str(error), error.code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # for example `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        reason = error.strerror or str(error)
        return _print_error(f"{error.filename}: {reason}" if error.filename else reason, FAILED)


def _run(table: CommandTable, arguments: list[str], version: Callable[[], str]) -> int:
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [*arguments[1:], "--help"]
    if arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(top_level_help(table))
        return OK
    if arguments[0] in ("-V", "--version", "version"):
        sys.stdout.write(f"loremark {version()}\n")
        return OK
    name, *rest = arguments
    if name not in table:
        raise CommandError(f"unknown command {name!r}{_suggestion(name, table)} (see: loremark --help)", USAGE)
    parser = build_parser(name, table[name])
    if parser.default_action and (not rest or (rest[0].startswith("-") and rest[0] not in ("-h", "--help"))):
        rest = [parser.default_action, *rest]
    try:
        parsed = parser.parse_args(rest)
    except SystemExit as exit_:  # --help
        return exit_.code if isinstance(exit_.code, int) else OK
    parsed.commands = table  # for `completion` and `init`
    code = _run_command(parsed)
    sys.stdout.flush()
    return code


def _run_command(parsed: argparse.Namespace) -> int:
    from loremark.client.call import ApiError

    run: Run = parsed.run
    try:
        return run(parsed)
    except ApiError as error:
        if error.status == 401 and str(error) in _SIGNATURE_ERRORS:
            raise CommandError(
                f"{error}: the project's signing secret or this machine's clock is wrong; run: loremark doctor"
            ) from None
        if error.status == 401:
            raise CommandError(f"{error}; sign in with: loremark login", SIGNED_OUT) from None
        raise CommandError(_explain(error)) from None


def _explain(error: ApiError) -> str:
    from loremark.base import profile
    from loremark.cli.error_messages import explain

    found = profile.load()
    return explain(error, found.url if found is not None else "the server")


def top_level_help(table: CommandTable) -> str:
    """The output of ``loremark --help``: all commands, by group."""
    lines = ["Shared project memory for coding agents.", "", "usage: loremark [COMMAND] [options]", ""]
    groups: dict[str, list[str]] = {}
    for name, spec in table.items():
        groups.setdefault(spec.group, []).append(name)
    for group, names in groups.items():
        lines.append(f"{group}:")
        lines += [f"  {name:<12} {import_module(table[name].module).SUMMARY}" for name in names]
        lines.append("")
    lines.append("Without a command, loremark starts the server, like 'loremark serve'.")
    lines.append("Run 'loremark COMMAND --help' to learn more about a command.")
    return "\n".join(lines) + "\n"


def _suggestion(name: str, table: CommandTable) -> str:
    import difflib

    close = difflib.get_close_matches(name, table, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _print_error(text: str, code: int) -> int:
    from loremark.cli.output import plain

    sys.stderr.write(f"loremark: {plain(text)}\n")
    return code
