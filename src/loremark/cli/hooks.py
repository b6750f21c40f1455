"""``loremark hook`` as help shows it; an agent's call is taken before any of this is loaded."""

from __future__ import annotations

import argparse

SUMMARY = "What agents and git call by themselves: take a payload into the spool. Always ends with 0."
EXAMPLE = "loremark hook claude-code < payload.json\n  loremark hook git post-commit\n  loremark hook flush"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="the agent (a hint: the payload on the input tells it), or: git EVENT, or: flush",
    )


def run(arguments: argparse.Namespace) -> int:
    from loremark.hook.hook import main

    return main(list(arguments.words))
