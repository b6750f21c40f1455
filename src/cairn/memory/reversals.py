"""One takes back what the other tells: a commit that reverts it, or the same choice made the other way round."""

from __future__ import annotations

import re

from cairn.memory.extraction.titles import without_prefix
from cairn.memory.items import Item
from cairn.memory.reading import Reading, read
from cairn.memory.signs import are_reports
from cairn.memory.stance import stance

_REVERT = re.compile(
    r"\s*revert(?:s|ed)?\b(?!\s+(?:to|back)\b):?\s*[\"“'`]?(?P<undone>.{3,}?)[\"”'`]?\s*$", re.IGNORECASE
)
# As words are read: "keep" is "store".
_CHOOSING = frozenset(("use", "move", "store", "run", "switch", "replac", "choos", "pick", "adopt", "migrat", "stay"))
# So many of the words of what was undone must stand in the other, and of the other's title in what was undone.
_NAMED = 0.8
_TITLE_NAMED = 0.5


def takes_back(a: Item, b: Item) -> bool:
    """Whether one of the two, whichever, undoes the other."""
    return _reverts(a, b) or _reverts(b, a) or _chooses_the_other(a, b)


def _reverts(revert: Item, other: Item) -> bool:
    undone = _undone_by(revert)
    if undone is None or _undone_by(other) is not None:
        return False
    named, told = read(undone).words, read(other.content, other.title)
    title = frozenset(told.title)
    return bool(named and title) and (
        len(named & told.words) >= len(named) * _NAMED and len(title & named) >= len(title) * _TITLE_NAMED
    )


def _undone_by(item: Item) -> str | None:
    found = _REVERT.match(item.title)
    return None if found is None else without_prefix(found["undone"])


def _chooses_the_other(a: Item, b: Item) -> bool:
    """Each holds what the other sets aside: this instead of that, and that instead of this, of one and the same."""
    if are_reports(a, b):
        return False
    here, there = stance(a.content, a.title), stance(b.content, b.title)
    mine = here.names & (there.names_gone | there.names_denied)
    others = there.names & (here.names_gone | here.names_denied)
    if not mine or not others:
        return False
    one, other = read(a.content, a.title), read(b.content, b.title)
    return not (_speaks_of_more(one, other, mine | others) and _speaks_of_more(other, one, mine | others))


def _speaks_of_more(mine: Reading, other: Reading, chosen: frozenset[str]) -> bool:
    """Whether a title names, beside what was chosen, something that the other does not know."""
    own = frozenset(mine.title) - other.words - _CHOOSING
    return any(not any(name.startswith(word) or word.startswith(name) for name in chosen) for word in own)
