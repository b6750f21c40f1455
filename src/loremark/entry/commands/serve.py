"""``loremark serve``."""

from __future__ import annotations

import argparse
import os
import sys

SUMMARY = "Run the whole server: API, dashboard, background jobs and answer worker."
EXAMPLE = "LOREMARK_PORT=9000 loremark serve"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--create-owner",
        action="store_true",
        help="create the owner of a new installation before listening, so that nobody else on this machine registers "
        "first (loremark start and setup do this)",
    )
    parser.add_argument("--log", metavar="FILE", help="append the output to this file (see also: loremark start)")


def run(arguments: argparse.Namespace) -> int:
    from loremark.entry import processes
    from loremark.entry.commands.runner import read_settings, run_async

    settings = read_settings()
    if arguments.log:
        _redirect_output(arguments.log)
    log_file = os.path.abspath(arguments.log) if arguments.log else ""
    run_async(processes.serve(settings, log_file, creates_owner=arguments.create_owner))
    return 0


def _redirect_output(path: str) -> None:
    """Append standard output and standard error to a file that only this user can read: it has sign-in links."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        os.dup2(file, stream.fileno())
    os.close(file)
