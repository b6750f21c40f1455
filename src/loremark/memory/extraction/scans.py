"""Extracts facts from scan findings, and fingerprints from their files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from loremark.memory.extraction import category_trust, confidence, salience
from loremark.memory.extraction.facts import EventContext, Fact, files_of, find_files, merge_files
from loremark.memory.extraction.payloads import as_list, first_text
from loremark.memory.extraction.results import FileChange
from loremark.memory.extraction.sentence_splitter import split_sentences, strip_markdown
from loremark.memory.extraction.type_rules import classify_type
from loremark.memory.paths import normalize_path
from loremark.wire.items import ItemType

SCAN_TAG = "scan"
"""The tag of items from scans. The next scan reports them again."""
FILE_LISTS = ("files", "deleted")
_DIRECTORIES = "layout"
"""The tag of findings that list what a directory contains."""
_LAYERS_AS_TAGS = ("product", "dependencies", "datamodel", "entrypoints", "security")
_LAID_OUT = re.compile(r"^(?:[-*] |\d{1,3}\. |#{1,6} |\|)", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_MAX_FILES = 5_000
MAX_FINDINGS = 200
"""How many findings of one scan are processed."""
_FINDING_SENTENCES = 30
_INVENTORY_TIER = 3
_TYPE_OF_LAYER: dict[str, ItemType] = {
    "product": "architecture",
    "architecture": "architecture",
    "conventions": "convention",
    "convention": "convention",
    "dependencies": "codemap",
    "datamodel": "codemap",
    "entrypoints": "codemap",
    "security": "bug",
}


def scan_facts(payload: dict[str, Any], origin: EventContext) -> Iterator[Fact]:
    for finding in as_list(payload.get("findings"))[:MAX_FINDINGS]:
        if not isinstance(finding, dict):
            continue
        lead = first_text(finding, "title", "name")[:1_000]
        content = first_text(finding, "content", "description", "detail", "summary")
        sentences = [
            one for one in split_sentences(content, _FINDING_SENTENCES) if not salience.is_small_talk(one.text)
        ]
        said = " ".join((strip_markdown(lead), *(one.text for one in sentences)))
        named = bool(lead.strip() and content.strip())  # a finding with a title and a text is intentional
        if not category_trust.has_enough_words(said, trusted=named) or (
            not sentences and salience.is_small_talk(strip_markdown(lead))
        ):
            continue
        layer = first_text(finding, "layer", "category", "type")
        name = re.sub(r"[^a-z]", "", layer[:40].lower())
        kind = (
            _TYPE_OF_LAYER.get(name)
            or classify_type(strip_markdown(lead), [one.text for one in sentences], (layer,)).type
        )
        inside = find_files((lead, *(one.raw for one in sentences)), origin.roots)
        yield Fact(
            type=kind,
            lead=lead,
            sentences=tuple(sentences),
            files=merge_files(files_of(finding, origin.roots), inside),
            confidence=confidence.from_importance(finding.get("importance", finding.get("severity"))),
            tags=(SCAN_TAG, *((layer,) if name in _LAYERS_AS_TAGS else ())),
            keep_title=named and (not sentences or category_trust.is_meaningful_title(lead)),
            tier=_INVENTORY_TIER if _DIRECTORIES in as_list(finding.get("tags")) else None,
            verbatim=_CONTROL.sub("", content).strip() if not sentences or _LAID_OUT.search(content) else "",
        )


def parse_file_states(payload: dict[str, Any], roots: Sequence[str]) -> tuple[FileChange, ...]:
    """The files a scan saw with their hashes, and those it found deleted."""
    found: dict[str, FileChange] = {}
    for entry in as_list(payload.get("files"))[:_MAX_FILES]:
        if not isinstance(entry, dict):
            continue
        path = normalize_path(first_text(entry, "path", "file", "name"), roots)
        value = first_text(entry, "hash", "sha", "blobSha").strip()
        if path is not None and re.fullmatch(r"[0-9A-Za-z:+/=_-]{4,128}", value):
            found.setdefault(path, FileChange(path, deleted=False, fingerprint=f"sha:{value}"))
    for entry in as_list(payload.get("deleted"))[:_MAX_FILES]:
        name = entry if isinstance(entry, str) else first_text(entry, "path") if isinstance(entry, dict) else ""
        path = normalize_path(name, roots)
        if path is not None:
            found[path] = FileChange(path, deleted=True, fingerprint=None)
    return tuple(found.values())
