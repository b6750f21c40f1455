"""Scans: findings become facts, files become fingerprints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from loremark.memory.extraction import confidence, filing, worth
from loremark.memory.extraction.drafting import Fact, Origin, files_in, files_of, joined_files
from loremark.memory.extraction.payloads import entries, first_text
from loremark.memory.extraction.results import FileChange
from loremark.memory.extraction.sentences import plain, split
from loremark.memory.extraction.typing_rules import verdict
from loremark.memory.paths import normal_path
from loremark.wire.items import ItemType

SCAN = "scan"
"""The tag of what a scan has told: the next one tells it anew."""
FILE_LISTS = ("files", "deleted")
_LAYERS_AS_TAGS = ("product", "dependencies", "datamodel", "entrypoints", "security")
_LAID_OUT = re.compile(r"^(?:[-*] |\d{1,3}\. |#{1,6} |\|)", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_MAX_FILES = 5_000
MAX_FINDINGS = 200
"""How many findings of one scan are looked at."""
_FINDING_SENTENCES = 30
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


def facts_of_scan(payload: dict[str, Any], origin: Origin) -> Iterator[Fact]:
    for finding in entries(payload.get("findings"))[:MAX_FINDINGS]:
        if not isinstance(finding, dict):
            continue
        lead = first_text(finding, "title", "name")[:1_000]
        content = first_text(finding, "content", "description", "detail", "summary")
        sentences = [one for one in split(content, _FINDING_SENTENCES) if not worth.is_talk(one.text)]
        said = " ".join((plain(lead), *(one.text for one in sentences)))
        named = bool(lead.strip() and content.strip())  # what has a title and a text was found on purpose
        if not filing.says_enough(said, believed=named) or (not sentences and worth.is_talk(plain(lead))):
            continue
        layer = first_text(finding, "layer", "category", "type")
        name = re.sub(r"[^a-z]", "", layer[:40].lower())
        kind = _TYPE_OF_LAYER.get(name) or verdict(plain(lead), [one.text for one in sentences], (layer,)).type
        inside = files_in((lead, *(one.raw for one in sentences)), origin.roots)
        yield Fact(
            type=kind,
            lead=lead,
            sentences=tuple(sentences),
            files=joined_files(files_of(finding, origin.roots), inside),
            confidence=confidence.of_importance(finding.get("importance", finding.get("severity"))),
            tags=(SCAN, *((layer,) if name in _LAYERS_AS_TAGS else ())),
            named=named and (not sentences or filing.is_own_title(lead)),
            whole=_CONTROL.sub("", content).strip() if not sentences or _LAID_OUT.search(content) else "",
        )


def file_states(payload: dict[str, Any], roots: Sequence[str]) -> tuple[FileChange, ...]:
    """The files a scan saw with their hashes, and those it found gone."""
    found: dict[str, FileChange] = {}
    for entry in entries(payload.get("files"))[:_MAX_FILES]:
        if not isinstance(entry, dict):
            continue
        path = normal_path(first_text(entry, "path", "file", "name"), roots)
        value = first_text(entry, "hash", "sha", "blobSha").strip()
        if path is not None and re.fullmatch(r"[0-9A-Za-z:+/=_-]{4,128}", value):
            found.setdefault(path, FileChange(path, deleted=False, fingerprint=f"sha:{value}"))
    for entry in entries(payload.get("deleted"))[:_MAX_FILES]:
        name = entry if isinstance(entry, str) else first_text(entry, "path") if isinstance(entry, dict) else ""
        path = normal_path(name, roots)
        if path is not None:
            found[path] = FileChange(path, deleted=True, fingerprint=None)
    return tuple(found.values())
