"""Where items come from, and the checks on sources, files and ids that run before their texts are compared."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from loremark.base.briefing_markers import plain_name
from loremark.memory.extraction.committed_records import RECORD_TAG
from loremark.memory.extraction.scans import SCAN_TAG
from loremark.memory.items import Item
from loremark.memory.text_parser import parse_text
from loremark.memory.topics import are_sibling_sections, find_file_names
from loremark.memory.word_normalization import jaccard

COMMITS = "git_digest"
SCANS = "scan_result"
MEMORY_OPERATIONS = "memory_operation"
SAVES = "session_save"
DOCUMENTS = "context_update"
_REPOSITORY_SOURCES = frozenset((COMMITS, SCANS))
# Two commits whose titles share less than this describe two changes.
_MIN_TITLE_OVERLAP = 0.6
# Items about different files must be at least this similar to be compared.
_MIN_COSINE_OTHER_FILES = 0.75
UNKNOWN_SOURCE = "an import or a deleted session"
_RELAYS = ("mcp", "import")
"""Sources that name in their second part what they pass on. In others, that part is an id."""
_SOURCE_CHARS = 40
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


def source_name(source: str) -> str:
    """The name in a source that a client sent, without anything that could pass as more than a name."""
    first, _, rest = source.partition(":")
    parts = [first, *rest.split(":")[:1]] if first in _RELAYS and rest else [first]
    cleaned = (plain_name(part, _SOURCE_CHARS).replace("/", "") for part in parts)
    return ":".join(filter(None, cleaned))[:_SOURCE_CHARS]


def is_from_commits(item: Item) -> bool:
    """Whether commits are the only source."""
    return item.origins == (COMMITS,) and RECORD_TAG not in item.tags


def is_from_scans(item: Item) -> bool:
    return item.origins == (SCANS,) if item.origins else SCAN_TAG in item.tags


def is_from_repository(item: Item) -> bool:
    """Whether commits and scans are the only sources, without a statement by a person or agent."""
    return _REPOSITORY_SOURCES.issuperset(item.origins) if item.origins else SCAN_TAG in item.tags


def provenance_features(a: Item, b: Item) -> dict[str, float]:
    """Features of how two items came about. A change is often saved by its author, then committed, then documented."""
    saved, documented = (SAVES in a.origins, SAVES in b.origins), (DOCUMENTS in a.origins, DOCUMENTS in b.origins)
    return {
        "shared_files": float(not set(a.files).isdisjoint(b.files)),
        "save_and_commit": float(_is_save_and_commit(a, b) or _is_save_and_commit(b, a)),
        "save_and_document": float({saved, documented} == {(True, False), (False, True)}),
        "both_saves": float(all(saved) and not any(documented)),
        "both_documents": float(all(documented) and not any(saved)),
        "same_event": float(share_event(a, b)),
    }


def _is_save_and_commit(saved: Item, commit: Item) -> bool:
    return is_from_commits(commit) and SAVES in saved.origins


def is_later_version(newer: Item, older: Item) -> bool:
    """Both come from the same decision record; a record states one decision."""
    is_record = RECORD_TAG in newer.tags and RECORD_TAG in older.tags
    return is_record and newer.files[:1] == older.files[:1] and not share_event(newer, older)


def share_source_document(a: Item, b: Item) -> bool:
    """Two findings of one scan, or two statements of one document. Both hold, however similar they are."""
    if (SCAN_TAG in a.tags and SCAN_TAG in b.tags) or (DOCUMENTS in a.origins and DOCUMENTS in b.origins):
        return share_event(a, b)
    return are_sibling_sections(a.title, b.title)


def share_event(a: Item, b: Item) -> bool:
    """Both quote the same event."""
    return not {quote.event_id for quote in a.evidence}.isdisjoint(quote.event_id for quote in b.evidence)


def concern_different_files(a: Item, b: Item, cosine: float) -> bool:
    """About different files, and neither very similar nor named after the same file.

    This skips most neighbors in a large project without parsing them.
    """
    if not a.files or not b.files or not set(a.files).isdisjoint(b.files):
        return False
    return cosine < _MIN_COSINE_OTHER_FILES or (_names_own_file(a, b) and _names_own_file(b, a))


def _names_own_file(item: Item, other: Item) -> bool:
    """Whether the title names one of the item's files that the other text does not mention."""
    names = find_file_names(fold_text(item.title), item.files)
    return bool(names) and not any(name in folded_item_text(other) for name in names)


def are_separate_commits(a: Item, b: Item) -> bool:
    """Both come from commits alone and have different titles."""
    if not (is_from_commits(a) and is_from_commits(b)):
        return False
    return (
        jaccard(frozenset(parse_text("", a.title).title), frozenset(parse_text("", b.title).title)) < _MIN_TITLE_OVERLAP
    )


def are_saved_separately(a: Item, b: Item) -> bool:
    """Both were saved explicitly, under different titles, and neither contains all words of the other."""
    if MEMORY_OPERATIONS not in a.origins or MEMORY_OPERATIONS not in b.origins:
        return False
    if fold_text(a.title) == fold_text(b.title) or fold_text(a.content) == fold_text(b.content):
        return False
    mine, others = parse_text(a.content, a.title).words, parse_text(b.content, b.title).words
    return not (mine and others) or not (mine <= others or others <= mine)


def are_numbered_series(a: Item, b: Item) -> bool:
    """Titles that differ only in a number: the first item, the second item."""
    here, there = fold_text(a.title), fold_text(b.title)
    return here != there and _ORDINAL.sub("#", here) == _ORDINAL.sub("#", there)


def have_different_ids(a: Item, b: Item) -> bool:
    """Both contain machine-generated ids and none in common."""
    mine, others = find_machine_ids(f"{a.title}\n{a.content}"), find_machine_ids(f"{b.title}\n{b.content}")
    return bool(mine and others) and mine.isdisjoint(others)


@lru_cache(maxsize=4096)
def find_machine_ids(text: str) -> frozenset[str]:
    """Hashes, UUIDs and the like. They are neither words nor values."""
    return frozenset(found.casefold() for found in _MACHINE_ID.findall(text))


@lru_cache(maxsize=4096)
def strip_machine_ids(text: str) -> str:
    return _MACHINE_ID.sub("", text)


@lru_cache(maxsize=4096)
def fold_text(text: str) -> str:
    """Normalize case, Unicode form and whitespace."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def folded_item_text(item: Item) -> str:
    """Title and content, normalized. Equal texts state the same fact."""
    return fold_text(f"{item.title}\n{item.content}")
