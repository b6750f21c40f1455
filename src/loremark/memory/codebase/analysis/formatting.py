"""Formats findings consistently: counts, lists, shares, code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loremark.memory.codebase.records import Finding, Layer

MAX_TITLE = 120
MAX_CONTENT = 1_500
MAX_FILES = 50
_LONGEST_NAME = 160
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def finding(
    layer: Layer,
    title: str,
    content: Sequence[str],
    importance: int,
    files: Iterable[str] = (),
    tags: Iterable[str] = (),
) -> Finding:
    """Creates a finding within the limits; content is truncated between lines."""
    kept: list[str] = []
    length = 0
    for line in content:
        line = _CONTROL.sub(" ", line)[:900]
        length += len(line) + 1
        if length > MAX_CONTENT:
            break
        kept.append(line)
    named = tuple(dict.fromkeys(files))[:MAX_FILES]
    return Finding(
        layer, short(title, MAX_TITLE), "\n".join(kept).strip(), importance, named, tuple(dict.fromkeys(tags))
    )


def short(text: str, most: int) -> str:
    """One line, truncated at a word."""
    text = " ".join(_CONTROL.sub(" ", text[: 4 * most]).split())
    return text if len(text) <= most else text[: most - 1].rpartition(" ")[0].rstrip(",;:–—-(") + "…"


def code(text: str) -> str:
    """A name in backticks, with backticks removed; very long paths are cut at the start."""
    plain = text.replace("`", "")
    if len(plain) > _LONGEST_NAME and " " not in plain[:_LONGEST_NAME]:
        plain = f"…{plain[1 - _LONGEST_NAME :]}"
    return f"`{short(plain, _LONGEST_NAME)}`"


def number(value: int) -> str:
    """Rounds numbers from 1,000 to two digits, so findings do not change with every commit."""
    if value < 1_000:
        return str(value)
    step = 10 ** (len(str(value)) - 2)
    return f"about {round(value / step) * step:,}"


def counted(value: int, noun: str, nouns: str = "") -> str:
    """``1 file``, ``3 classes``, ``12 entries``."""
    if value == 1:
        return f"1 {noun}"
    if not nouns:
        ending = noun[-1:]
        is_y = ending == "y" and noun[-2:-1] not in "aeiou"
        nouns = noun[:-1] + "ies" if is_y else noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")
    return f"{number(value)} {nouns}"


def about(value: int) -> str:
    """A rounded count for titles, which should not change with every file."""
    if value < len(_SMALL):
        return _SMALL[value]
    step = 10 if value < 100 else 50 if value < 500 else 100 if value < 2_000 else 1_000
    return f"about {max(step, round(value / step) * step):,}"


def share(part: int, whole: int) -> str:
    if part == whole:
        return "100%"
    return f"{min(99, max(1, round(100 * part / whole)))}%" if whole else "0%"


def joined(values: Iterable[str], most: int = 8) -> str:
    """``a``, ``a and b``, ``a, b and c``, ``a, b, c and 4 more``."""
    names = list(values)
    left = len(names) - most
    shown = names[:most] if left > 1 else names
    if left > 1:
        return f"{', '.join(shown)} and {number(left)} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1] if shown else "") if part)


def coded(values: Iterable[str], most: int = 8) -> str:
    names = list(values)
    return joined([code(name) for name in names[: most + 1]] + names[most + 1 :], most)


def points(lines: Iterable[str], most: int = 12) -> list[str]:
    """A Markdown list, preceded by an empty line."""
    shown = [f"- {line}" for line in lines]
    return ["", *shown[:most], *([f"- and {number(len(shown) - most)} more"] if len(shown) > most else [])]
