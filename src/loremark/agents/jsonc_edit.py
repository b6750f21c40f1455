"""Edit JSON as text: insert, replace or remove one item without changing any other byte."""

from __future__ import annotations

import json
import re
from typing import Any

from loremark.agents import jsonc
from loremark.agents.jsonc import Item, Node

_INDENT = re.compile(r"[{\[][ \t]*\r?\n([ \t]+)(?=[\"{\[\w/-])")


def newline_style(text: str) -> str:
    """Return the newline sequence that the text uses."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def indent_unit(text: str) -> str:
    """Return one level of indentation as used in the text."""
    found = _INDENT.search(text)
    return "\t" if found and "\t" in found.group(1) else found.group(1) if found else "  "


def insert(text: str, container: Node, value: Any, key: str | None = None) -> str:
    """Append a member or element."""
    if not container.items:
        return _insert_first(text, container, value, key)
    last = container.items[-1]
    after = last.end if last.comma is None else last.comma + 1
    comma_before, comma_after = ("," if last.comma is None else ""), ("" if last.comma is None else ",")
    line_end = jsonc.skip(text, after, this_line=True)
    closes_here = line_end >= container.end - 1
    if closes_here and "\n" not in text[container.start : container.items[0].start]:
        entry = _entry(key, json.dumps(value, ensure_ascii=False))
        return f"{text[:after]}{comma_before} {entry}{comma_after}{text[after:]}"
    at = after if closes_here else line_end
    indent = _indent_at(text, container.items[0].start)
    if indent is None:
        indent = _line_indent(text, container.start) + indent_unit(text)
    entry = newline_style(text) + indent + _entry(key, _pretty(text, value, indent))
    return f"{text[: last.end]}{comma_before}{text[last.end : at]}{entry}{comma_after}{text[at:]}"


def _insert_first(text: str, container: Node, value: Any, key: str | None) -> str:
    inner, close = container.start + 1, container.end - 1
    newline, base = newline_style(text), _line_indent(text, container.start)
    indent = base + indent_unit(text)
    entry = newline + indent + _entry(key, _pretty(text, value, indent))
    at = jsonc.skip(text, inner, this_line=True)
    if at >= close:  # the brackets are on the same line
        return (
            f"{text[:inner]}{entry}{newline}{base}{text[inner:]}"
            if at == inner
            else (f"{text[:close]}{entry}{newline}{base}{text[close:]}")
        )
    return f"{text[:at]}{entry}{text[at:]}"


def replace(text: str, node: Node, value: Any) -> str:
    """Replace a value."""
    indent = _line_indent(text, node.start)
    inline = "\n" not in text[node.start : node.end] and node.kind != "scalar" and node.items
    entry = json.dumps(value, ensure_ascii=False) if inline else _pretty(text, value, indent)
    return text[: node.start] + entry + text[node.end :]


def restore(text: str, node: Node, raw: str) -> str:
    """Restore a value exactly as it was written before."""
    return text[: node.start] + raw + text[node.end :]


def remove(text: str, container: Node, item: Item) -> str:
    """Remove a member or element along with its comma."""
    number = next(index for index, other in enumerate(container.items) if other is item)
    before = container.items[number - 1] if number > 0 else None
    previous_end = container.start + 1 if before is None else (before.comma or before.end) + 1
    start = _lead(text, item.start)
    end = item.end if item.comma is None else item.comma + 1
    if "//" in text[previous_end:start] and text[end : jsonc.line_end(text, end)].strip():
        start = item.start  # don't pull the rest of this line into the comment above
    kept = text[item.end : item.comma] if item.comma is not None else ""
    if not kept.strip():
        kept = ""
    if before is None and item.comma is not None and start == item.start:  # directly after the bracket
        end = len(text) - len(text[end:].lstrip(" \t"))
    if before is not None and before.comma is not None and item.comma is None:
        return text[: before.comma] + text[before.comma + 1 : start] + text[end:]
    return text[:start] + kept + text[end:]


def set_interior(text: str, container: Node, interior: str) -> str:
    """Restore the text between the brackets of an empty container."""
    return text[: container.start + 1] + interior + text[container.end - 1 :]


def interior(text: str, container: Node) -> str:
    return text[container.start + 1 : container.end - 1]


def _entry(key: str | None, entry: str) -> str:
    return entry if key is None else f"{json.dumps(key, ensure_ascii=False)}: {entry}"


def _pretty(text: str, value: Any, indent: str) -> str:
    entry = json.dumps(value, ensure_ascii=False, indent=indent_unit(text))
    return entry.replace("\n", newline_style(text) + indent)


def _lead(text: str, start: int) -> int:
    """Return where the whitespace before an item starts: at the previous line's end if it is first on its line."""
    at = start
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    if at > 0 and text[at - 1] == "\n":
        return at - 2 if at > 1 and text[at - 2] == "\r" else at - 1
    return at if text[at - 1 : at] == "," else start


def _indent_at(text: str, start: int) -> str | None:
    """Return the indentation of an item that is first on its line, or None."""
    line = text.rfind("\n", 0, start) + 1
    lead = text[line:start]
    return lead if line > 0 and not lead.strip(" \t") else None


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
