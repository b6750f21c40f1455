"""Print a streamed answer, then its sources."""

from __future__ import annotations

import re
import sys

from loremark.cli import output
from loremark.wire.answers import AnswerDone, Source

_LIST = "\n\nSources:\n"
"""Starts the built-in engine's own source list, which is replaced by a more detailed one."""
_ENTRIES = re.compile(r"(?:- \[\d+\] [^\n]*\n?)+")
_ENTRY = re.compile(r"^- \[(\d{1,4})\] ", re.MULTILINE)
_MAX_HELD_CHARS = 10_000
_MARK = re.compile(r"\[(\d{1,4})\]")


class AnswerPrinter:
    """Prints text as it arrives. Text that may be the source list is held back until the end."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._held = ""
        self._has_started = False

    def add(self, text: str) -> None:
        self._held += "" if self._quiet else text
        end = _safe_end(self._held)
        self._write(end if len(self._held) - end <= _MAX_HELD_CHARS else len(self._held))

    def complete(self, done: AnswerDone) -> None:
        """Print the held-back text, unless it is a source list that ``show_sources`` replaces."""
        if not self._has_started and not self._held and not self._quiet and isinstance(done.answer, str):
            self._held = done.answer
        text, _, listed = self._held.partition(_LIST)
        is_replaced = any(source.used for source in done.sources) and _ENTRIES.fullmatch(listed) is not None
        self._write(len(text) if is_replaced else len(self._held))

    def end(self) -> None:
        if self._has_started:
            sys.stdout.write("\n")
            sys.stdout.flush()

    def _write(self, end: int) -> None:
        if end:
            sys.stdout.write(output.plain(self._held[:end]))
            sys.stdout.flush()
            self._held, self._has_started = self._held[end:], True


def _safe_end(text: str) -> int:
    """Length of the prefix that cannot be part of the source list."""
    if (found := text.find(_LIST)) >= 0:
        return found
    started = next((size for size in range(len(_LIST) - 1, 0, -1) if text.endswith(_LIST[:size])), 0)
    return len(text) - started


def show_sources(done: AnswerDone) -> None:
    """Print the cited sources with their numbers, or the closest memories if none were cited."""
    used = [source for source in done.sources if source.used]
    if not done.sources:
        return
    output.write()
    output.write(output.styled("Sources:" if used else "Related, but not used:", "bold"))
    marks = _marks(done.answer if isinstance(done.answer, str) else "")
    for index, source in enumerate(used or done.sources):
        mark = f"[{marks[index]}] " if len(marks) == len(used) and used else ""
        output.paragraph(f"  {mark}", _describe(source), indent="      ")


def _marks(text: str) -> list[int]:
    """The citation numbers in an answer, in the order of its sources."""
    listed = text.partition(_LIST)[2]
    return sorted({int(number) for number in (_ENTRY.findall(listed) or _MARK.findall(text))})


def _describe(source: Source) -> str:
    files = ", ".join(source.files)
    is_item = source.item_id.startswith("itm_")
    about = ", ".join(filter(None, (source.type if is_item else "", "unreviewed" if source.reviewed is False else "")))
    page = source.item_id if is_item or not isinstance(source.session_id, str) else source.session_id
    return " ".join(filter(None, (f"{source.title} ({about})", files, page)))
