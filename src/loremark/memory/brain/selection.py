"""Selects entries for a token budget: first by their metadata, then again by their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loremark.memory.brain.entries import Entry, Text, density, expected_informativeness, salience
from loremark.memory.brain.informativeness import informativeness, repeats_title

WORKING_FILES = 0
"""The section for entries about the requested files. The layers follow by number."""

_AROUND_TOKENS = 24
"""Estimated tokens that rendering adds to a text: type, flags, files and indentation."""
_HUGE_PART = 6
_HUGE_TOKENS = 300
"""Entries above a sixth of the budget are shortened until all others had their turn."""
_READ_WHOLE = 4
"""How many shortened entries are read completely, to be lengthened at the end if there is room."""
_RESERVE = 1.3
_RESERVE_TOKENS = 500
_NEAR_PART = 2
_RANK_OF_LAYERS = 2
_WIDER_TOKENS = 8_000
"""How many extra tokens of text are read at most, to select again by what the texts say."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An entry that may be included, and where. ``short``: start with an excerpt."""

    entry: Entry
    rank: int
    tokens: int
    """Estimated."""
    short: bool = False
    whole: bool = True

    @property
    def section(self) -> int:
        return WORKING_FILES if self.rank < _RANK_OF_LAYERS else self.rank - 1


def shortened_tokens(budget: int) -> int:
    """The length of a shortened text."""
    return max(80, min(200, budget // 20))


_Ranked = tuple[int, float, str, int, bool, Entry]


class RankedEntries:
    """Entries ranked independently of the budget, so that selecting for a budget is cheap.

    ``near``: entries about the requested files (0) and related files (1). Related files get at most half of the budget.
    """

    def __init__(self, entries: Iterable[Entry], near: Mapping[str, int] | None = None) -> None:
        nearness = near or {}
        self._ranked: list[_Ranked] = []
        for entry in entries:
            tokens = whole_tokens(entry)
            rank = nearness.get(entry.id, entry.tier + 1)
            value = salience(entry) * expected_informativeness(entry.token_count)
            self._ranked.append((rank, -density(value, tokens), entry.id, tokens, False, entry))
        self._ranked.sort()
        self._longest = max((ranked[3] for ranked in self._ranked), default=0)

    def select(self, budget: int) -> list[Choice]:
        """The entries to read, by metadata: more than will fit, to select again by their texts."""
        return _take(self._within(budget), _room(budget) + min(budget, _WIDER_TOKENS))

    def order(self, budget: int) -> list[Entry]:
        """All entries, most wanted first."""
        return [ranked[5] for ranked in self._within(budget)]

    def _within(self, budget: int) -> list[_Ranked]:
        return _limit_related_entries(self._with_huge(budget), budget // _NEAR_PART)

    def _with_huge(self, budget: int) -> list[_Ranked]:
        huge = max(_HUGE_TOKENS, budget // _HUGE_PART)
        if self._longest <= huge:
            return self._ranked
        tokens = shortened_tokens(budget) + _AROUND_TOKENS
        ranked = [one for one in self._ranked if one[3] <= huge]
        for rank, _, entry_id, whole, _, entry in self._ranked:
            if whole > huge:
                value = _excerpt_salience(entry) * expected_informativeness(whole)
                ranked.append((rank, -density(value, tokens), entry_id, tokens, True, entry))
        ranked.sort()
        return ranked


def select_entries(entries: Iterable[Entry], budget: int, near: Mapping[str, int] | None = None) -> list[Choice]:
    """The choice for one budget."""
    return RankedEntries(entries, near).select(budget)


def rerank_by_text(entries_with_text: Iterable[tuple[Choice, Text]], budget: int) -> list[tuple[Choice, Text]]:
    """Rank by what the texts say. Returns somewhat more than fits, since lengths are estimated."""
    ranked = []
    for choice, text in entries_with_text:
        entry, tokens = choice.entry, choice.tokens
        if repeats_title(text.title, text.content):
            tokens -= entry.token_count // 2
        value = (_excerpt_salience(entry) if choice.short else salience(entry)) * informativeness(text)
        ranked.append((choice.rank, -density(value, tokens), entry.id, tokens, choice, text))
    ranked.sort()
    room = _room(budget)
    chosen: list[tuple[Choice, Text]] = []
    for _, _, _, tokens, choice, text in ranked:
        if tokens <= room:
            room -= tokens
            chosen.append((choice, text))
    return chosen


def _room(budget: int) -> int:
    return int(budget * _RESERVE) + _RESERVE_TOKENS


def _excerpt_salience(entry: Entry) -> float:
    return salience(entry) / 2


def whole_tokens(entry: Entry) -> int:
    """Estimated tokens of a complete entry, before its text is read."""
    return entry.token_count + _AROUND_TOKENS


def _limit_related_entries(ranked: list[_Ranked], most: int) -> list[_Ranked]:
    """Move related entries beyond their share of the budget back to their layers."""
    if not ranked or ranked[0][0] > 1:
        return ranked
    kept: list[_Ranked] = []
    for rank, place, entry_id, tokens, is_huge, entry in ranked:
        if rank == 1:
            most -= tokens
        beyond = rank == 1 and most < 0
        kept.append((entry.tier + 1 if beyond else rank, place, entry_id, tokens, is_huge, entry))
    kept.sort()
    return kept


def _take(ranked: list[_Ranked], room: int) -> list[Choice]:
    chosen: list[Choice] = []
    shortened = 0
    for rank, _, _, tokens, is_huge, entry in ranked:
        if tokens > room:
            continue
        room -= tokens
        shortened += is_huge
        chosen.append(Choice(entry, rank, tokens, is_huge, not is_huge or shortened <= _READ_WHOLE))
    return chosen
