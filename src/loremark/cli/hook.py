"""Help for ``loremark hook``. Agents' calls are dispatched in ``entry.main`` before this is imported."""

from __future__ import annotations

import argparse

SUMMARY = "Queue an event from an agent or git. Called by hooks; always exits with 0."
EXAMPLE = "loremark hook claude-code < payload.json\n  loremark hook git post-commit\n  loremark hook flush"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="AGENT: record the payload on standard input; git EVENT: record a git event; flush: send queued events "
        "now and retry rejected ones",
    )


def run(arguments: argparse.Namespace) -> int:
    from loremark.hook.hook import main

    return main(list(arguments.words))
