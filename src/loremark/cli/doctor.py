"""``loremark doctor``: whether everything between this folder and the server works, and how to mend what does not."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loremark.cli.checking import Check

SUMMARY = "Check server, key, project, secret, clock, what waits to be sent, agents and git hooks."
EXAMPLE = "loremark doctor"

_MARKS = {True: ("ok ", "green"), False: ("BAD", "red"), None: ("-  ", "dim")}


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.checking import check_all

    checks: list[Check] = []
    for check in check_all():
        checks.append(check)
        if not arguments.json:
            mark, colour = _MARKS[check.passed]
            page.write(f"{page.styled(mark, colour)}  {check.name:<9}  {page.one_line(check.words)}")
            if check.mend:
                page.write(page.styled(f"     {'':<9}  → {page.one_line(check.mend)}", "dim"))
    if arguments.json:
        page.write_json([check._asdict() for check in checks])
    return 1 if any(check.passed is False for check in checks) else 0
