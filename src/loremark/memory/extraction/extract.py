"""Extracts everything from one event by rules. Deterministic; never raises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

from loremark.memory.extraction.commit_parser import parse_commits
from loremark.memory.extraction.commit_reverts import parse_reverts
from loremark.memory.extraction.commits import commit_facts
from loremark.memory.extraction.committed_records import committed_records
from loremark.memory.extraction.digests import file_changes, is_newest_first, parse_digest
from loremark.memory.extraction.documents import document_items
from loremark.memory.extraction.facts import MAX_ITEMS, EventContext, Fact, build_item, drop_duplicates, event_context
from loremark.memory.extraction.operations import created_item, parse_context_update, parse_operation
from loremark.memory.extraction.payloads import as_list, event_texts, truncate_event
from loremark.memory.extraction.results import ContextUpdate, Digest, Extraction, FileChange, Operation
from loremark.memory.extraction.scans import FILE_LISTS, MAX_FINDINGS, parse_file_states, scan_facts
from loremark.memory.extraction.session_saves import exceeds_change_limit, is_fact_field, session_facts
from loremark.memory.items import Item, RawEvent

__all__ = ["ContextUpdate", "Digest", "Extraction", "FileChange", "Operation", "event_texts", "extract"]


_TOO_MANY = f"An event contained more than {MAX_ITEMS} items. The rest was left out; split it into several events."
_TOO_LONG = "An event was too long to process completely. Its end was left out; split it into several events."
_READ = {"scan_result": ("findings",), "context_update": ("content",)}


def extract(event: RawEvent) -> Extraction:
    """Extract items, operations, contexts and the repository state from an event."""
    whole = event.payload if isinstance(event.payload, dict) else {}
    if event.event == "scan_result":  # thousands of files would leave no room for the findings
        event = replace(event, payload={name: value for name, value in whole.items() if name not in FILE_LISTS})
    sent, event = event.payload, truncate_event(event)
    found = _extract(event, whole, event_context(event.id, event.payload, event.actor_id))
    read = [name for name in event.payload if _is_read(event.event, name)]
    if any(_chars(sent[name]) > _chars(event.payload[name]) for name in read):
        found = replace(found, warnings=(*found.warnings, _TOO_LONG))
    return replace(found, items=tuple(replace(item, origins=(event.event,)) for item in found.items))


def _is_read(event: str, field: str) -> bool:
    """Whether items may come from any part of a field. Diffs are long and only sampled."""
    return field in _READ.get(event, ()) or (event == "session_save" and is_fact_field(field))


def _chars(value: Any) -> int:
    """The amount of text in a value, at any depth."""
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


def _extract(event: RawEvent, whole: dict[str, Any], origin: EventContext) -> Extraction:
    payload = event.payload
    match event.event:
        case "session_save":
            items, cut = _items(session_facts(payload, origin), origin)
            return Extraction(items, warnings=_warned(cut or exceeds_change_limit(payload)))
        case "git_digest":
            commits = parse_commits(payload, origin.roots)
            items, cut = _items(commit_facts(commits, origin), origin)
            items = (*items, *committed_records(payload, origin))
            cut = cut or len(as_list(payload.get("commits"))) > max(len(commits), MAX_ITEMS)
            oldest_first = commits[::-1] if is_newest_first(payload, commits) else commits
            return Extraction(
                items,
                digest=parse_digest(payload, oldest_first),
                files=file_changes(oldest_first),
                reverts=tuple(parse_reverts(oldest_first, event.id, origin.branch)),
                warnings=_warned(cut),
            )
        case "scan_result":
            items, cut = _items(scan_facts(payload, origin), origin)
            cut = cut or len(as_list(payload.get("findings"))) > MAX_FINDINGS
            return Extraction(items, files=parse_file_states(whole, origin.roots), warnings=_warned(cut))
        case "context_update":
            context = parse_context_update(whole)  # a context is kept complete: it is a document, not evidence
            items, cut = _at_most(document_items(payload, origin))
            return Extraction(items, contexts=(context,) if context is not None else (), warnings=_warned(cut))
        case "memory_operation":  # likewise an explicitly saved memory
            item, operation = created_item(whole, origin), parse_operation(whole, origin)
            return Extraction(
                (item,) if item is not None else (),
                operations=(operation,) if operation is not None else (),
            )
    return Extraction(())


def _warned(cut: bool) -> tuple[str, ...]:
    return (_TOO_MANY,) if cut else ()


def _items(facts: Iterable[Fact], origin: EventContext) -> tuple[tuple[Item, ...], bool]:
    """Return at most MAX_ITEMS items and whether there were more. Facts are generated lazily."""
    found: list[Item] = []
    for fact in facts:
        item = build_item(fact, origin)
        if item is not None:
            found.append(item)
        if len(found) > 2 * MAX_ITEMS:
            break
    kept = drop_duplicates(found)
    return kept[:MAX_ITEMS], len(kept) > MAX_ITEMS or len(found) > 2 * MAX_ITEMS


def _at_most(items: Iterable[Item]) -> tuple[tuple[Item, ...], bool]:
    found = tuple(islice(items, MAX_ITEMS + 1))
    return found[:MAX_ITEMS], len(found) > MAX_ITEMS
