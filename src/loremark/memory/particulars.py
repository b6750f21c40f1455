"""Particulars of a fact: how often, in which region, on or off by default, and the number that its title gives.

Two texts that tell of other ones do not tell the same fact, however alike they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from loremark.memory.measures import is_article
from loremark.memory.reading import read
from loremark.memory.words import covered_share

# All patterns are in small letters, as the text is when it is asked.
_DAY = r"(?:sun|mon|tues|wednes|thurs|fri|satur)day"
_CHANGE = r"(?:pull request|pr|push|commit|merge|build|release|deploy(?:ment)?)"
_RHYTHM = re.compile(
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
# Words beside a number that do not tell what it counts.
_BESIDE = re.compile(
    r"the|an?|of|to|at|in|on|by|is|are|be|for|with|than|from|and|or|after|before|over|under|per|about|every|up|least"
    r"|most|line"
)
_ONE_FRAME = 0.5
_LEAVING = re.compile(r"\b(?:drop|remov|delet|retir|without|no |not |end)")


def rhythms_differ(title: str, content: str, other_title: str, other_content: str) -> bool:
    """Each says how often, and nothing of it is the same: every night here, once a week there. Titles count first."""
    if _part(_named(_RHYTHM, title), _named(_RHYTHM, other_title)):
        return True
    return _part(_named(_RHYTHM, f"{title}. {content}"), _named(_RHYTHM, f"{other_title}. {other_content}"))


def regions_differ(content: str, other: str) -> bool:
    """Each names a region of a cloud, and none that the other names."""
    return _part(frozenset(_REGION.findall(content.lower())), frozenset(_REGION.findall(other.lower())))


def defaults_differ(content: str, other: str) -> bool:
    """On by default here, off by default there."""
    return _part(_named(_DEFAULT, content), _named(_DEFAULT, other))


def title_numbers_differ(title: str, other: str) -> bool:
    """Both titles give a number of one unit, behind one name or among the same words, and not the same.

    What one leaves is no such number.
    """
    if _LEAVING.search(title.lower()) or _LEAVING.search(other.lower()):
        return False
    here, there = _numbers(title), _numbers(other)
    if any(here[beside].isdisjoint(there[beside]) for beside in here.keys() & there.keys()):
        return True
    words, others = read(title).words, read(other).words
    return title_numbers_part(title, other) and len(words & others) > 1 and covered_share(words, others) >= _ONE_FRAME


def title_numbers_part(title: str, other: str) -> bool:
    """Both titles give numbers, and none that the other gives."""
    return _part(numbers_in(title), numbers_in(other))


@lru_cache(maxsize=4096)
def numbers_in(title: str) -> frozenset[str]:
    """Those it holds now, as they are measured: 2000 ms and 2 s are one. A plain "one" or "no" is none."""
    return frozenset(value.amount for value in read(title).values if not is_article(value) or value.said.isdigit())


def _part(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and one.isdisjoint(other)


@lru_cache(maxsize=4096)
def _named(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(found.lastgroup for found in pattern.finditer(text.lower()) if found.lastgroup)


@lru_cache(maxsize=4096)
def _numbers(title: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for before, number, unit in _NUMBER.findall(title.lower()):
        for beside in (before and f"{before} …", unit and f"… {unit.rstrip('s')}"):
            if beside and not _BESIDE.fullmatch(beside.strip("… ")):
                found[beside] = found.get(beside, frozenset()) | {number.strip(".,")}
    return found
