"""``loremark scan``."""

from __future__ import annotations

import argparse
from pathlib import Path

from loremark.cli.framework import USAGE, CommandError

SUMMARY = "Scan a local codebase and save the findings as memories."
EXAMPLE = "loremark scan --dry-run"

_MOST_FILES = 5_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="folder to scan (default: the current one)"
    )
    parser.add_argument(
        "--max-files", type=_count, default=2_000, metavar="N", help="read at most N files (default: 2000)"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the findings without sending them")
    add_project(parser)
    add_json(parser)


def _count(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if not 1 <= number <= _MOST_FILES:
        raise argparse.ArgumentTypeError(f"must be between 1 and {_MOST_FILES}")
    return number


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from loremark.cli.output import note, plain, write
    from loremark.entry import scanning
    from loremark.entry.progress import progress_bar

    target = None if arguments.dry_run else scanning.find_target(arguments)
    try:
        with progress_bar("reading files", quiet=arguments.json) as progress:
            scanned = asyncio.run(scanning.scan(arguments.folder, arguments.max_files, progress))
    except OSError as error:
        raise CommandError(str(error), USAGE) from None
    write(scanned.to_json() if arguments.json else plain(scanning.summary(scanned)))
    if target is not None:
        (note if arguments.json else write)(scanning.send(scanned, target))
    return 0
