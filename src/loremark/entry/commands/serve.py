"""``loremark serve``."""

from __future__ import annotations

import argparse

SUMMARY = "Run the whole server: API, dashboard, background jobs and answer worker."
EXAMPLE = "LOREMARK_PORT=9000 loremark serve"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    from loremark.entry import processes
    from loremark.entry.commands.runner import read_settings, run_async

    run_async(processes.serve(read_settings()))
    return 0
