"""Split Markdown into sections by heading."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.{0,300})$")
_FENCE = re.compile(r"[ \t]{0,3}(```+|~~~+)")
_BLOCK_BEGIN, _BLOCK_END = "<!-- loremark:begin -->", "<!-- loremark:end -->"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading path and the text up to the next heading."""

    headings: tuple[str, ...]
    text: str

    @property
    def title(self) -> str:
        return self.headings[-1] if self.headings else ""


def sections(text: str, *, depth: int = 6) -> list[Section]:
    """Return the sections in order. Text before the first heading has no heading path; code blocks are skipped."""
    found: list[Section] = []
    above: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""

    def close() -> None:
        found.append(Section(tuple(name for _, name in above), "\n".join(lines).strip()))
        lines.clear()

    for line in without_own_block(text).split("\n"):
        mark = _FENCE.match(line)
        if mark is not None:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        heading = None if fence or mark else _HEADING.match(line)
        if heading is None or len(heading[1]) > depth:
            lines.append(line)
            continue
        close()
        level = len(heading[1])
        above = [(known, name) for known, name in above if known < level]
        above.append((level, heading[2].rstrip(" #").strip()))
    close()
    return [section for section in found if section.text or section.headings]


def without_own_block(text: str) -> str:
    """Remove the block written by Loremark."""
    return _without(text, _BLOCK_BEGIN, _BLOCK_END)


def without_comments(text: str) -> str:
    return _without(text, "<!--", "-->")


def _without(text: str, begin: str, end: str) -> str:
    """Remove everything between the markers; an unclosed block extends to the end. Runs in linear time."""
    kept: list[str] = []
    position = 0
    while (start := text.find(begin, position)) >= 0:
        kept.append(text[position:start])
        stop = text.find(end, start + len(begin))
        if stop < 0:
            return "".join(kept)
        position = stop + len(end)
    kept.append(text[position:])
    return "".join(kept)
