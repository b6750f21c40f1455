"""``loremark worker``."""

from __future__ import annotations

import argparse

SUMMARY = "Run only the answer worker. It needs the API's database and worker secret."
EXAMPLE = "LOREMARK_DATABASE_URL=postgresql://… LOREMARK_WORKER_SECRET=… loremark worker"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    from loremark.entry import processes
    from loremark.entry.commands.runner import read_settings, run_async

    run_async(processes.worker(read_settings()))
    return 0
