"""Security rules and how they are matched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["secret", "dangerous-call", "weak-crypto", "injection", "debug", "exposed-config", "transport"]
MAX_PER_RULE = 30
_MAX_TRIES = 300
_LINE_REACH = 400
_COMMENT = re.compile(
    r"[ \t]{0,200}(?://|/\*|\*[ \t/]|\#(?!\{)|--[ \t]|;|<!--|%|\"\"\"|'''|>>>|rem[ \t])", re.IGNORECASE
)
# Languages in which a hash or a percent sign does not start a comment.
_HASH_IS_CODE = frozenset(["c", "cpp", "header", "csharp", "css", "scss", "rust"])


_QUERY = "sql-concatenation"
# Before these words only a table name is interpolated, which rarely comes from user input.
_PUT_IN = re.compile(r"%[sd(]|\{|\$\w")
_PLACE_OF_VALUE = re.compile(r"\b(?:where|values|like|having|set)\b", re.IGNORECASE)


class RuleMatch(NamedTuple):
    """A rule match and its position."""

    offset: int
    rule: str
    kind: Kind
    severity: int
    why: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that applies to files of its languages that contain one of its anchors (lower case)."""

    name: str
    kind: Kind
    severity: int
    languages: frozenset[str]
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    why: str
    unless: tuple[str, ...] = ()
    """Not a hit if the line contains one of these (lower case)."""


_GROUPS = {
    "py": "python",
    "js": "javascript typescript tsx vue svelte astro html",
    "jvm": "java kotlin scala groovy",
    "cs": "csharp razor fsharp",
    "rb": "ruby erb haml slim",
    "c": "c cpp header objective-c",
    "sh": "shell docker make",
}


def rule(
    name: str,
    kind: Kind,
    severity: int,
    languages: str,
    anchors: str,
    pattern: str,
    why: str,
    unless: str = "",
    flags: int = 0,
) -> Rule:
    """Creates a rule; languages are separated by spaces (groups allowed), anchors and exceptions by ``|``."""
    known = " ".join(_GROUPS.get(language, language) for language in languages.split())
    compiled = re.compile(pattern, re.MULTILINE | flags)
    exceptions = tuple(each for each in unless.split("|") if each)
    return Rule(name, kind, severity, frozenset(known.split()), tuple(anchors.split("|")), compiled, why, exceptions)


def find(rules: Iterable[Rule], language: str | None, content: str, lower: str) -> Iterator[RuleMatch]:
    """Matches outside comments, limited per rule."""
    for rule in rules:
        if not any(anchor in lower for anchor in rule.anchors):
            continue
        count = 0
        for tries, match in enumerate(rule.pattern.finditer(content)):
            if tries > _MAX_TRIES or count >= MAX_PER_RULE:
                break
            if _is_meant(rule, language, match, content, lower):
                count += 1
                is_less = rule.name == _QUERY and not _takes_value(match.group())
                yield RuleMatch(match.start(), rule.name, rule.kind, rule.severity - is_less, rule.why)


def _is_meant(rule: Rule, language: str | None, match: re.Match[str], content: str, lower: str) -> bool:
    # If a match starts with whitespace, the line of its first letter counts.
    at = match.start() + len(match.group()) - len(match.group().lstrip())
    start = max(content.rfind("\n", max(0, at - _LINE_REACH), at) + 1, at - _LINE_REACH, 0)
    comment = _COMMENT.match(content, start, max(at, start) + 3)
    if (
        comment is not None
        and comment.end() <= at + 2
        and not (comment.group().strip() == "#" and language in _HASH_IS_CODE)
    ):
        return False
    if not rule.unless:
        return True
    # The parts of a query are often on the lines below it.
    end = -1 if rule.name == _QUERY else lower.find("\n", match.end(), match.end() + _LINE_REACH)
    line = lower[start : end if end >= 0 else match.end() + _LINE_REACH]
    return not any(word in line for word in rule.unless)


def _takes_value(query: str) -> bool:
    """Whether a value is interpolated, not only an identifier."""
    put = _PUT_IN.search(query, query.find("(") + 1)
    head = query[: put.start()] if put is not None else query
    return head.endswith("'") or _PLACE_OF_VALUE.search(head) is not None
