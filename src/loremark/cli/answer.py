"""An answer on the screen: its words as they come, then what it rests on, once."""

from __future__ import annotations

import re
import sys

from loremark.cli import page
from loremark.wire.answers import AnswerDone, Source

_LIST = "\n\nSources:\n"
"""Where the built-in engine begins a list of its own; ours says more."""
_ENTRIES = re.compile(r"(?:- \[\d+\] [^\n]*\n?)+")
_ENTRY = re.compile(r"^- \[(\d{1,4})\] ", re.MULTILINE)
_MOST_HELD = 10_000
_MARK = re.compile(r"\[(\d{1,4})\]")


class Answer:
    """The words as they come. What may be the list of sources is held back until the end."""

    def __init__(self, *, silently: bool) -> None:
        self._silently = silently
        self._held = ""
        self._is_begun = False

    def add(self, words: str) -> None:
        self._held += "" if self._silently else words
        end = _safe_end(self._held)
        self._write(end if len(self._held) - end <= _MOST_HELD else len(self._held))

    def complete(self, done: AnswerDone) -> None:
        """The last words: all that was held back, unless our own list says the same."""
        if not self._is_begun and not self._held and not self._silently and isinstance(done.answer, str):
            self._held = done.answer
        words, _, listed = self._held.partition(_LIST)
        is_told = any(source.used for source in done.sources) and _ENTRIES.fullmatch(listed) is not None
        self._write(len(words) if is_told else len(self._held))

    def end(self) -> None:
        if self._is_begun:
            sys.stdout.write("\n")
            sys.stdout.flush()

    def _write(self, end: int) -> None:
        if end:
            sys.stdout.write(page.plain(self._held[:end]))
            sys.stdout.flush()
            self._held, self._is_begun = self._held[end:], True


def _safe_end(text: str) -> int:
    """Up to where a text cannot be the list of sources, nor its beginning."""
    if (found := text.find(_LIST)) >= 0:
        return found
    begun = next((size for size in range(len(_LIST) - 1, 0, -1) if text.endswith(_LIST[:size])), 0)
    return len(text) - begun


def show_sources(done: AnswerDone) -> None:
    """What the answer cites, by the numbers it has there; else what came near."""
    used = [source for source in done.sources if source.used]
    if not done.sources:
        return
    page.write()
    page.write(page.styled("Sources:" if used else "Near the question, and not used:", "bold"))
    marks = _marks(done.answer if isinstance(done.answer, str) else "")
    for place, source in enumerate(used or done.sources):
        mark = f"[{marks[place]}] " if len(marks) == len(used) and used else ""
        page.paragraph(f"  {mark}", _told(source), indent="      ")


def _marks(text: str) -> list[int]:
    """The numbers by which an answer cites; sources come in their order."""
    listed = text.partition(_LIST)[2]
    return sorted({int(number) for number in (_ENTRY.findall(listed) or _MARK.findall(text))})


def _told(source: Source) -> str:
    return " ".join((f"{source.title} ({source.type})", ", ".join(source.files), source.item_id))
