"""Texts of users and models made harmless: they stay readable and cannot reach out of the place they stand in.

Every line of such a text is indented in the document, so that all that begins at a line's start is ours. Inside its
place it forms no heading of a section, leaves no code block open, hides nothing in a comment and defines no links.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_MARKS = re.compile(r"[#=\-\[>`~<]")
# Lists and quotes that a line may begin with, before what it really is.
_WITHIN = r"^((?:[ ]|>|[-*+](?=[ ])|\d{1,9}[.)](?=[ ]))*+)"
_HEADING = re.compile(_WITHIN + r"(#{1,6})(?=[ ]|$)")
_UNDERLINE = re.compile(_WITHIN + r"(=+|-+)$")
_DEFINITION = re.compile(_WITHIN + r"\[(?![ xX]\][ ]|[^\]]*\]\()")
_FENCE = re.compile(_WITHIN + r"(`{3,}(?=[^`]*$)|~{3,})[ ]*([A-Za-z0-9+#._-]{0,20})")
_BACKTICKS = re.compile(r"`+")
_ESCAPING = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)")
_LOWEST = 6


def plain(text: str) -> str:
    """The text without what cannot be seen and changes what can."""
    return _CONTROL.sub("", text)


def flat(text: str) -> str:
    """The text without line breaks. It may still be cut, and is not harmless yet."""
    return " ".join(plain(text).split())


def one_line(text: str) -> str:
    """A name or title, to stand within a line of ours. Nothing may be cut from it: what was closed would be open."""
    return _ESCAPING.sub(r"\\\\", _inline(flat(text))).replace("*", r"\*")


def in_code(text: str) -> str:
    """A path or branch, to stand between backticks."""
    return f"`{' '.join(plain(text).replace('`', chr(39)).split())}`"


def lines_of(text: str) -> list[str]:
    """The text as lines that may stand, indented alike, inside an entry of a list."""
    found: list[str] = []
    given = plain(text).splitlines()
    at = 0
    while at < len(given):
        line = given[at].expandtabs(4).rstrip()
        fence = _FENCE.match(line)
        if fence is not None:
            at, block = _code(given, at + 1, fence[2], fence[3])
            found += block
            continue
        at += 1
        if line or (found and found[-1]):
            found.append(_line(line))
    while found and not found[-1]:
        found.pop()
    return found


def _code(given: list[str], start: int, fence: str, language: str) -> tuple[int, list[str]]:
    """The lines of a code block with a fence of ours around them, always closed; and where the text goes on."""
    end = start
    while end < len(given) and not _closes(given[end], fence):
        end += 1
    body = [line.rstrip() for line in given[start:end]]
    longest = max((len(run) for line in body for run in _BACKTICKS.findall(line)), default=0)
    mark = "`" * max(3, longest + 1)
    return end + 1, [f"{mark}{language}", *body, mark]


def _closes(line: str, fence: str) -> bool:
    bare = line.strip().lstrip("> ")
    return len(bare) >= len(fence) and not bare.strip(fence[0])


def _line(line: str) -> str:
    if _MARKS.search(line) is None:
        return line
    line = _HEADING.sub(lambda found: f"{found[1]}{'#' * min(_LOWEST, len(found[2]) + 4)}", line)
    line = _UNDERLINE.sub(r"\1\\\2", line)
    line = _DEFINITION.sub(r"\1\\[", line)
    return _inline(line)


def _inline(line: str) -> str:
    """Code stays code; elsewhere nothing opens a tag, a comment, or code that another line would close."""
    if "`" not in line:
        return _TAG.sub("&lt;", line)
    line = line.replace("\\`", "&#96;")
    parts: list[str] = []
    at = 0
    for start, end in _code_spans(line):
        parts += [_outside(line[at:start]), line[start:end]]
        at = end
    return "".join([*parts, _outside(line[at:])])


def _code_spans(line: str) -> list[tuple[int, int]]:
    """Where code begins and ends: between two runs of as many backticks."""
    runs = [(found.start(), found.end()) for found in _BACKTICKS.finditer(line)]
    closing: dict[int, int] = {}
    partner = [-1] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        size = runs[place][1] - runs[place][0]
        partner[place] = closing.get(size, -1)
        closing[size] = place
    spans: list[tuple[int, int]] = []
    place = 0
    while place < len(runs):
        if partner[place] < 0:
            place += 1
            continue
        spans.append((runs[place][0], runs[partner[place]][1]))
        place = partner[place] + 1
    return spans


def _outside(text: str) -> str:
    return _TAG.sub("&lt;", text).replace("`", "&#96;")
