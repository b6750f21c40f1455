"""Attributes that make two facts different however similar their texts: frequency, region, default, number in the
title."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from loremark.memory.quantities import is_trivial
from loremark.memory.text_parser import parse_text
from loremark.memory.word_normalization import overlap_coefficient

# All patterns are lowercase; texts are lowercased before matching.
_DAY = r"(?:sun|mon|tues|wednes|thurs|fri|satur)day"
_CHANGE = r"(?:pull request|pr|push|commit|merge|build|release|deploy(?:ment)?)"
_FREQUENCY = re.compile(
    r"\b(?:(?P<hour>hourly|(?:every|each) (?:full )?hour|once an hour)"
    r"|(?P<day>nightly|daily|overnight|at night|(?:every|each) (?:night|day|morning|evening)|(?:once|twice) a day)"
    rf"|(?P<week>weekly|(?:every|each) (?:week|{_DAY})|once a week|on {_DAY}s|{_DAY} nights?)"
    r"|(?P<month>monthly|(?:every|each) month|once a month)"
    r"|(?P<quarter>quarterly|(?:every|each) quarter|once a quarter)"
    r"|(?P<year>yearly|annually|(?:every|each) year|once a year)"
    rf"|(?P<change>(?:on|for|with|after|at|in) (?:every|each) {_CHANGE}|per {_CHANGE})"
    r"|(?P<hand>by hand|manually|on demand|on request))\b"
)
_REGION = re.compile(
    r"\b(?:us|eu|ap|ca|sa|me|af|il|europe|asia|australia)-(?:gov-)?(?:north|south|east|west|central)(?:east|west)?-?\d\b"
)
_DEFAULT = re.compile(
    r"\b(?:(?P<on>(?:on|enabled|active) by default|opt(?:s|ed)?[ -]out|defaults? to (?:on|true|enabled))"
    r"|(?P<off>(?:off|disabled|inactive) by default|opt(?:s|ed)?[ -]in|defaults? to (?:off|false|disabled)))\b"
)
_NUMBER = re.compile(r"(?:\b([a-z][a-z+#.]*) )?(?<![\w.])v?(\d[\d.,]*)(?: ?(%|[a-z]+))?")
# Words next to a number that do not say what it counts.
_FUNCTION_WORD = re.compile(
    r"the|an?|of|to|at|in|on|by|is|are|be|for|with|than|from|and|or|after|before|over|under|per|about|every|up|least"
    r"|most|line"
)
_ONE_FRAME = 0.5
_REMOVAL = re.compile(r"\b(?:drop|remov|delet|retir|without|no |not |end)")


def frequencies_differ(title: str, content: str, other_title: str, other_content: str) -> bool:
    """Both state a frequency and none in common: nightly here, weekly there. Titles are compared first."""
    if _disjoint(_matched_groups(_FREQUENCY, title), _matched_groups(_FREQUENCY, other_title)):
        return True
    return _disjoint(
        _matched_groups(_FREQUENCY, f"{title}. {content}"),
        _matched_groups(_FREQUENCY, f"{other_title}. {other_content}"),
    )


def regions_differ(content: str, other: str) -> bool:
    """Both name a cloud region and none in common."""
    return _disjoint(frozenset(_REGION.findall(content.lower())), frozenset(_REGION.findall(other.lower())))


def defaults_differ(content: str, other: str) -> bool:
    """On by default here, off by default there."""
    return _disjoint(_matched_groups(_DEFAULT, content), _matched_groups(_DEFAULT, other))


def title_numbers_differ(title: str, other: str) -> bool:
    """Both titles have a number with the same unit, after the same name or in similar words, and the numbers differ.

    A number that a title says is removed does not count.
    """
    if _REMOVAL.search(title.lower()) or _REMOVAL.search(other.lower()):
        return False
    here, there = _numbers(title), _numbers(other)
    if any(here[beside].isdisjoint(there[beside]) for beside in here.keys() & there.keys()):
        return True
    words, others = parse_text(title).words, parse_text(other).words
    return (
        title_numbers_disjoint(title, other)
        and len(words & others) > 1
        and overlap_coefficient(words, others) >= _ONE_FRAME
    )


def title_numbers_disjoint(title: str, other: str) -> bool:
    """Both titles have numbers and none in common."""
    return _disjoint(numbers_in(title), numbers_in(other))


@lru_cache(maxsize=4096)
def numbers_in(title: str) -> frozenset[str]:
    """The normalized numbers of a title: 2000 ms and 2 s are equal. A plain "one" or "no" does not count."""
    return frozenset(
        value.amount for value in parse_text(title).values if not is_trivial(value) or value.text.isdigit()
    )


def _disjoint(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and one.isdisjoint(other)


@lru_cache(maxsize=4096)
def _matched_groups(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(found.lastgroup for found in pattern.finditer(text.lower()) if found.lastgroup)


@lru_cache(maxsize=4096)
def _numbers(title: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for before, number, unit in _NUMBER.findall(title.lower()):
        for beside in (before and f"{before} …", unit and f"… {unit.rstrip('s')}"):
            if beside and not _FUNCTION_WORD.fullmatch(beside.strip("… ")):
                found[beside] = found.get(beside, frozenset()) | {number.strip(".,")}
    return found
