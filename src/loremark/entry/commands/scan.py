"""``loremark scan``."""

from __future__ import annotations

import argparse
from pathlib import Path

from loremark.cli.kit import USAGE, Stop

SUMMARY = "Read a codebase on this machine, say what matters, and send it to the server as memory."
EXAMPLE = "loremark scan --dry-run"

_MOST_FILES = 5_000


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="the checkout to read")
    parser.add_argument("--max-files", type=_count, default=2_000, metavar="N", help="how many files are read at most")
    parser.add_argument("--dry-run", action="store_true", help="look, and send nothing")
    add_project(parser)
    add_json(parser)


def _count(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if not 1 <= number <= _MOST_FILES:
        raise argparse.ArgumentTypeError(f"must be between 1 and {_MOST_FILES}")
    return number


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from loremark.cli.page import note, plain, write
    from loremark.entry import scanning
    from loremark.entry.progress import counting

    target = None if arguments.dry_run else scanning.find_target(arguments)
    try:
        with counting("reading files", quiet=arguments.json) as progress:
            scanned = asyncio.run(scanning.scan(arguments.folder, arguments.max_files, progress))
    except OSError as error:
        raise Stop(str(error), USAGE) from None
    write(scanned.to_json() if arguments.json else plain(scanning.summary(scanned)))
    if target is not None:
        (note if arguments.json else write)(scanning.send(scanned, target))
    return 0
