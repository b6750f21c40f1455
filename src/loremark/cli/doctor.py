"""``loremark doctor``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loremark.cli.doctor_checks import Check

SUMMARY = "Check your setup and suggest fixes."
EXAMPLE = "loremark doctor"

_MARKS = {True: ("ok  ", "green"), False: ("FAIL", "red"), None: ("-   ", "dim")}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli.doctor_checks import check_all

    return report(arguments, check_all())


def report(arguments: argparse.Namespace, found: Iterable[Check]) -> int:
    """Print each check as soon as it is done."""
    from loremark.cli import output

    checks: list[Check] = []
    for check in found:
        checks.append(check)
        if not arguments.json:
            mark, color = _MARKS[check.passed]
            output.write(f"{output.styled(mark, color)}  {check.name:<9}  {output.one_line(check.message)}")
            if check.fix:
                output.write(output.styled(f"      {'':<9}  → {output.one_line(check.fix)}", "dim"))
    if arguments.json:
        output.write_json([check._asdict() for check in checks])
    return 1 if any(check.passed is False for check in checks) else 0
