"""Decides whether a newer statement replaces an older one, so that agents see the newer one as current.

A newer statement about the same thing that says it changes something, or that contradicts the older one, leads. Where
it only repeats the older one in other words, agents learn the same thing either way, so the rule can be simple: on
labeled statements of 110 projects, 97% of the pairs it selects are changes or repeats
(docs/decisions/0032-supersession.md).
"""

from __future__ import annotations

import re

from loremark.memory.dedup import contradicts
from loremark.memory.extraction.committed_records import RECORD_TAG
from loremark.memory.items import Item
from loremark.memory.provenance import (
    DOCUMENTS,
    MEMORY_OPERATIONS,
    SAVES,
    folded_item_text,
    is_later_version,
    share_event,
    share_source_document,
)

SAME_THING = 0.5
"""The cosine from which two statements are about the same thing; one in twenty pairs on different things lies above."""
_CHANGE = re.compile(
    r"\b(?:instead of|no longer|(?:not|n['’]t) [^.\n]{0,40}any ?more|changed? (?:from|to)|back to"
    r"|switch(?:ed|ing)? (?:from|to|back|over)|replac(?:e|es|ed|ing)|supersed\w+|amend\w*|revert\w*|withdrawn|scrap\w*"
    r"|(?:rais|lower|increas|decreas|reduc|bump|cut)\w* [^.\n]{0,40}to|from now on|until now|previously|used to"
    r"|overrul\w+|drop(?:ped|s)?)\b",
    re.IGNORECASE,
)
# A decision record that names the one it replaces.
_NAMES_RECORD = re.compile(
    r"\b(?:supersed(?:es|ing)|replac(?:es|ing)|amend(?:s|ing))\W{1,6}(?:\w+\W){0,2}?(?:adr\W{0,3})?0{0,4}(\d{1,4})\b",
    re.IGNORECASE,
)
_RECORD_NUMBER = re.compile(r"\badr[- #]{0,2}0{0,4}(\d{1,4})\b", re.IGNORECASE)
_RECORD_FILE = re.compile(r"(?:^|/)(?:adr[-_ ]?)?0{0,4}(\d{1,4})[-_ .][^/]*$", re.IGNORECASE)
_REPLACEABLE = ("decision", "convention", "architecture")
"""Types that say how things are. Bugs and changes happened, whatever happened later."""
_STATED = (SAVES, MEMORY_OPERATIONS, DOCUMENTS)


def says_change(item: Item) -> bool:
    """Whether a statement says that something is different from before."""
    return _CHANGE.search(f"{item.title}. {item.content}") is not None


def replaces(newer: Item, older: Item, cosine: float) -> bool:
    """Whether the newer statement is about the same thing and changes it. Commits only replace others by reverting."""
    if newer.type not in _REPLACEABLE or older.type not in _REPLACEABLE:
        return False
    if not _is_stated(newer):
        return False
    if _names_record(newer, older):
        return True
    if _last_event(newer) <= _last_event(older):
        return False
    if is_later_version(newer, older):
        return folded_item_text(newer) != folded_item_text(older)
    if cosine < SAME_THING:
        return False
    if share_event(newer, older) or share_source_document(newer, older):
        return False
    if folded_item_text(newer) == folded_item_text(older):
        return False
    return says_change(newer) or contradicts(newer, older, cosine)


def _names_record(newer: Item, older: Item) -> bool:
    """Whether the newer decision record says that it replaces the older one, by its number."""
    path = older.files[0] if RECORD_TAG in older.tags and older.files else ""
    number = _RECORD_NUMBER.search(older.title) or _RECORD_FILE.search(path)
    return newer.status != "deprecated" and number is not None and number[1] in _NAMES_RECORD.findall(newer.content)


def _is_stated(item: Item) -> bool:
    return RECORD_TAG in item.tags or any(origin in _STATED for origin in item.origins)


def _last_event(item: Item) -> str:
    """Ids of events are in the order in which they were sent."""
    return max((quote.event_id for quote in item.evidence), default="")
