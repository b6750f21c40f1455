"""The assemble phase: stores the findings as an event to enrich, and updates the context tree."""

from __future__ import annotations

import asyncio

import msgspec

from loremark.base.caller import Scope
from loremark.features.contexts import service as contexts
from loremark.features.contexts import store as contexts_store
from loremark.features.enrichment import service as enrichment
from loremark.features.genesis import analysis, files, service, store, synthesis
from loremark.features.genesis.task import Task
from loremark.features.history import store as history
from loremark.features.ingest.payload import CapturedEvent, SentEvent, build_event
from loremark.features.ingest.service import store_internal_event
from loremark.features.sessions import store as sessions
from loremark.memory.codebase.payloads import populate_nodes, scan_payload
from loremark.memory.codebase.records import Codebase, Node
from loremark.storage.database import Row, Tx
from loremark.wire.contexts import PopulateNode
from loremark.wire.events import IngestEvent

PHASE = "assemble"
SOURCE = "genesis"
SCANNED = "scanned"
"""Reason stored with revisions written by a scan."""
_MAX_REVISIONS = 50
_TEXT_FIELDS = ("name", "description", "content")


async def assemble(task: Task) -> None:
    """Store the event, enqueue its enrichment, update the contexts and complete the scan in one commit."""
    codebase, study = await synthesis.study_codebase(task)
    event = await _event(task, codebase)
    async with task.finish(PHASE) as tx:
        incomplete = await analysis.describe_unread(task, tx)
        await _store_event(task, tx, event)
        if incomplete is None or task.scan["base_scan_id"] is None:  # else an earlier scan knew more
            await _populate(task, tx, study.nodes)
        if not task.scan["cancel_requested"]:
            await service.end(tx, task.scope, task.scan, "complete", incomplete)


async def _event(task: Task, codebase: Codebase) -> CapturedEvent:
    """Build the event in a thread, because it may list thousands of files."""
    async with task.deps.database.read() as tx:
        rows = await store.list_findings(tx, task.scope, task.scan_id)
        hashes = await files.list_blobs(tx, task.scope, task.scan_id)
        deleted = await _deleted(task, tx, codebase)

    def build() -> CapturedEvent:
        payload = scan_payload(
            name=codebase.name,
            commit=task.scan["commit_sha"],
            files=codebase.files,
            hashes=hashes,
            deleted=deleted,
            findings=[store.to_finding(row) for row in rows if row["origin"] != synthesis.NOTES],
        )
        sent = SentEvent(IngestEvent.SCAN_RESULT, {**payload, "scanId": task.scan_id})
        return build_event(sent, task.project_id, task.scope, SOURCE)

    return await asyncio.to_thread(build)


async def _deleted(task: Task, tx: Tx, codebase: Codebase) -> list[str]:
    """List files read by the last complete scan that no longer exist."""
    before = task.scan["base_scan_id"]
    if before is None:
        return []
    existing = set(codebase.paths)
    return sorted(path for path in await files.list_blobs(tx, task.scope, before) if path not in existing)


async def _store_event(task: Task, tx: Tx, event: CapturedEvent) -> None:
    session_id = await store_internal_event(tx, event)
    session = await sessions.find_session(tx, task.scope, session_id)
    assert session is not None
    await enrichment.start_internal(tx, task.scope, session)


async def _populate(task: Task, tx: Tx, nodes: tuple[Node, ...]) -> None:
    """Update the contexts, except those edited by users."""
    nodes_to_apply = [msgspec.convert(node, PopulateNode) for node in populate_nodes(nodes)]
    rows = await contexts_store.lock_by_keys(
        tx, task.scope, task.project_id, [node.schema_key for node in nodes_to_apply]
    )
    by_key = {node.schema_key: node for node in nodes_to_apply}
    changing = [row for row in rows if _would_change(row, by_key[row["schema_key"]])]
    edited = {row["schema_key"] for row in changing if not await _is_unedited(tx, task.scope, row)}
    unedited = [node for node in nodes_to_apply if node.schema_key not in edited]
    if edited:
        task.note(f"Contexts left unchanged because users edited them: {len(edited)}.")
    proposed = await contexts.propose_nodes(
        tx, task.scope, task.project_id, unedited, actor_id=None, source=f"scan {task.scan_id}"
    )
    if proposed:
        task.note(f"Approved contexts left unchanged; their new text is waiting for review: {len(proposed)}.")
    unapproved = [node for node in unedited if node.schema_key not in proposed]
    if unapproved:
        await contexts.apply_nodes(tx, task.scope, task.project_id, unapproved, reason=SCANNED, actor_id=None)


def _would_change(row: Row, node: PopulateNode) -> bool:
    return any(getattr(node, name) != row[name] for name in (*_TEXT_FIELDS, "tier"))


async def _is_unedited(tx: Tx, scope: Scope, row: Row) -> bool:
    """Return whether the text is still as a scan wrote it. Approval does not count as an edit."""
    if row["state"] == "deprecated":
        return False
    for revision in await history.list_revisions(tx, scope, row["id"], None, _MAX_REVISIONS):
        if revision["reason"] == SCANNED:
            written = msgspec.json.decode(revision["snapshot"])
            return all(written.get(name) == row[name] for name in _TEXT_FIELDS)
    return False
