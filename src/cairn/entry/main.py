"""The ``cairn`` command. The hook and the tool server are found before anything heavy is loaded."""

from __future__ import annotations

import sys


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and "--help" not in arguments:
        from cairn.hook.hook import main as hook

        return hook(arguments[1:])
    if arguments[:1] == ["mcp"] and "--help" not in arguments:
        from cairn.mcp.bridge import main as bridge

        return bridge(arguments[1:])
    from cairn.cli import kit
    from cairn.entry.table import COMMANDS

    return kit.main(COMMANDS, arguments, _version)


def _version() -> str:
    from importlib.metadata import version

    return version("cairn")


if __name__ == "__main__":
    sys.exit(main())
