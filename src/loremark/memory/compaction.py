"""Compacts a journal into one entry that states everything once, newest first.

An entry is a section that starts with ``## `` outside a code block. Entries are appended, so the last one is the
newest. Text above the first entry is kept as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_ENTRY = "## "
_HEADING = re.compile(r"#{3,6} ")
_FENCE = re.compile(r"\s*(?:(`{3,})[^`]*|(~{3,}).*)$")
_BULLET = re.compile(r"(?:[-*+]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Compaction:
    """The compacted text, and the number of entries before and after."""

    content: str
    entries_before: int
    entries_after: int


@dataclass(slots=True)
class _Statement:
    """A list item with everything indented below it, a paragraph, or a code block."""

    lines: list[str]
    after_blank: bool
    is_bullet: bool = False

    @property
    def key(self) -> str:
        """Equal for statements that say the same."""
        text = "\n".join(line.rstrip() for line in self.lines).strip()
        return _BULLET.sub("", text, count=1) if self.is_bullet else text


@dataclass(slots=True)
class _Entry:
    """A section: its own statements, and those under each of its subheadings."""

    title: str
    parts: dict[str, list[_Statement]] = field(default_factory=lambda: {"": []})


class _Fences:
    """Tracks code blocks from line to line."""

    def __init__(self) -> None:
        self.open = ""

    def passes(self, line: str) -> bool:
        """Whether the line belongs to a code block, including its fences."""
        if self.open:
            bare = line.strip()
            if len(bare) >= len(self.open) and bare == self.open[0] * len(bare):
                self.open = ""
            return True
        found = _FENCE.match(line)
        if found is not None:
            self.open = found[1] or found[2]
        return found is not None


def count_entries(content: str) -> int:
    return len(_split(content)[1])


def compact(content: str) -> Compaction:
    """Merge all entries into one that keeps every statement once. Fewer than two entries stay as they are."""
    preamble, sections = _split(content)
    if len(sections) < 2:
        return Compaction(content, len(sections), len(sections))
    entries = [_read(section) for section in reversed(sections)]
    lines = [*preamble, sections[-1][0], *_merge(entries)]
    ending = "\n" if content.endswith("\n") else ""
    return Compaction("\n".join(lines).rstrip("\n") + ending, len(sections), 1)


def _split(content: str) -> tuple[list[str], list[list[str]]]:
    """Return the text above the first entry, and the lines of each entry with its heading."""
    preamble: list[str] = []
    sections: list[list[str]] = []
    fences = _Fences()
    for line in content.split("\n"):
        in_code = fences.passes(line)
        if line.startswith(_ENTRY) and not in_code:
            sections.append([line])
        else:
            (sections[-1] if sections else preamble).append(line)
    return preamble, sections


def _read(section: list[str]) -> _Entry:
    entry = _Entry(_plain_title(section[0]))
    part = entry.parts[""]
    fences = _Fences()
    after_blank = False
    for line in section[1:]:
        was_open = bool(fences.open)
        in_code = fences.passes(line)
        if not in_code and not line.strip():
            after_blank = True
            continue
        if not in_code and _HEADING.match(line):
            part = entry.parts.setdefault(line.rstrip(), [])
        elif part and _continues(part[-1], line, was_open=was_open, in_code=in_code, after_blank=after_blank):
            part[-1].lines += [*([""] if after_blank else []), line]
        else:
            is_bullet = _BULLET.match(line) is not None
            part.append(_Statement([line], after_blank, is_bullet))
        after_blank = False
    if fences.open and part:
        part[-1].lines.append(fences.open)  # close a code block that ran to the end: more text follows now
    return entry


def _continues(last: _Statement, line: str, *, was_open: bool, in_code: bool, after_blank: bool) -> bool:
    """Whether a line belongs to the statement before it."""
    if was_open or line[:1] in (" ", "\t"):
        return True
    begins = in_code or _BULLET.match(line) is not None
    ended = after_blank or last.is_bullet or _FENCE.match(last.lines[-1]) is not None
    return not begins and not ended


def _plain_title(heading: str) -> str:
    """The heading's text as a line that is neither a heading nor a code fence."""
    title = heading.strip()
    while title.startswith(("#", "```", "~~~")):
        title = title.lstrip("#`~").strip()
    return title


def _merge(entries: list[_Entry]) -> list[str]:
    """Return the lines of the merged entry, newest first."""
    own: list[str] = []
    below: dict[str, list[str]] = {}
    seen: dict[str, set[str]] = {}
    titles = {entries[0].title, ""}
    for entry in entries:
        fresh = {
            heading: [statement for statement in statements if _is_new(seen.setdefault(heading, set()), statement)]
            for heading, statements in entry.parts.items()
        }
        is_empty = not any(entry.parts.values())
        if entry.title not in titles and (is_empty or any(fresh.values())):
            titles.add(entry.title)
            own += ["", entry.title]
        _write(own, fresh.pop(""))
        for heading, statements in fresh.items():
            _write(below.setdefault(heading, []), statements)
    for heading, lines in below.items():
        own += ["", heading, *lines]
    return own


def _is_new(seen: set[str], statement: _Statement) -> bool:
    known = statement.key in seen
    seen.add(statement.key)
    return not known


def _write(lines: list[str], statements: list[_Statement]) -> None:
    for statement in statements:
        if lines and lines[-1] and (statement.after_blank or not statement.is_bullet):
            lines.append("")
        lines += statement.lines
