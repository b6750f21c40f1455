"""Reads the decision records that commits added or changed, as they were after the last of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from loremark.memory.extraction.documents import document_items
from loremark.memory.extraction.facts import EventContext
from loremark.memory.extraction.payloads import as_list, as_text
from loremark.memory.items import Item

RECORD_TAG = "decision-record"
_MOST_RECORDS = 50
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_STATUS = re.compile(r"^status:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)


def committed_records(payload: dict[str, Any], origin: EventContext) -> Iterator[Item]:
    """One decision for each record. Its own file comes first, then those it names."""
    for entry in as_list(payload.get("decisionRecords"))[:_MOST_RECORDS]:
        path = as_text(entry.get("path")) if isinstance(entry, dict) else ""
        if not path:
            continue
        document = {"source": "import:adr", "origin": path, "content": _with_status(as_text(entry.get("content")))}
        for item in document_items(document, origin, is_committed=True):
            quotes = tuple(replace(quote, commit_sha=as_text(entry.get("commit"))) for quote in item.evidence)
            files = (path, *(name for name in item.files if name != path))
            yield replace(item, files=files, tags=(*item.tags, RECORD_TAG), evidence=quotes)


def _with_status(text: str) -> str:
    """The document with the status from its front matter as a section."""
    front = _FRONT_MATTER.match(text)
    status = _STATUS.search(front[1]) if front is not None else None
    body = text[front.end() :] if front is not None else text
    return f"{body}\n\n## Status\n\n{status[1].strip()}" if status is not None else body
