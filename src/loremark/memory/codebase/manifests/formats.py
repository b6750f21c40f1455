"""Size-limited readers for JSON, TOML and simple YAML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

_MAX_JSON_CHARS = 8_000_000
_MAX_TOML_CHARS = 300_000
_MAX_LINES = 60_000
_MAX_LINE_CHARS = 600
# The TOML parser takes quadratic time for keys with very many parts; no manifest has one.
_LONG_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]{1,40}[ \t]{0,4}\.[ \t]{0,4}){40}")
_COMMENT_OR_STRING = re.compile(r'"(?:[^"\\\n]|\\.){0,4000}+"|//[^\n]*+|/\*(?:[^*]|\*(?!/)){0,20000}+\*/')
_TRAILING_COMMA = re.compile(r",(?=\s{0,200}[\]}])")
_YAML_KEY = re.compile(
    r"([ \t]*+)((?:- ++)*+)"
    r"(?:\"([^\"]{1,200})\"|'([^']{1,200})'|([^\s:#\"'\-\[{&*!|>][^:#]{0,200}?))\s{0,8}:(?:\s++(.*)|$)"
)
_YAML_ITEM = re.compile(r"([ \t]*+)-\s++(.*)")


class YamlLine(NamedTuple):
    """A line of YAML: ``key: value``, ``- key: value`` or ``- value`` (then without a key)."""

    indent: int
    key: str
    value: str
    number: int
    is_item: bool


def table(value: object) -> dict[str, object]:
    """The value if it is a dict, else an empty dict."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """The value if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def json_of(content: str) -> dict[str, object]:
    """Parses a JSON object, tolerating comments and trailing commas; empty if invalid."""
    if len(content) > _MAX_JSON_CHARS:
        return {}
    text = content.lstrip("\ufeff")
    try:
        return table(json.loads(text))
    except (ValueError, RecursionError):
        pass
    if len(text) > _MAX_TOML_CHARS:
        return {}
    bare = _COMMENT_OR_STRING.sub(lambda found: found.group() if found.group()[0] == '"' else " ", text)
    try:
        return table(json.loads(_TRAILING_COMMA.sub("", bare)))
    except (ValueError, RecursionError):
        return {}


def toml_of(content: str) -> dict[str, object]:
    """Parses a TOML document; empty if invalid, too large or pathologically nested."""
    if len(content) > _MAX_TOML_CHARS or _LONG_KEY.search(content):
        return {}
    try:
        return tomllib.loads(content.lstrip("\ufeff").replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        return {}


def lines_of(content: str) -> Iterator[tuple[int, str]]:
    """Numbered lines, truncated to a maximum length."""
    start = 0
    for number in range(1, _MAX_LINES + 1):
        end = content.find("\n", start)
        if end < 0:
            if start < len(content):
                yield number, content[start : start + _MAX_LINE_CHARS].rstrip("\r")
            return
        yield number, content[start : min(end, start + _MAX_LINE_CHARS)].rstrip("\r")
        start = end + 1


def yaml_of(content: str) -> Iterator[YamlLine]:
    """The non-empty lines of a YAML document without comments and quotes; the indent shows nesting."""
    for number, line in lines_of(content):
        if not line or line.lstrip()[:1] in ("#", ""):
            continue
        found = _YAML_KEY.match(line)
        if found is not None:
            blanks, dashes, double, single, bare, value = found.groups()
            key = double or single or bare.rstrip()
            yield YamlLine(len(blanks) + len(dashes), key, _scalar(value or ""), number, bool(dashes))
            continue
        item = _YAML_ITEM.match(line)
        if item is not None:
            yield YamlLine(len(item.group(1)) + 2, "", _scalar(item.group(2)), number, True)


def line_of(content: str, words: str) -> int:
    """The line of the first occurrence of the words, or 1."""
    at = content.find(words)
    return content.count("\n", 0, at) + 1 if at >= 0 else 1


def _scalar(text: str) -> str:
    text = text.strip()
    if text[:1] in ("'", '"'):
        end = text.find(text[0], 1)
        return text[1:end] if end > 0 else text[1:]
    return text.split(" #", 1)[0].rstrip()
