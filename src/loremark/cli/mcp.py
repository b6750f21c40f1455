"""Help for ``loremark mcp``. Agents' calls are dispatched in ``entry.main`` before this is imported."""

from __future__ import annotations

import argparse

SUMMARY = "Run the MCP server for agents on standard input and output."
EXAMPLE = "claude mcp add loremark -- loremark mcp"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no arguments."""


def run(arguments: argparse.Namespace) -> int:
    from loremark.mcp.bridge import main

    return main([])
