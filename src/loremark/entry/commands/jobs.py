"""``loremark jobs``."""

from __future__ import annotations

import argparse

SUMMARY = "Run only the background jobs."
EXAMPLE = "LOREMARK_DATABASE_URL=postgresql://… loremark jobs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    from loremark.entry import processes
    from loremark.entry.commands.runner import read_settings, run_async

    run_async(processes.jobs(read_settings()))
    return 0
