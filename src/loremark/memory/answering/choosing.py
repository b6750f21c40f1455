"""Which passages answer, and whether any does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from loremark.memory.answering.asking import Asked
from loremark.memory.answering.clues import Clues, Signs, clues_of, signs_of
from loremark.memory.answering.records import Passage
from loremark.memory.answering.weighing import MOST_READ

MOST_CITED = 4

# Fitted on the questions of asks-dev; docs/decisions/0021-answers.md says how, and what they were worth on projects
# that they were not fitted on.
WORTH = Clues(near=6.0, share=2.3, rare=2.2, lacks=-1.3, code=2.6, stray=0.0, reason=0.5)
TRUST = Signs(worth=0.42, near=0.68, misses=-0.33)
REACH = 1.4
"""A passage is cited beside the best one if it is worth no less than this below it."""
FAR_BELOW = 1.13
SILENT_BELOW = 1.48
DOUBTFUL_BELOW = 2.33
"""Below the first nothing is near, below the second what is near and shares a word is named and not cited, below the
third it is cited with a doubt."""


@dataclass(frozen=True)
class Choice:
    """The places of the passages that answer, best first; none if nothing does. ``doubtful``: perhaps it does not.

    ``nearest``: where nothing answers, the place of what at least comes near, if anything does.
    """

    places: tuple[int, ...]
    doubtful: bool = False
    nearest: int | None = None


def choose(asked: Asked, passages: Sequence[Passage]) -> Choice:
    """From the first passages; what is about another code than the one asked for is never an answer."""
    read = passages[:MOST_READ]
    clues = clues_of(asked, read)
    worths = {place: weighed(WORTH, clue) for place, clue in enumerate(clues) if not clue.stray}
    order = sorted(worths, key=lambda place: (-worths[place], place))
    if not order:
        return Choice(())
    best = order[0]
    trust = weighed(TRUST, signs_of(asked, read, best, worths[best]))
    if trust < SILENT_BELOW:
        return Choice((), nearest=best if trust >= FAR_BELOW and clues[best].share else None)
    kept = [place for place in order[:MOST_CITED] if worths[place] >= worths[best] - REACH]
    return Choice(tuple(kept), doubtful=trust < DOUBTFUL_BELOW)


def weighed(weights: Clues | Signs, values: Clues | Signs) -> float:
    """The weighted sum."""
    return float(sum(weight * value for weight, value in zip(astuple(weights), astuple(values), strict=True)))
