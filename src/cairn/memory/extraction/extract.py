"""One event in, everything it says out: by rules alone, the same for the same event, and never an error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cairn.memory.extraction.commit_log import commits_of
from cairn.memory.extraction.commits import facts_of_commits
from cairn.memory.extraction.digests import digest_of, file_changes, is_newest_first
from cairn.memory.extraction.drafting import MAX_ITEMS, Fact, Origin, distinct, item_of, origin_of
from cairn.memory.extraction.keys import valid_key
from cairn.memory.extraction.operations import context_of, created_item, operation_of
from cairn.memory.extraction.payloads import bounded, texts_of
from cairn.memory.extraction.results import ContextUpdate, Digest, Extraction, FileChange, Operation
from cairn.memory.extraction.saves import facts_of_context, facts_of_save
from cairn.memory.extraction.scans import FILE_LISTS, facts_of_scan, file_states
from cairn.memory.items import Item, RawEvent

__all__ = ["ContextUpdate", "Digest", "Extraction", "FileChange", "Operation", "extract", "texts_of"]


def extract(event: RawEvent) -> Extraction:
    """What the event says: items, operations, contexts, and the state of the repository."""
    whole = event.payload if isinstance(event.payload, dict) else {}
    if event.event == "scan_result":  # thousands of files would leave no room for what was found in them
        event = replace(event, payload={name: value for name, value in whole.items() if name not in FILE_LISTS})
    event = bounded(event)
    payload = event.payload
    origin = origin_of(event.id, payload)
    match event.event:
        case "session_save":
            return Extraction(_items(facts_of_save(payload, origin), origin))
        case "git_digest":
            commits = commits_of(payload, origin.roots)
            return Extraction(
                _items(facts_of_commits(commits, origin), origin),
                digest=digest_of(payload, commits),
                files=file_changes(commits, newest_first=is_newest_first(payload, commits)),
            )
        case "scan_result":
            return Extraction(_items(facts_of_scan(payload, origin), origin), files=file_states(whole, origin.roots))
        case "context_update":
            context = context_of(whole)  # a context is kept whole: it is a document, not evidence
            items = _items(facts_of_context(payload, origin), origin, valid_key(payload.get("schemaKey")))
            return Extraction(items, contexts=(context,) if context is not None else ())
        case "memory_operation":
            item, operation = created_item(payload, origin), operation_of(payload, origin)
            return Extraction(
                (item,) if item is not None else (),
                operations=(operation,) if operation is not None else (),
            )
    return Extraction(())


def _items(facts: Iterable[Fact], origin: Origin, schema_key: str | None = None) -> tuple[Item, ...]:
    """At most so many items; facts are drawn one by one, so the rest is never worked out."""
    found: list[Item] = []
    for fact in facts:
        item = item_of(fact, origin)
        if item is not None:
            found.append(item if schema_key is None else replace(item, schema_key=schema_key))
        if len(found) >= 2 * MAX_ITEMS:
            break
    return distinct(found)
