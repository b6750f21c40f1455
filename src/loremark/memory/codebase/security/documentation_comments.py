"""Finds documentation in source code: docstrings and the comments that documentation is generated from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from loremark.memory.codebase.security.secret_names import words

# Comments and strings in order, so that quotes within them are not taken for others.
_PYTHON = re.compile(
    r"#[^\n]*|(?P<quotes>\"\"\"|''')|\"(?:[^\"\\\n]|\\.){0,2000}+\"|'(?:[^'\\\n]|\\.){0,2000}+'", re.DOTALL
)
_STATEMENT = re.compile(r"[ \t]*[rRuU]?")
_BLOCK = re.compile(r"^[ \t]*/\*\*(?!/)", re.MULTILINE)
_LINE = re.compile(r"^[ \t]*//[/!][^\n]*", re.MULTILINE)
_WITH_LINES = words("rust csharp swift dart fsharp")
_WITH_BLOCKS = words("javascript typescript tsx java kotlin scala groovy php swift c cpp header vue")


def find_documentation(language: str | None, content: str) -> list[tuple[int, int]]:
    """Start and end of each piece of documentation, in order. What has no end is none."""
    if language == "python":
        return list(_docstrings(content))
    found = list(_blocks(content)) if language in _WITH_BLOCKS else []
    if language in _WITH_LINES:
        found += [line.span() for line in _LINE.finditer(content)]
    return sorted(found)


def is_within(offset: int, spans: list[tuple[int, int]]) -> bool:
    place = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return place >= 0 and offset < spans[place][1]


def _docstrings(content: str) -> Iterator[tuple[int, int]]:
    """Strings in triple quotes that are statements of their own."""
    at = 0
    while (found := _PYTHON.search(content, at)) is not None:
        at = found.end()
        if found["quotes"] is None:
            continue
        end = content.find(found["quotes"], at)
        if end < 0:
            return
        at = end + len(found["quotes"])
        line_start = content.rfind("\n", 0, found.start()) + 1
        if _STATEMENT.fullmatch(content, line_start, found.start()):
            yield found.start(), at


def _blocks(content: str) -> Iterator[tuple[int, int]]:
    at = 0
    while (opening := _BLOCK.search(content, at)) is not None:
        end = content.find("*/", opening.end())
        if end < 0:
            return
        at = end + len("*/")
        yield opening.start(), at
