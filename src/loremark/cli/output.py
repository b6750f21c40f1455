"""Terminal output: tables, colors, JSON, prompts and progress.

Text from the server or a repository is untrusted: control characters are stripped before they reach a terminal.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from loremark.base.terminal import wants_color

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
_CONTROLS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))  # bidirectional overrides
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROLS if code > 0x20}
_READABLE_CHARS = 24
"""The narrowest column that still shows a useful part of a title."""
_ANY_WIDTH = 10_000


def _is_colored() -> bool:
    return wants_color(sys.stdout.isatty())


def plain(text: str) -> str:
    """The text without control characters."""
    return text.translate(_CONTROLS)


def styled(text: str, *styles: str) -> str:
    stripped = plain(text)
    if not styles or not _is_colored():
        return stripped
    return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{stripped}\x1b[0m"


def write(text: str = "") -> None:
    """Write a line to standard output. The caller strips control characters with ``plain`` or ``styled``."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(plain(text) + "\n")


def write_json(value: Any) -> None:
    """Write one JSON document to standard output."""
    import msgspec

    sys.stdout.write(json_text(msgspec.json.encode(value)) + "\n")


def json_text(encoded: bytes) -> str:
    """JSON for standard output: indented on a terminal, with control characters escaped."""
    import msgspec

    text = msgspec.json.format(encoded, indent=2) if sys.stdout.isatty() else encoded
    return text.decode().translate(_ESCAPES)


def one_line(text: str, width: int = _ANY_WIDTH) -> str:
    line = " ".join(plain(text).split())
    return line if len(line) <= width else line[: max(width - 1, 0)] + "…"


def pluralize(number: int, noun: str, nouns: str = "") -> str:
    """A count with its noun: "1 item", "2 items"."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def join(words: Sequence[str], last: str = "and") -> str:
    """The words as a list in a sentence: "a", "a and b", "a, b and c"."""
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def width() -> int:
    return shutil.get_terminal_size((100, 24)).columns


def line_width() -> int:
    """The width of a line. Piped output is never truncated."""
    return width() if sys.stdout.isatty() else _ANY_WIDTH


def table(rows: Iterable[Sequence[str]], headers: Sequence[str] = ()) -> None:
    """Print aligned columns; the last one is truncated to fit the line.

    If it would become too narrow, each row is printed as a block: the last cell first, the others below it.
    """
    shown = [[one_line(cell) for cell in row] for row in rows]
    if not shown:
        return
    wide = [max(map(len, column)) for column in zip(*shown, *([headers] if headers else []), strict=True)]
    left = line_width() - sum(wide[:-1]) - 2 * len(wide[:-1])
    if left < min(wide[-1], _READABLE_CHARS):
        for *others, last in shown:
            write(styled(one_line(last, line_width()), "bold"))
            wrap_cells([cell for cell in (*others[1:], *others[:1]) if cell], "  ")
        return
    for number, row in enumerate([list(headers), *shown] if headers else shown):
        *firsts, last = row
        start = "".join(f"{cell:<{wide[column]}}  " for column, cell in enumerate(firsts))
        line = start + one_line(last, left)
        write(styled(line.rstrip(), "dim") if headers and number == 0 else line.rstrip())


def wrap_cells(cells: Sequence[str], indent: str = "") -> None:
    """Print cells side by side, wrapping between them. Words are never split, so they can be copied."""
    from itertools import chain
    from textwrap import wrap

    room = max(1, line_width() - len(indent))
    line = ""
    parts = (wrap(cell, room, break_long_words=False, break_on_hyphens=False) for cell in cells)
    for cell in chain.from_iterable(parts):
        longer = f"{line}  {cell}" if line else indent + cell
        if line and len(longer) > line_width():
            write(styled(line, "dim"))
            longer = indent + cell
        line = longer
    if line:
        write(styled(line, "dim"))


def paragraph(lead: str, text: str, *styles: str, indent: str = "     ") -> None:
    """Print text after a lead, wrapped on a terminal and indented from the second line on."""
    from textwrap import wrap

    line = one_line(text)
    if len(lead) + len(line) <= line_width():
        write(lead + styled(line, *styles))
        return
    wide = max(line_width(), len(lead) + _READABLE_CHARS // 2)
    lines = wrap(line, wide, initial_indent=lead, subsequent_indent=indent, break_on_hyphens=False)
    first, *others = lines or [lead]
    write(lead + styled(first.removeprefix(lead), *styles))
    for line in others:
        write(indent + styled(line.removeprefix(indent), *styles))


def progress(text: str) -> None:
    """Show progress on a terminal, replacing the previous line."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{plain(text)}")
        sys.stderr.flush()


def clear_progress() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def bar(used: float, limit: float, cells: int = 20) -> str:
    """A usage bar."""
    share = min(max(used / limit, 0.0), 1.0) if limit > 0 else 0.0
    full = round(share * cells)
    return "█" * full + "░" * (cells - full)


def prompt(question: str) -> str:
    """Ask for a line of input; empty if standard input is not a terminal."""
    if not sys.stdin.isatty():
        return ""
    sys.stderr.write(f"{plain(question)} ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def confirm(question: str, assumed: bool, *, default: bool = False) -> bool:
    """Ask for confirmation; Enter chooses the default. Without a terminal, returns ``assumed`` (``--yes``)."""
    if assumed or not sys.stdin.isatty():
        return assumed
    sys.stderr.write(f"{plain(question)} {'[Y/n]' if default else '[y/N]'} ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:  # the input has ended, which is not an answer
        return False
    return answer.strip().lower() in (("", "y", "yes") if default else ("y", "yes"))
