"""Parse the front matter of a Markdown file: keys with strings or lists.

A small subset of YAML, read without a YAML library: no types, tags or anchors, and nothing nested deeper than a list.
"""

from __future__ import annotations

import re

from loremark.exchange.files import texts_of

Frontmatter = dict[str, str | list[str]]
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_ -]{0,60}):(?:[ \t]+(.*))?$")
_ENTRY = re.compile(r"[ \t]*- +(.*)$")
_MAX_LINES = 400
_FOLDED = ("|", ">", "|-", ">-", "|+", ">+")


def split_frontmatter(text: str) -> tuple[Frontmatter, str]:
    """Split a text into its front matter (possibly empty) and body."""
    lines = text.split("\n")
    if not lines or lines[0].strip() != "---":
        return {}, text
    for number, line in enumerate(lines[1 : _MAX_LINES + 1], start=1):
        if line.strip() in ("---", "..."):
            return parse_frontmatter(lines[1:number]), "\n".join(lines[number + 1 :]).lstrip("\n")
    return {}, text


def parse_frontmatter(lines: list[str]) -> Frontmatter:
    head: Frontmatter = {}
    name = ""
    for line in lines[:_MAX_LINES]:
        found = _NAME.match(line)
        entry = _ENTRY.match(line)
        if found is not None:
            name = found[1].strip()
            head[name] = _value((found[2] or "").strip())
        elif entry is not None and name:
            known = head[name]
            head[name] = [*(known if isinstance(known, list) else []), _plain(entry[1].strip())]
        elif line[:1] in (" ", "\t") and name and isinstance(head[name], str):
            head[name] = f"{head[name]} {_plain(line.strip())}".strip()
    return head


def _value(text: str) -> str | list[str]:
    if text in _FOLDED:
        return ""
    if text.startswith("[") and text.endswith("]"):
        return [_plain(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    return _plain(text)


def _plain(text: str) -> str:
    """Remove quotes, or a trailing comment."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return re.sub(r"\s#.*$", "", text)


def get_text(head: Frontmatter, *names: str) -> str:
    """Return the first of these fields that is set, as a string."""
    for name in names:
        value = head.get(name)
        if value:
            return value if isinstance(value, str) else ", ".join(value)
    return ""


def get_list(head: Frontmatter, *names: str) -> list[str]:
    """Return the first of these fields that is set, as a list. Splits strings at commas."""
    for name in names:
        value = head.get(name)
        if value:
            return value if isinstance(value, list) else texts_of(value)
    return []
