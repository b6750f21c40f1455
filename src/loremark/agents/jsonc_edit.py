"""Editing JSON as text: a member or element goes in or out, and every other byte stays as it was."""

from __future__ import annotations

import json
import re
from typing import Any

from loremark.agents import jsonc
from loremark.agents.jsonc import Item, Node

_INDENT = re.compile(r"[{\[][ \t]*\r?\n([ \t]+)(?=[\"{\[\w/-])")


def newline_of(text: str) -> str:
    """The end of line the text uses."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def unit_of(text: str) -> str:
    """One step of indentation, as the text has it."""
    found = _INDENT.search(text)
    return "\t" if found and "\t" in found.group(1) else found.group(1) if found else "  "


def insert(text: str, container: Node, value: Any, key: str | None = None) -> str:
    """The text with a new last member (or element)."""
    if not container.items:
        return _insert_first(text, container, value, key)
    last = container.items[-1]
    behind = last.end if last.comma is None else last.comma + 1
    comma_before, comma_after = ("," if last.comma is None else ""), ("" if last.comma is None else ",")
    line_end = jsonc.skip(text, behind, this_line=True)
    closes_here = line_end >= container.end - 1
    if closes_here and "\n" not in text[container.start : container.items[0].start]:
        told = _entry(key, json.dumps(value, ensure_ascii=False))
        return f"{text[:behind]}{comma_before} {told}{comma_after}{text[behind:]}"
    at = behind if closes_here else line_end
    indent = _indent_at(text, container.items[0].start)
    if indent is None:
        indent = _line_indent(text, container.start) + unit_of(text)
    told = newline_of(text) + indent + _entry(key, _pretty(text, value, indent))
    return f"{text[: last.end]}{comma_before}{text[last.end : at]}{told}{comma_after}{text[at:]}"


def _insert_first(text: str, container: Node, value: Any, key: str | None) -> str:
    inner, close = container.start + 1, container.end - 1
    newline, base = newline_of(text), _line_indent(text, container.start)
    indent = base + unit_of(text)
    told = newline + indent + _entry(key, _pretty(text, value, indent))
    at = jsonc.skip(text, inner, this_line=True)
    if at >= close:  # it closes on the line it opens
        return (
            f"{text[:inner]}{told}{newline}{base}{text[inner:]}"
            if at == inner
            else (f"{text[:close]}{told}{newline}{base}{text[close:]}")
        )
    return f"{text[:at]}{told}{text[at:]}"


def replace(text: str, node: Node, value: Any) -> str:
    """The text with another value in the place of this one."""
    indent = _line_indent(text, node.start)
    inline = "\n" not in text[node.start : node.end] and node.kind != "scalar" and node.items
    told = json.dumps(value, ensure_ascii=False) if inline else _pretty(text, value, indent)
    return text[: node.start] + told + text[node.end :]


def restore(text: str, node: Node, raw: str) -> str:
    """The text with a value as it was written before."""
    return text[: node.start] + raw + text[node.end :]


def remove(text: str, container: Node, item: Item) -> str:
    """The text without that member (or element) and without the comma that it needed."""
    number = next(index for index, other in enumerate(container.items) if other is item)
    before = container.items[number - 1] if number > 0 else None
    behind_before = container.start + 1 if before is None else (before.comma or before.end) + 1
    start = _lead(text, item.start)
    end = item.end if item.comma is None else item.comma + 1
    if "//" in text[behind_before:start] and text[end : jsonc.line_end(text, end)].strip():
        start = item.start  # what follows on this line must not end up in the comment of the line before
    kept = text[item.end : item.comma] if item.comma is not None else ""
    if not kept.strip():
        kept = ""
    if before is None and item.comma is not None and start == item.start:  # right behind the bracket
        end = len(text) - len(text[end:].lstrip(" \t"))
    if before is not None and before.comma is not None and item.comma is None:
        return text[: before.comma] + text[before.comma + 1 : start] + text[end:]
    return text[:start] + kept + text[end:]


def set_interior(text: str, container: Node, interior: str) -> str:
    """What stands between the brackets, as it was when they held nothing."""
    return text[: container.start + 1] + interior + text[container.end - 1 :]


def interior(text: str, container: Node) -> str:
    return text[container.start + 1 : container.end - 1]


def _entry(key: str | None, told: str) -> str:
    return told if key is None else f"{json.dumps(key, ensure_ascii=False)}: {told}"


def _pretty(text: str, value: Any, indent: str) -> str:
    told = json.dumps(value, ensure_ascii=False, indent=unit_of(text))
    return told.replace("\n", newline_of(text) + indent)


def _lead(text: str, start: int) -> int:
    """Where the space before an item begins: from the end of the line before, if it stands first on its line."""
    at = start
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    if at > 0 and text[at - 1] == "\n":
        return at - 2 if at > 1 and text[at - 2] == "\r" else at - 1
    return at if text[at - 1 : at] == "," else start


def _indent_at(text: str, start: int) -> str | None:
    """The space before an item that stands first on its line."""
    line = text.rfind("\n", 0, start) + 1
    lead = text[line:start]
    return lead if line > 0 and not lead.strip(" \t") else None


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
