"""Selects entries for a token budget: first by their metadata, then again by their texts.

Entries about the requested files come first, findings of scans last. In between, rules, decisions and bugs each get a
quarter of the budget if they need it. The rest goes to what a person saved, then to the highest layer and, within a
layer, to the most valuable entries per token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from loremark.memory.brain.entries import Entry, Text, density, expected_informativeness, salience
from loremark.memory.brain.excerpts import excerpt
from loremark.memory.brain.informativeness import informativeness, repeats_title

WORKING_FILES = 0
"""The section for entries about the requested files. The layers follow by number."""
SCANNED = 3
"""The last phase and group: findings of scans."""

_GUARANTEED = ("convention", "decision", "bug")
"""The types with a share of the budget of their own."""
_GUARANTEED_PART = 4
_DIRECT, _RELATED, _MEMORY = range(3)
_AROUND_TOKENS = 24
"""Estimated tokens that rendering adds to a text: type, flags, files and indentation."""
_LONG = 2
"""Entries this many times as long as an excerpt start as one, until all others had their turn."""
_READ_WHOLE = 4
"""How many shortened entries are read completely, to be lengthened at the end if there is room."""
_RESERVE = 1.3
_RESERVE_TOKENS = 500
_NEAR_PART = 2
_WIDER_TOKENS = 8_000
"""How many extra tokens of text are read at most, to select again by what the texts say."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An entry that may be included, and where. ``short``: start with an excerpt."""

    entry: Entry
    phase: int
    """Entries of a phase have their turn before those of the next one."""
    tokens: int
    """Estimated."""
    short: bool = False
    whole: bool = True
    """Whether the complete text is read."""

    @property
    def section(self) -> int:
        return WORKING_FILES if self.phase <= _RELATED else self.entry.tier

    @property
    def group(self) -> int:
        """What does not fit into a group completely is shortened before the next group has its turn."""
        return max(self.phase, _RELATED)


def shortened_tokens(budget: int) -> int:
    """The length of a shortened text."""
    return max(80, budget // 100)


def long_tokens(budget: int) -> int:
    """Entries above this length are shortened until all others had their turn."""
    return _LONG * shortened_tokens(budget)


class _Ranked(NamedTuple):
    """An entry and its rank: by phase, layer (0: saved by a person) and value per token."""

    phase: int
    layer: int
    negative_density: float
    id: str
    value: float
    tokens: int
    short: bool
    entry: Entry


class RankedEntries:
    """Entries ranked independently of the budget, so that selecting for a budget is cheap.

    ``near``: entries about the requested files (0) and related files (1). Related files get at most half of the budget.
    """

    def __init__(self, entries: Iterable[Entry], near: Mapping[str, int] | None = None) -> None:
        nearness = near or {}
        self._ranked = [
            _rank(
                entry,
                # A list of everything in the repository is about no file in particular.
                SCANNED if entry.origin == "scan" else nearness.get(entry.id, _MEMORY),
                salience(entry) * expected_informativeness(entry.token_count),
                entry.token_count + _AROUND_TOKENS,
            )
            for entry in entries
        ]
        self._ranked.sort()
        self._longest = max((ranked.tokens for ranked in self._ranked), default=0)

    def select(self, budget: int) -> list[Choice]:
        """The entries to read, by metadata: more than will fit, to select again by their texts."""
        room = _room(budget) + min(budget, _WIDER_TOKENS)
        chosen: list[Choice] = []
        shortened = 0
        for one in _with_guarantees(self._within(budget), room):
            if room < _AROUND_TOKENS:
                break
            if one.tokens <= room:
                room -= one.tokens
                shortened += one.short
                whole = not one.short or shortened <= _READ_WHOLE
                chosen.append(Choice(one.entry, one.phase, one.tokens, one.short, whole))
        return chosen

    def order(self, budget: int) -> list[Entry]:
        """All entries, most wanted first."""
        return [one.entry for one in _with_guarantees(self._within(budget), budget)]

    def _within(self, budget: int) -> list[_Ranked]:
        return _limit_related_entries(self._with_excerpts(budget), budget // _NEAR_PART)

    def _with_excerpts(self, budget: int) -> list[_Ranked]:
        long = long_tokens(budget)
        if self._longest <= long:
            return self._ranked
        tokens = shortened_tokens(budget) + _AROUND_TOKENS
        ranked = [
            one if one.tokens <= long else _rank(one.entry, one.phase, one.value, tokens, short=True)
            for one in self._ranked
        ]
        ranked.sort()
        return ranked


def select_entries(entries: Iterable[Entry], budget: int, near: Mapping[str, int] | None = None) -> list[Choice]:
    """The choice for one budget."""
    return RankedEntries(entries, near).select(budget)


def rerank_by_text(entries_with_text: Iterable[tuple[Choice, Text]], budget: int) -> list[tuple[Choice, Text]]:
    """Rank by what the texts say. Returns somewhat more than fits, since lengths are estimated."""
    ranked: list[_Ranked] = []
    texts: dict[str, tuple[Choice, Text]] = {}
    for choice, text in entries_with_text:
        entry, tokens = choice.entry, choice.tokens
        if choice.short:
            value = informativeness(Text(text.title, excerpt(text.content)))
        else:
            value = informativeness(text)
            if repeats_title(text.title, text.content):
                tokens -= entry.token_count // 2
        ranked.append(_rank(entry, choice.phase, value * salience(entry), tokens, short=choice.short))
        texts[entry.id] = choice, text
    ranked.sort()
    room = _room(budget)
    chosen: list[tuple[Choice, Text]] = []
    for one in _with_guarantees(ranked, budget):
        if one.tokens <= room:
            room -= one.tokens
            chosen.append(texts[one.id])
    return chosen


def _rank(entry: Entry, phase: int, value: float, tokens: int, short: bool = False) -> _Ranked:
    layer = 0 if phase < _MEMORY or entry.origin == "saved" else entry.tier
    return _Ranked(phase, layer, -density(value, tokens), entry.id, value, tokens, short, entry)


def _with_guarantees(ranked: list[_Ranked], budget: int) -> Iterator[_Ranked]:
    """In each phase, first what the guaranteed shares hold, in turns, so that the best of each type come first."""
    share = budget // _GUARANTEED_PART
    for phase, group in groupby(ranked, key=attrgetter("phase")):
        if phase < _MEMORY:
            yield from group
            continue
        taken = dict.fromkeys(_GUARANTEED, 0)
        first: list[tuple[int, int, _Ranked]] = []
        rest: list[_Ranked] = []
        for one in group:
            kind = one.entry.type
            before = taken.get(kind, share)
            if before < share:
                first.append((before, _GUARANTEED.index(kind), one))
                taken[kind] = before + one.tokens
            else:
                rest.append(one)
        first.sort()
        yield from (one for _, _, one in first)
        yield from rest


def _room(budget: int) -> int:
    return int(budget * _RESERVE) + _RESERVE_TOKENS


def whole_tokens(entry: Entry) -> int:
    """Estimated tokens of a complete entry, before its text is read."""
    return entry.token_count + _AROUND_TOKENS


def _limit_related_entries(ranked: list[_Ranked], most: int) -> list[_Ranked]:
    """Move related entries beyond their share of the budget back to the rest of memory."""
    if not ranked or ranked[0].phase > _RELATED:
        return ranked
    kept: list[_Ranked] = []
    for one in ranked:
        if one.phase == _RELATED:
            most -= one.tokens
            if most < 0:
                one = _rank(one.entry, _MEMORY, one.value, one.tokens, one.short)
        kept.append(one)
    kept.sort()
    return kept
