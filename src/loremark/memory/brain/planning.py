"""Which entries are worth reading, chosen by their columns alone; and which of these may stand, by their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loremark.memory.brain.entries import Entry, Text, density, promises, worth
from loremark.memory.brain.telling import repeats, tells

AT_HAND = 0
"""The place of what is about the files at hand; the layers come after it, by their numbers."""

_AROUND_TOKENS = 24
"""What the document adds to a text: type, marks, files and indentation, as a guess."""
_HUGE_PART = 6
_HUGE_TOKENS = 300
"""An entry may not take more than a sixth of the budget before all others had their turn: it stands shortened."""
_READ_WHOLE = 4
"""So many of the shortened are read whole: at the end they are lengthened as far as there is room."""
_RESERVE = 1.3
_RESERVE_TOKENS = 500
_NEAR_PART = 2
_RANK_OF_LAYERS = 2
_WIDER_TOKENS = 8_000
"""Another budget's worth of texts is read, at most so much, to choose again by what they say."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An entry that may stand in the document, and where. ``short``: its beginning at first."""

    entry: Entry
    rank: int
    tokens: int
    """What it will cost, as a guess."""
    short: bool = False
    whole: bool = True

    @property
    def place(self) -> int:
        return AT_HAND if self.rank < _RANK_OF_LAYERS else self.rank - 1


def short_tokens(budget: int) -> int:
    """How long a shortened text is."""
    return max(80, min(200, budget // 20))


_Ranked = tuple[int, float, str, int, bool, Entry]


class Wanted:
    """Entries in the order they are wanted, kept as far as no budget changes it: then a budget costs little.

    ``near``: entries about the files at hand (0) and their neighbours (1). Neighbours may have half of the budget.
    """

    def __init__(self, entries: Iterable[Entry], near: Mapping[str, int] | None = None) -> None:
        nearness = near or {}
        self._ranked: list[_Ranked] = []
        for entry in entries:
            tokens = whole_tokens(entry)
            rank = nearness.get(entry.id, entry.tier + 1)
            value = worth(entry) * promises(entry.token_count)
            self._ranked.append((rank, -density(value, tokens), entry.id, tokens, False, entry))
        self._ranked.sort()
        self._longest = max((ranked[3] for ranked in self._ranked), default=0)

    def choose(self, budget: int) -> list[Choice]:
        """The entries to read, by what their columns promise: more than will fit, to choose again by their texts."""
        return _take(self._within(budget), _room(budget) + min(budget, _WIDER_TOKENS))

    def order(self, budget: int) -> list[Entry]:
        """All of them, the most wanted first."""
        return [ranked[5] for ranked in self._within(budget)]

    def _within(self, budget: int) -> list[_Ranked]:
        return _without_far_neighbours(self._with_huge(budget), budget // _NEAR_PART)

    def _with_huge(self, budget: int) -> list[_Ranked]:
        huge = max(_HUGE_TOKENS, budget // _HUGE_PART)
        if self._longest <= huge:
            return self._ranked
        tokens = short_tokens(budget) + _AROUND_TOKENS
        ranked = [one for one in self._ranked if one[3] <= huge]
        for rank, _, entry_id, whole, _, entry in self._ranked:
            if whole > huge:
                value = _beginning_worth(entry) * promises(whole)
                ranked.append((rank, -density(value, tokens), entry_id, tokens, True, entry))
        ranked.sort()
        return ranked


def choose(entries: Iterable[Entry], budget: int, near: Mapping[str, int] | None = None) -> list[Choice]:
    """The choice for one budget."""
    return Wanted(entries, near).choose(budget)


def choose_again(told: Iterable[tuple[Choice, Text]], budget: int) -> list[tuple[Choice, Text]]:
    """What may stand, the most wanted first, by what the texts say; somewhat more than fits: lengths are guessed."""
    ranked = []
    for choice, text in told:
        entry, tokens = choice.entry, choice.tokens
        if repeats(text.title, text.content):
            tokens -= entry.token_count // 2
        value = (_beginning_worth(entry) if choice.short else worth(entry)) * tells(text)
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


def _beginning_worth(entry: Entry) -> float:
    return worth(entry) / 2


def whole_tokens(entry: Entry) -> int:
    """What a whole entry costs in the document, as it is guessed before its text is read."""
    return entry.token_count + _AROUND_TOKENS


def _without_far_neighbours(ranked: list[_Ranked], most: int) -> list[_Ranked]:
    """Neighbours beyond their part stand in their layers again."""
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
