"""One key of a person: at once on a terminal, as a line where there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from loremark.cli import page

_ESCAPE = b"\x1b"
_END = b"\x04"
_MOST_BYTES = 64
_MOST_LINE = 1_000


def choose(question: str, keys: Mapping[str, str], default: str = "", about: Mapping[str, str] | None = None) -> str:
    """Which of the keys was pressed; ``keys`` maps each to its word, ``about`` to what ``?`` tells of it.

    Enter is ``default``, where there is one; when nobody is there any more, it is the last key.
    """
    shown = "  ".join(f"[{key}]{word.removeprefix(key)}" for key, word in keys.items())
    sys.stdout.flush()
    while True:
        pressed = _press(f"{page.plain(question)} {shown} ")
        if pressed is None:
            sys.stderr.write("\n")
            return list(keys)[-1]
        found = default if not pressed else next((key for key, word in keys.items() if pressed in (key, word)), "")
        if found:
            if sys.stdin.isatty():
                sys.stderr.write(f"{keys[found]}\n")
            return found
        sys.stderr.write("?\n")
        if pressed == "?" and about:
            sys.stderr.write("".join(f"  {key}  {keys[key]:<10} {told}\n" for key, told in about.items()))


def _ask_line(question: str) -> str | None:
    _show(question)
    line = sys.stdin.readline(_MOST_LINE)
    return line.strip().lower() if line else None


def _press(question: str) -> str | None:
    if not sys.stdin.isatty():
        return _ask_line(question)
    try:
        import termios
        import tty
    except ImportError:  # a system without such terminals
        return _ask_line(question)
    number = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(number)
    except termios.error:
        return _ask_line(question)
    try:
        # What was pressed before the question was seen is no answer to it.
        tty.setcbreak(number, termios.TCSAFLUSH)
        _show(question)
        pressed = os.read(number, _MOST_BYTES)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
    if pressed[:1] in (b"", _END):
        return None
    if pressed.startswith(_ESCAPE):  # an arrow or a function key: its letters are none
        return "\x1b"
    return pressed[:1].decode("latin-1").strip()


def _show(question: str) -> None:
    sys.stderr.write(question)
    sys.stderr.flush()
