"""``cairn serve``."""

from __future__ import annotations

import argparse

SUMMARY = "Everything in one process: API, background jobs, answer worker, dashboard."
EXAMPLE = "CAIRN_PORT=9000 cairn serve"


def declare(parser: argparse.ArgumentParser) -> None:
    pass


def run(arguments: argparse.Namespace) -> int:
    from cairn.entry import processes
    from cairn.entry.commands.running import read_settings, run_all

    run_all(processes.serve(read_settings()))
    return 0
