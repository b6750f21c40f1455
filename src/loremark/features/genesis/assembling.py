"""The last phase: findings go the way of every other event, and the tree of contexts is brought up to date."""

from __future__ import annotations

import asyncio

import msgspec

from loremark.base.caller import Scope
from loremark.features.contexts import service as contexts
from loremark.features.contexts import store as contexts_store
from loremark.features.enrichment import service as enrichment
from loremark.features.genesis import conclusions, files, service, store
from loremark.features.genesis.task import Task
from loremark.features.history import store as history
from loremark.features.ingest.payload import Captured, SentEvent, captured
from loremark.features.ingest.service import keep_own
from loremark.features.sessions import store as sessions
from loremark.memory.codebase.records import Codebase, Node
from loremark.memory.codebase.telling import populate_nodes, scan_payload
from loremark.storage.database import Row, Tx
from loremark.wire.contexts import PopulateNode
from loremark.wire.events import IngestEvent

PHASE = "assemble"
SOURCE = "genesis"
SCANNED = "scanned"
"""The reason of revisions that a scan has written."""
_REVISIONS_LOOKED_AT = 50
_WORDS = ("name", "description", "content")


async def assemble(task: Task) -> None:
    """One commit: the event with its enrichment promised, the contexts, and the end of the scan."""
    codebase, told = await conclusions.look_at_all(task)
    event = await _event(task, codebase)
    async with task.finish(PHASE) as tx:
        await _tell(task, tx, event)
        await _populate(task, tx, told.nodes)
        if not task.scan["cancel_requested"]:
            await service.end(tx, task.scope, task.scan, "complete")


async def _event(task: Task, codebase: Codebase) -> Captured:
    """What the scan has found, as an event. It names thousands of files: nobody waits for it to be put together."""
    async with task.kit.database.read() as tx:
        rows = await store.list_findings(tx, task.scope, task.scan_id)
        hashes = await files.list_blobs(tx, task.scope, task.scan_id)
        deleted = await _deleted(task, tx, codebase)

    def put_together() -> Captured:
        payload = scan_payload(
            name=codebase.name,
            commit=task.scan["commit_sha"],
            files=codebase.files,
            hashes=hashes,
            deleted=deleted,
            findings=[store.to_finding(row) for row in rows if row["origin"] != conclusions.NOTES],
        )
        sent = SentEvent(IngestEvent.SCAN_RESULT, {**payload, "scanId": task.scan_id})
        return captured(sent, task.project_id, task.scope, SOURCE)

    return await asyncio.to_thread(put_together)


async def _deleted(task: Task, tx: Tx, codebase: Codebase) -> list[str]:
    """Files that the last complete scan has read and that are no more."""
    before = task.scan["after_scan_id"]
    if before is None:
        return []
    there = set(codebase.paths)
    return sorted(path for path in await files.list_blobs(tx, task.scope, before) if path not in there)


async def _tell(task: Task, tx: Tx, event: Captured) -> None:
    session_id = await keep_own(tx, event)
    session = await sessions.find_session(tx, task.scope, session_id)
    assert session is not None
    await enrichment.start_own(tx, task.scope, session)


async def _populate(task: Task, tx: Tx, nodes: tuple[Node, ...]) -> None:
    """What people have written in the meantime stays as they wrote it."""
    wanted = [msgspec.convert(node, PopulateNode) for node in populate_nodes(nodes)]
    rows = await contexts_store.hold_by_keys(tx, task.scope, task.project_id, [node.schema_key for node in wanted])
    told = {node.schema_key: node for node in wanted}
    changing = [row for row in rows if _would_change(row, told[row["schema_key"]])]
    theirs = {row["schema_key"] for row in changing if not await _is_ours(tx, task.scope, row)}
    ours = [node for node in wanted if node.schema_key not in theirs]
    if theirs:
        task.note(f"{len(theirs)} contexts that people have edited were left as they are.")
    if ours:
        await contexts.apply_nodes(tx, task.scope, task.project_id, ours, reason=SCANNED, actor_id=None)


def _would_change(row: Row, node: PopulateNode) -> bool:
    return any(getattr(node, name) != row[name] for name in (*_WORDS, "tier"))


async def _is_ours(tx: Tx, scope: Scope, row: Row) -> bool:
    """Whether the context still says what a scan wrote; approving it changes nothing about that."""
    if row["state"] == "deprecated":
        return False
    for revision in await history.list_revisions(tx, scope, row["id"], None, _REVISIONS_LOOKED_AT):
        if revision["reason"] == SCANNED:
            written = msgspec.json.decode(revision["snapshot"])
            return all(written.get(name) == row[name] for name in _WORDS)
    return False
