"""Read text from standard input."""

from __future__ import annotations

import sys

from loremark.cli.framework import USAGE, CommandError


def read_text(max_chars: int, usage: str) -> str:
    """Text piped to the command, at most one character over the limit. Fails with ``usage`` if nothing is piped."""
    if sys.stdin is None or sys.stdin.isatty():
        raise CommandError(usage, USAGE)
    # Read bytes: input in another encoding must not raise.
    return sys.stdin.buffer.read(4 * max_chars).decode(errors="replace")[: max_chars + 1]
