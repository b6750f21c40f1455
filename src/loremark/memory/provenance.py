"""What keeps two items apart before anything they say is weighed: what they rest on, where they are, what they name."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from loremark.memory.extraction.scans import SCAN
from loremark.memory.items import Item
from loremark.memory.reading import read
from loremark.memory.topics import are_other_sections, file_names_in
from loremark.memory.words import shared_share

COMMITS = "git_digest"
SCANS = "scan_result"
OUTRIGHT = "memory_operation"
SAVES = "session_save"
DOCUMENTS = "context_update"
_FOUND = frozenset((COMMITS, SCANS))
# Titles of two commits that share less of their words tell of two changes.
_ONE_TITLE = 0.6
# What speaks of other files must be nearer than this to be looked at.
_ELSEWHERE_COSINE = 0.75
_ORDINAL = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|next|\d+(?:st|nd|rd|th)"
    r"|(?:item|entry|note|memory|fact|record|example|sample|case|number|no\.?) ?#?\d+)\b|#\d+\b"
)
_MACHINE_ID = re.compile(
    r"(?<![\w#-])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{6,128}"
    r"|(?:[a-z]{2,6}_)?(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{20,64})(?![\w-])",
    re.IGNORECASE,
)


def rests_on_commits(item: Item) -> bool:
    """Nobody has told it in words of their own, and no scan has found it."""
    return item.origins == (COMMITS,)


def rests_on_scans(item: Item) -> bool:
    return item.origins == (SCANS,) if item.origins else SCAN in item.tags


def is_found(item: Item) -> bool:
    """Read out of the repository, not told by anybody."""
    return _FOUND.issuperset(item.origins) if item.origins else SCAN in item.tags


def meetings(a: Item, b: Item) -> dict[str, float]:
    """How the two came together: a change is saved by who made it and then committed, a document tells it once more."""
    saved, documented = (SAVES in a.origins, SAVES in b.origins), (DOCUMENTS in a.origins, DOCUMENTS in b.origins)
    return {
        "shared files": float(not set(a.files).isdisjoint(b.files)),
        "save and commit": float(_tells_what_was_committed(a, b) or _tells_what_was_committed(b, a)),
        "save and document": float({saved, documented} == {(True, False), (False, True)}),
        "two saves": float(all(saved) and not any(documented)),
        "two documents": float(all(documented) and not any(saved)),
        "told at once": float(are_told_at_once(a, b)),
    }


def _tells_what_was_committed(told: Item, commit: Item) -> bool:
    return rests_on_commits(commit) and SAVES in told.origins


def are_of_one_whole(a: Item, b: Item) -> bool:
    """Two findings of one scan, or sections of one document: however alike they are, both hold, each for itself."""
    if SCAN in a.tags and SCAN in b.tags:
        return are_told_at_once(a, b)
    return are_other_sections(a.title, b.title)


def are_told_at_once(a: Item, b: Item) -> bool:
    """Both quote one event."""
    return not {quote.event_id for quote in a.evidence}.isdisjoint(quote.event_id for quote in b.evidence)


def are_elsewhere(a: Item, b: Item, cosine: float) -> bool:
    """About other files, and not strikingly alike or called by them: neither is read.

    Most neighbours in a large project are such.
    """
    if not a.files or not b.files or not set(a.files).isdisjoint(b.files):
        return False
    return cosine < _ELSEWHERE_COSINE or (_is_of_its_own(a, b) and _is_of_its_own(b, a))


def _is_of_its_own(item: Item, other: Item) -> bool:
    """Whether its title names a file of it that the other text does not speak of."""
    names = file_names_in(plain(item.title), item.files)
    return bool(names) and not any(name in plain_text(other) for name in names)


def are_two_changes(a: Item, b: Item) -> bool:
    """Both rest on commits alone, and are not called the same."""
    if not (rests_on_commits(a) and rests_on_commits(b)):
        return False
    return shared_share(frozenset(read("", a.title).title), frozenset(read("", b.title).title)) < _ONE_TITLE


def are_filed_apart(a: Item, b: Item) -> bool:
    """Both were filed by somebody, each by another name, and neither has all the words of the other."""
    if OUTRIGHT not in a.origins or OUTRIGHT not in b.origins:
        return False
    if plain(a.title) == plain(b.title) or plain(a.content) == plain(b.content):
        return False
    mine, others = read(a.content, a.title).words, read(b.content, b.title).words
    return not (mine and others) or not (mine <= others or others <= mine)


def are_of_a_series(a: Item, b: Item) -> bool:
    """Titles that differ in nothing but their number in a row: the first item, the second item."""
    here, there = plain(a.title), plain(b.title)
    return here != there and _ORDINAL.sub("#", here) == _ORDINAL.sub("#", there)


def have_other_ids(a: Item, b: Item) -> bool:
    """Each names things by ids of machines, and none that the other names."""
    mine, others = ids_in(f"{a.title}\n{a.content}"), ids_in(f"{b.title}\n{b.content}")
    return bool(mine and others) and mine.isdisjoint(others)


@lru_cache(maxsize=4096)
def ids_in(text: str) -> frozenset[str]:
    """Hashes, uuids and the like: they are no words, and no values either."""
    return frozenset(found.casefold() for found in _MACHINE_ID.findall(text))


@lru_cache(maxsize=4096)
def without_ids(text: str) -> str:
    return _MACHINE_ID.sub("", text)


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Without case, form and spacing."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def plain_text(item: Item) -> str:
    """Title and content without case, form and spacing: where it is equal, so is the fact."""
    return plain(f"{item.title}\n{item.content}")
