"""What a person sees: tables, colours where there is a terminal, JSON where it is asked for.

Texts from the server or a repository may hold anything; none of it reaches a terminal as a command.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from loremark.base.terminal import wants_colours

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
_CONTROLS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))  # they turn what follows around
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROLS if code > 0x20}
_READABLE_CHARS = 24
"""What is shorter than this says too little of a title."""
_ANY_WIDTH = 10_000


def _is_coloured() -> bool:
    return wants_colours(sys.stdout.isatty())


def plain(text: str) -> str:
    """A text without what a terminal would act on."""
    return text.translate(_CONTROLS)


def styled(text: str, *styles: str) -> str:
    told = plain(text)
    if not styles or not _is_coloured():
        return told
    return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{told}\x1b[0m"


def write(text: str = "") -> None:
    """A line of data on standard output; escape sequences only by ``styled``."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """A line for the person, beside the data."""
    sys.stderr.write(plain(text) + "\n")


def write_json(value: Any) -> None:
    """JSON as the interface writes it, one document."""
    import msgspec

    sys.stdout.write(json_text(msgspec.json.encode(value)) + "\n")


def json_text(encoded: bytes) -> str:
    """JSON for standard output: in lines where a person reads it, and without what a terminal would act on."""
    import msgspec

    text = msgspec.json.format(encoded, indent=2) if sys.stdout.isatty() else encoded
    return text.decode().translate(_ESCAPES)


def one_line(text: str, width: int = _ANY_WIDTH) -> str:
    told = " ".join(plain(text).split())
    return told if len(told) <= width else told[: max(width - 1, 0)] + "…"


def counted(number: int, noun: str, nouns: str = "") -> str:
    """How many there are of something, in words that fit."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def width() -> int:
    return shutil.get_terminal_size((100, 24)).columns


def room() -> int:
    """How long a line of data may be: what is piped on is never cut."""
    return width() if sys.stdout.isatty() else _ANY_WIDTH


def table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> None:
    """Columns as wide as they need to be; the last takes what is left of the line.

    Where that is too little to be read, the last comes first, the others below it, and what was first at the end.
    """
    shown = [[one_line(cell) for cell in row] for row in rows]
    if not shown:
        return
    wide = [max(map(len, column)) for column in zip(*shown, *([heads] if heads else []), strict=True)]
    left = room() - sum(wide[:-1]) - 2 * len(wide[:-1])
    if left < min(wide[-1], _READABLE_CHARS):
        for *others, last in shown:
            write(styled(one_line(last, room()), "bold"))
            flow([cell for cell in (*others[1:], *others[:1]) if cell], "  ")
        return
    for number, row in enumerate([list(heads), *shown] if heads else shown):
        *firsts, last = row
        start = "".join(f"{cell:<{wide[column]}}  " for column, cell in enumerate(firsts))
        line = start + one_line(last, left)
        write(styled(line.rstrip(), "dim") if heads and number == 0 else line.rstrip())


def flow(cells: Sequence[str], indent: str = "") -> None:
    """Small things beside each other, in as many lines as that takes; none is broken, so that it can be copied."""
    line = ""
    for cell in cells:
        longer = f"{line}  {cell}" if line else indent + cell
        if line and len(longer) > room():
            write(styled(line, "dim"))
            longer = indent + cell
        line = longer
    if line:
        write(styled(line, "dim"))


def paragraph(lead: str, text: str, *styles: str, indent: str = "     ") -> None:
    """A text behind what leads to it; on a terminal its lines begin below each other."""
    from textwrap import wrap

    told = one_line(text)
    if len(lead) + len(told) <= room():
        write(lead + styled(told, *styles))
        return
    wide = max(room(), len(lead) + _READABLE_CHARS // 2)
    lines = wrap(told, wide, initial_indent=lead, subsequent_indent=indent, break_on_hyphens=False)
    first, *others = lines or [lead]
    write(lead + styled(first.removeprefix(lead), *styles))
    for line in others:
        write(indent + styled(line.removeprefix(indent), *styles))


def progress(text: str) -> None:
    """How far it is, on a terminal only; the next one takes its place."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{plain(text)}")
        sys.stderr.flush()


def progress_ends() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def bar(used: float, limit: float, cells: int = 20) -> str:
    """How much of something is used."""
    share = min(max(used / limit, 0.0), 1.0) if limit > 0 else 0.0
    full = round(share * cells)
    return "█" * full + "░" * (cells - full)


def ask(question: str) -> str:
    """A line of the person; empty where nobody can be asked."""
    if not sys.stdin.isatty():
        return ""
    sys.stderr.write(f"{plain(question)} ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def confirm(question: str, assumed: bool) -> bool:
    """A yes of the person; where nobody can be asked, what ``--yes`` said."""
    if assumed or not sys.stdin.isatty():
        return assumed
    sys.stderr.write(f"{plain(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
