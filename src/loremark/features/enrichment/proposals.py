"""Edits of approved text by events: the new text waits beside it as a draft until a reviewer decides."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from loremark.features.enrichment.records import flag_item
from loremark.features.enrichment.task import Task
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.features.items.store import queue_embedding
from loremark.memory.extraction.confidence import TOOL_ITEM
from loremark.memory.extraction.facts import cut_quote
from loremark.memory.extraction.operations import SAVED_TAG
from loremark.memory.extraction.scans import SCAN_TAG
from loremark.memory.items import Item, Quote
from loremark.storage.database import Row, Tx
from loremark.wire.events import WebhookEvent

PROPOSED = "proposed"
_WAITS = "An approved item was not changed. The new text is waiting for review."


async def propose_edit(
    task: Task, tx: Tx, row: Row, edited: Item, evidence: Sequence[Quote], *, actor_id: str | None = None
) -> None:
    """Store an approved item's new text as a draft. Approving the draft replaces the item."""
    known = records.to_item(row)
    if _text(edited) == _text(known):
        return
    proposal = flag_item(
        dataclasses.replace(
            edited,
            id="",
            status="draft",
            reviewed=False,
            confidence=min(edited.confidence, TOOL_ITEM),
            tags=tuple(tag for tag in edited.tags if tag != SAVED_TAG),
            flags=(items.CONFLICT,),
            evidence=tuple(evidence),
            merged_from=(),
        )
    )
    task.progress.warn(_WAITS)
    waiting = await items.list_proposals(tx, task.scope, task.project_id, known.id)
    if any(_text(records.to_item(other)) == _text(proposal) for other in waiting):
        return
    outdated = next((other for other in waiting if _are_scans(records.to_item(other), proposal)), None)
    if outdated is not None:
        locked = await items.lock_item(tx, task.scope, outdated["id"])
        assert locked is not None
        await items.change_item(tx, task.scope, locked, dataclasses.replace(proposal, id=locked["id"]), reason=PROPOSED)
        return
    item_id = await items.create_item(
        tx,
        task.scope,
        task.project_id,
        proposal,
        session_id=task.session_id,
        source_ref=task.session_id,
        reason=PROPOSED,
        actor_id=actor_id,
    )
    await queue_embedding(tx, task.scope, task.project_id, item_id)
    await items.add_conflict(tx, task.scope, task.project_id, item_id, known.id, items.PROPOSED_EDIT)
    await items.emit_item_event(tx, task.scope, WebhookEvent.ITEM_CREATED, task.project_id, item_id, proposal)


def quote_changes(changes: Mapping[str, Any], event_id: str) -> tuple[Quote, ...]:
    """Quote the texts of an update as evidence."""
    texts = [changes[name].split("\n")[0] for name in ("title", "content") if name in changes]
    return tuple(Quote(event_id, quote) for text in texts if (quote := cut_quote(text)))


def _text(item: Item) -> tuple[str, ...]:
    return item.title, item.content, item.type, item.schema_key


def _are_scans(waiting: Item, proposal: Item) -> bool:
    """Whether a newer scan proposes another text: the one of the older scan is outdated."""
    return SCAN_TAG in waiting.tags and SCAN_TAG in proposal.tags
