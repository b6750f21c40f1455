"""Escapes text of users and models so that it stays readable and cannot break out of its place in the document.

Every line of such text is indented in the document, so only our own lines start at the margin. It cannot form a section
heading, leave a code block open, hide anything in a comment or define links.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_MARKS = re.compile(r"[#=\-\[>`~<]")
# List and quote markers at the start of a line.
_WITHIN = r"^((?:[ ]|>|[-*+](?=[ ])|\d{1,9}[.)](?=[ ]))*+)"
_HEADING = re.compile(_WITHIN + r"(#{1,6})(?=[ ]|$)")
_UNDERLINE = re.compile(_WITHIN + r"(=+|-+)$")
_DEFINITION = re.compile(_WITHIN + r"\[(?![ xX]\][ ]|[^\]]*\]\()")
_FENCE = re.compile(_WITHIN + r"(`{3,}(?=[^`]*$)|~{3,})[ ]*([A-Za-z0-9+#._-]{0,20})")
_BACKTICKS = re.compile(r"`+")
_ESCAPING = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)")
_LOWEST = 6


def strip_control_chars(text: str) -> str:
    """Remove invisible characters that change how text is displayed."""
    return _CONTROL.sub("", text)


def collapse_whitespace(text: str) -> str:
    """Text on a single line. It can still be truncated and is not escaped yet."""
    return " ".join(strip_control_chars(text).split())


def escape_inline(text: str) -> str:
    """Escape a name or title for use within a line. Do not truncate the result: that could open what was closed."""
    return _ESCAPING.sub(r"\\\\", _inline(collapse_whitespace(text))).replace("*", r"\*")


def code_span(text: str) -> str:
    """Escape a path or branch as a code span."""
    return f"`{' '.join(strip_control_chars(text).replace('`', chr(39)).split())}`"


def escape_block(text: str) -> list[str]:
    """Escape text as lines that can be indented inside a list item."""
    found: list[str] = []
    given = strip_control_chars(text).splitlines()
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
    """Return where the text continues, and the code block with our own fences, always closed."""
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
    """Keep code spans; elsewhere nothing opens a tag, a comment, or code that another line would close."""
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
    """Start and end of code spans: between two runs of equally many backticks."""
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
