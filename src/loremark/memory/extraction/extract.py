"""One event in, everything it says out: by rules alone, the same for the same event, and never an error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from loremark.memory.extraction.commit_log import commits_of
from loremark.memory.extraction.commits import facts_of_commits
from loremark.memory.extraction.digests import digest_of, file_changes, is_newest_first
from loremark.memory.extraction.drafting import MAX_ITEMS, Fact, Origin, distinct, item_of, origin_of
from loremark.memory.extraction.keys import valid_key
from loremark.memory.extraction.operations import context_of, created_item, operation_of
from loremark.memory.extraction.payloads import bounded, entries, texts_of
from loremark.memory.extraction.results import ContextUpdate, Digest, Extraction, FileChange, Operation
from loremark.memory.extraction.saves import facts_of_context, facts_of_save, has_more_changes, tells
from loremark.memory.extraction.scans import FILE_LISTS, MAX_FINDINGS, facts_of_scan, file_states
from loremark.memory.items import Item, RawEvent

__all__ = ["ContextUpdate", "Digest", "Extraction", "FileChange", "Operation", "extract", "texts_of"]


_TOO_MANY = (
    f"An event told of more than {MAX_ITEMS} things at once: those behind them were left out; send them in several."
)
_TOO_LONG = "An event was too long to be read whole: what stood at its end gave no items; send it in several."
_READ = {"scan_result": ("findings",), "context_update": ("content",)}


def extract(event: RawEvent) -> Extraction:
    """What the event says: items, operations, contexts, and the state of the repository."""
    whole = event.payload if isinstance(event.payload, dict) else {}
    if event.event == "scan_result":  # thousands of files would leave no room for what was found in them
        event = replace(event, payload={name: value for name, value in whole.items() if name not in FILE_LISTS})
    sent, event = event.payload, bounded(event)
    found = _extract(event, whole, origin_of(event.id, event.payload))
    read = [name for name in event.payload if _is_read(event.event, name)]
    if any(_chars(sent[name]) > _chars(event.payload[name]) for name in read):
        found = replace(found, warnings=(*found.warnings, _TOO_LONG))
    return replace(found, items=tuple(replace(item, origins=(event.event,)) for item in found.items))


def _is_read(event: str, field: str) -> bool:
    """Whether items may come of all that stands in a field. Diffs are long, and only looked into."""
    return field in _READ.get(event, ()) or (event == "session_save" and tells(field))


def _chars(value: Any) -> int:
    """How much text a value holds, at any depth."""
    waiting, found = [value], 0
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found += len(one)
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return found


def _extract(event: RawEvent, whole: dict[str, Any], origin: Origin) -> Extraction:
    payload = event.payload
    match event.event:
        case "session_save":
            items, cut = _items(facts_of_save(payload, origin), origin)
            return Extraction(items, warnings=_warned(cut or has_more_changes(payload)))
        case "git_digest":
            commits = commits_of(payload, origin.roots)
            items, cut = _items(facts_of_commits(commits, origin), origin)
            cut = cut or len(entries(payload.get("commits"))) > max(len(commits), MAX_ITEMS)
            return Extraction(
                items,
                digest=digest_of(payload, commits),
                files=file_changes(commits, newest_first=is_newest_first(payload, commits)),
                warnings=_warned(cut),
            )
        case "scan_result":
            items, cut = _items(facts_of_scan(payload, origin), origin)
            cut = cut or len(entries(payload.get("findings"))) > MAX_FINDINGS
            return Extraction(items, files=file_states(whole, origin.roots), warnings=_warned(cut))
        case "context_update":
            context = context_of(whole)  # a context is kept whole: it is a document, not evidence
            items, cut = _items(facts_of_context(payload, origin), origin, valid_key(payload.get("schemaKey")))
            return Extraction(items, contexts=(context,) if context is not None else (), warnings=_warned(cut))
        case "memory_operation":  # likewise what somebody wants to be remembered
            item, operation = created_item(whole, origin), operation_of(whole, origin)
            return Extraction(
                (item,) if item is not None else (),
                operations=(operation,) if operation is not None else (),
            )
    return Extraction(())


def _warned(cut: bool) -> tuple[str, ...]:
    return (_TOO_MANY,) if cut else ()


def _items(facts: Iterable[Fact], origin: Origin, schema_key: str | None = None) -> tuple[tuple[Item, ...], bool]:
    """At most so many items, and whether there were more; facts are drawn one by one, the rest is never worked out."""
    found: list[Item] = []
    for fact in facts:
        item = item_of(fact, origin)
        if item is not None:
            found.append(item if schema_key is None else replace(item, schema_key=schema_key))
        if len(found) > 2 * MAX_ITEMS:
            break
    kept = distinct(found)
    return kept[:MAX_ITEMS], len(kept) > MAX_ITEMS or len(found) > 2 * MAX_ITEMS
