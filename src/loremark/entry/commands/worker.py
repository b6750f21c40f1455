"""``loremark worker``."""

from __future__ import annotations

import argparse

SUMMARY = "The answer worker as a process of its own: it shares the worker secret and the database with the API."
EXAMPLE = "LOREMARK_DATABASE_URL=postgresql://… LOREMARK_WORKER_SECRET=… loremark worker"


def declare(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    from loremark.entry import processes
    from loremark.entry.commands.running import read_settings, run_all

    run_all(processes.worker(read_settings()))
    return 0
