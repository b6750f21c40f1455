"""Repeated scans: updates the item an earlier scan created instead of adding another copy."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from loremark.base.caller import Scope
from loremark.features.enrichment.proposals import propose_edit
from loremark.features.enrichment.task import Task
from loremark.features.history import store as history
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.memory.extraction.scans import SCAN_TAG
from loremark.memory.items import Item
from loremark.memory.merging import MAX_FILES, append_sentences, merge, union
from loremark.memory.statement_overlap import split_statements
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

_USER_CHANGES = ("edited", "reverted")
_MAX_REVISIONS = 50
_MAX_QUOTES = 20


def find_rescanned(item: Item, neighbors: Sequence[Row]) -> Row | None:
    """Return the active item that an earlier scan created for the same finding; the approved one, if there is one."""
    if SCAN_TAG not in item.tags:
        return None
    found: list[Row] = []
    for row in neighbors:
        known = records.to_item(row)
        same = known.title.casefold() == item.title.casefold() and known.type == item.type
        if same and SCAN_TAG in known.tags and known.status != "deprecated":
            found.append(row)
    return min(found, key=lambda row: (row["status"] != "approved", row["id"]), default=None)


async def update_from_scan(task: Task, tx: Tx, row: Row, candidate: Item) -> Row:
    """Replace text, files and evidence by those of the newest scan, keeping additions from other events.

    Text written by a user, before or after the scan, is kept; so is approved text, and the new one is proposed.
    """
    locked = await items.lock_item(tx, task.scope, row["id"])
    assert locked is not None
    known = records.to_item(locked)
    revisions = await history.list_revisions(tx, task.scope, row["id"], None, _MAX_REVISIONS)
    is_edited = any(revision["reason"] in _USER_CHANGES for revision in revisions)
    if is_edited or await _predates_scans(tx, task.scope, row["id"]):
        updated = dataclasses.replace(
            merge(known, candidate), title=known.title, content=known.content, reviewed=known.reviewed
        )
    else:
        sentences, files = _merged_additions(revisions)
        quotes = (*candidate.evidence, *(quote for quote in known.evidence if quote not in candidate.evidence))
        updated = dataclasses.replace(
            known,
            content=append_sentences(candidate.content, [each for each in sentences if each in known.content]),
            files=union(candidate.files, files, MAX_FILES),
            confidence=max(known.confidence, candidate.confidence),
            evidence=tuple(sorted(quotes[:_MAX_QUOTES])),
        )
    if known.status == "approved":
        await propose_edit(task, tx, locked, updated, candidate.evidence)
        updated = dataclasses.replace(updated, content=known.content)
    flags = tuple(flag for flag in updated.flags if flag != "stale")
    updated = dataclasses.replace(updated, id=known.id, status=known.status, flags=flags)
    if await items.change_item(tx, task.scope, locked, updated, reason="rescanned"):
        await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, known.id, updated)
        if known.status == "approved":
            await items.touch_memory(tx, task.scope, task.project_id)
    reloaded = await items.find_item(tx, task.scope, row["id"])
    assert reloaded is not None
    return reloaded


async def _predates_scans(tx: Tx, scope: Scope, item_id: str) -> bool:
    """Return whether the item existed before any scan found it."""
    first = await history.find_revision(tx, scope, item_id, 1)
    return first is not None and SCAN_TAG not in records.from_snapshot("", msgspec.json.decode(first["snapshot"])).tags


def _merged_additions(revisions: Sequence[Row]) -> tuple[list[str], set[str]]:
    """Return sentences and files merged in from other events, oldest first. ``revisions`` are newest first."""
    sentences: dict[str, None] = {}
    files: set[str] = set()
    for before, after in pairwise(reversed(revisions)):
        if after["reason"] == "merged":
            old, new = (records.from_snapshot("", msgspec.json.decode(each["snapshot"])) for each in (before, after))
            existing = set(split_statements(old.content))
            sentences |= dict.fromkeys(each for each in split_statements(new.content) if each not in existing)
            files |= {*new.files} - {*old.files}
    return list(sentences), files
