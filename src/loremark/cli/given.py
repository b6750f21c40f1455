"""What was given on standard input."""

from __future__ import annotations

import sys

from loremark.cli.kit import USAGE, Stop


def read_text(most_chars: int, otherwise: str) -> str:
    """The text that was piped in, bounded; where nothing is piped, ``otherwise`` is what a person is told."""
    if sys.stdin is None or sys.stdin.isatty():
        raise Stop(otherwise, USAGE)
    # Bytes, because a text in another encoding shall be read as well as it can be.
    return sys.stdin.buffer.read(4 * most_chars).decode(errors="replace")[: most_chars + 1]
