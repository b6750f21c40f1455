"""Turns what a model said about a session into items. It saw the nearest items, so it is not second-guessed."""

from __future__ import annotations

import dataclasses

from loremark.features.enrichment import store, vectors
from loremark.features.enrichment.records import ItemCandidate, Reading, flag_item, text_hash
from loremark.features.enrichment.supersession import supersede
from loremark.features.enrichment.task import Task
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.features.items.store import find_by_hash
from loremark.features.reading import store as readings
from loremark.memory.items import Item
from loremark.memory.merging import MAX_EVIDENCE
from loremark.memory.reading.keep_rate import confidence
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

CONFIRMED = "confirmed"
_REREAD = "read again"


async def resolve(task: Task, tx: Tx, row: Row, found: ItemCandidate, reading: Reading) -> None:
    """Create the item, or confirm the one that already says it; mark what it supersedes."""
    target = await _find_current(task, tx, reading.known_id) if reading.known_id else None
    same = target if reading.verdict == "repeats" else await _find_identical(task, tx, found.item)
    if same is not None:
        await _confirm(task, tx, same, found.item)
        task.progress.items_merged += 1
        await store.set_outcome(tx, task.scope, task.job_id, row["position"], CONFIRMED, same["id"])
        return
    approved, rejected = await readings.count_reviewed(
        tx, task.scope, task.project_id, reading.model, reading.prompt_version
    )
    sure = confidence(approved, rejected, reading.sureness, is_claimed=task.reading is not None)
    item = flag_item(dataclasses.replace(found.item, confidence=sure))
    item_id = await items.create_item(
        tx,
        task.scope,
        task.project_id,
        item,
        session_id=task.session_id,
        source_ref=task.session_id,
        reason="created",
    )
    await vectors.upsert_vector(
        tx,
        task.scope,
        task.project_id,
        item_id,
        model=task.deps.embedder.name,
        text_hash=text_hash(records.item_text(item)),
        vector=row["vector"],
    )
    await readings.add_items(
        tx, task.scope, task.project_id, task.session_id, [item_id], reading.model, reading.prompt_version
    )
    if target is not None:
        await supersede(task, tx, target, item_id)
    task.progress.items_extracted += 1
    await store.set_outcome(tx, task.scope, task.job_id, row["position"], "created", item_id)


async def _find_current(task: Task, tx: Tx, item_id: str) -> Row | None:
    """Return the item that the model named, or the one that has taken its place since."""
    seen: set[str] = set()
    row = await items.find_item(tx, task.scope, item_id)
    while row is not None and row["superseded_by"] and row["id"] not in seen:
        seen.add(row["id"])
        row = await items.find_item(tx, task.scope, row["superseded_by"])
    return row if row is not None and row["project_id"] == task.project_id else None


async def _find_identical(task: Task, tx: Tx, item: Item) -> Row | None:
    """Return a current item with the same words: the session was read twice, or two sessions say the same."""
    row = await find_by_hash(tx, task.scope, task.project_id, records.content_hash(item))
    return row if row is not None and row["superseded_by"] is None and row["status"] != "deprecated" else None


async def _confirm(task: Task, tx: Tx, row: Row, candidate: Item) -> None:
    """Add the evidence. The words stay as they are: a person may have approved them."""
    locked = await items.lock_item(tx, task.scope, row["id"])
    if locked is None:
        return
    known = records.to_item(locked)
    evidence = tuple(dict.fromkeys((*known.evidence, *candidate.evidence)))[:MAX_EVIDENCE]
    flags = tuple(flag for flag in known.flags if flag != "stale")
    confirmed = dataclasses.replace(known, evidence=evidence, flags=flags)
    if await items.change_item(tx, task.scope, locked, confirmed, reason="merged"):
        await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_UPDATED, task.project_id, known.id, confirmed)
        if known.status == "approved":
            await items.touch_memory(tx, task.scope, task.project_id)


async def retire_rule_drafts(task: Task, tx: Tx, reading: Row) -> None:
    """Withdraw what the rules made of the same events before, unless somebody has edited or reviewed it."""
    for item_id in await readings.list_rule_drafts(tx, task.scope, task.project_id, task.session_id):
        row = await items.lock_item(tx, task.scope, item_id)
        if row is None or row["status"] != "draft" or items.CONFLICT in records.to_item(row).flags:
            continue
        item = records.to_item(row)
        if not all(reading["from_event"] <= one.event_id <= reading["up_to_event"] for one in item.evidence):
            continue
        retired = dataclasses.replace(item, status="deprecated")
        if await items.change_item(tx, task.scope, row, retired, reason=_REREAD):
            await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_DEPRECATED, task.project_id, item_id, retired)
