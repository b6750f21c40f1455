"""The head of a markdown file, between two lines of dashes: names with texts or lists, and nothing cleverer.

It looks like YAML and is read without a YAML library: no types are made, no tags or anchors are followed, and what is
nested deeper than a list is left out.
"""

from __future__ import annotations

import re

from loremark.exchange.reading import texts_of

Head = dict[str, str | list[str]]
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_ -]{0,60}):(?:[ \t]+(.*))?$")
_ENTRY = re.compile(r"[ \t]*- +(.*)$")
_MOST_LINES = 400
_FOLDED = ("|", ">", "|-", ">-", "|+", ">+")


def split_head(text: str) -> tuple[Head, str]:
    """The head, and the text below it; without one, nothing and all of it."""
    lines = text.split("\n")
    if not lines or lines[0].strip() != "---":
        return {}, text
    for number, line in enumerate(lines[1 : _MOST_LINES + 1], start=1):
        if line.strip() in ("---", "..."):
            return read_head(lines[1:number]), "\n".join(lines[number + 1 :]).lstrip("\n")
    return {}, text


def read_head(lines: list[str]) -> Head:
    head: Head = {}
    name = ""
    for line in lines[:_MOST_LINES]:
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
    """Without quotes, and without a remark behind it."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return re.sub(r"\s#.*$", "", text)


def one(head: Head, *names: str) -> str:
    """The first of these that is there, as a text."""
    for name in names:
        value = head.get(name)
        if value:
            return value if isinstance(value, str) else ", ".join(value)
    return ""


def many(head: Head, *names: str) -> list[str]:
    """The first of these that is there, as a list; commas separate too."""
    for name in names:
        value = head.get(name)
        if value:
            return value if isinstance(value, list) else texts_of(value)
    return []
