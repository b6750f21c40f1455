"""The ``loremark`` command; without arguments it starts the server.

``hook`` and ``mcp`` are dispatched before anything slow is imported.
"""

from __future__ import annotations

import sys


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and "--help" not in arguments:
        from loremark.hook.hook import main as hook

        return hook(arguments[1:])
    if arguments[:1] == ["mcp"] and "--help" not in arguments:
        from loremark.mcp.bridge import main as bridge

        return bridge(arguments[1:])
    from loremark.cli import framework
    from loremark.entry.command_table import COMMANDS

    return framework.main(COMMANDS, arguments or ["serve"], _version)


def _version() -> str:
    from importlib.metadata import version

    return version("loremark")


if __name__ == "__main__":
    sys.exit(main())
