"""Ask a question answered with a single key, or with a line if there is no terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from loremark.cli import output

_ESCAPE = b"\x1b"
_END_OF_INPUT = b"\x04"
_MAX_BYTES = 64
_MAX_LINE_CHARS = 1_000


def choose(
    question: str, keys: Mapping[str, str], default: str = "", descriptions: Mapping[str, str] | None = None
) -> str:
    """The chosen key. ``keys`` maps keys to labels, ``descriptions`` to the help shown for ``?``.

    Enter chooses ``default``, if there is one; end of input chooses the last key.
    """
    shown = "  ".join(f"[{key}]{label.removeprefix(key)}" for key, label in keys.items())
    sys.stdout.flush()
    while True:
        pressed = _read_key(f"{output.plain(question)} {shown} ")
        if pressed is None:
            sys.stderr.write("\n")
            return list(keys)[-1]
        found = default if not pressed else next((key for key, label in keys.items() if pressed in (key, label)), "")
        if found:
            if sys.stdin.isatty():
                sys.stderr.write(f"{keys[found]}\n")
            return found
        sys.stderr.write("?\n")
        if pressed == "?" and descriptions:
            sys.stderr.write(
                "".join(f"  {key}  {keys[key]:<10} {description}\n" for key, description in descriptions.items())
            )


def _read_line(question: str) -> str | None:
    _show(question)
    line = sys.stdin.readline(_MAX_LINE_CHARS)
    return line.strip().lower() if line else None


def _read_key(question: str) -> str | None:
    if not sys.stdin.isatty():
        return _read_line(question)
    try:
        import termios
        import tty
    except ImportError:  # not available on this system
        return _read_line(question)
    fd = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(fd)
    except termios.error:
        return _read_line(question)
    try:
        # Discard keys pressed before the question was shown.
        tty.setcbreak(fd, termios.TCSAFLUSH)
        _show(question)
        pressed = os.read(fd, _MAX_BYTES)
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
    if pressed[:1] in (b"", _END_OF_INPUT):
        return None
    if pressed.startswith(_ESCAPE):  # an arrow or function key
        return "\x1b"
    return pressed[:1].decode("latin-1").strip()


def _show(question: str) -> None:
    sys.stderr.write(question)
    sys.stderr.flush()
