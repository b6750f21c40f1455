"""``loremark jobs``."""

from __future__ import annotations

import argparse

SUMMARY = "The background jobs as a process of its own."
EXAMPLE = "LOREMARK_DATABASE_URL=postgresql://… loremark jobs"


def declare(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    from loremark.entry import processes
    from loremark.entry.commands.running import read_settings, run_all

    run_all(processes.jobs(read_settings()))
    return 0
