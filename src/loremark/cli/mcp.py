"""``loremark mcp`` as help shows it; an agent's call is taken before any of this is loaded."""

from __future__ import annotations

import argparse

SUMMARY = "The tool server for agents (MCP), on standard input and output."
EXAMPLE = "claude mcp add loremark -- loremark mcp"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORD", help="for what an agent adds; nothing is needed")


def run(arguments: argparse.Namespace) -> int:
    from loremark.mcp.bridge import main

    return main(list(arguments.words))
