"""``loremark doctor``: the client's checks, and what confines the parser on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loremark.cli.doctor import EXAMPLE, SUMMARY, add_arguments, report

if TYPE_CHECKING:
    from loremark.cli.doctor_checks import Check

__all__ = ["EXAMPLE", "SUMMARY", "add_arguments", "run"]


def run(arguments: argparse.Namespace) -> int:
    return report(arguments, _checks())


def _checks() -> Iterator[Check]:
    import asyncio

    from loremark.cli.doctor_checks import Check, check_all
    from loremark.entry.parser_check import check_parser

    yield from check_all()
    passed, message = asyncio.run(check_parser())
    yield Check("sandbox", passed, message)
