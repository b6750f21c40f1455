"""``loremark serve``."""

from __future__ import annotations

import argparse

SUMMARY = "Everything in one process: API, background jobs, answer worker, dashboard."
EXAMPLE = "LOREMARK_PORT=9000 loremark serve"


def declare(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    from loremark.entry import processes
    from loremark.entry.commands.running import read_settings, run_all

    run_all(processes.serve(read_settings()))
    return 0
