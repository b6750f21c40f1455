"""Context operations available to users: create, edit, approve, compact, delete, populate and revert."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from loremark.base import clock, errors, ids, limits
from loremark.base.caller import Caller
from loremark.base.redaction.written import redact_structs
from loremark.features.audit import store as audit
from loremark.features.contexts import hierarchy, store
from loremark.features.contexts.key_generation import generate_key
from loremark.features.contexts.service import add_context, apply_nodes, change_context, find_parent_by_key
from loremark.features.history import store as history
from loremark.features.history.memory_version import lock_memory, touch_memory
from loremark.features.history.tokens import count_tokens
from loremark.features.projects.access import Access, get_project
from loremark.jobs.notices import notify_changed
from loremark.memory import schema_keys, states
from loremark.memory.compaction import compact
from loremark.storage.database import Row, Tx
from loremark.wire.contexts import (
    CompactionResult,
    ContextAction,
    ContextDetail,
    ContextEntry,
    ContextNode,
    ContextUpdate,
    NewContext,
    PopulateRequest,
    PopulateResult,
)

Written = TypeVar("Written", NewContext, ContextUpdate)

_TEXTS = ("name", "description", "content")
_STATE_AFTER = {"approve": "approved", "deprecate": "deprecated"}
_REVERTED = {
    "name": "name",
    "description": "description",
    "content": "content",
    "tier": "tier",
    "contextType": "context_type",
}


def entry_shape(row: Row) -> ContextEntry:
    return ContextEntry(
        id=row["id"],
        name=row["name"],
        description=row["description"],
        schema_key=row["schema_key"],
        parent_context_id=row["parent_id"],
        state=row["state"],
        tier=row["tier"],
        context_type=row["context_type"],
        created_at=clock.iso(row["created_at_ms"]),
        updated_at=clock.iso(row["updated_at_ms"]),
    )


def detail_shape(row: Row) -> ContextDetail:
    return ContextDetail(**msgspec.structs.asdict(entry_shape(row)), content=row["content"])


def tree_shape(rows: Sequence[Row]) -> list[ContextNode]:
    """Build the tree. A context whose parent is not among the rows becomes a root."""
    nodes = {
        row["id"]: ContextNode(id=row["id"], name=row["name"], schema_key=row["schema_key"], children=[])
        for row in rows
    }
    top: list[ContextNode] = []
    for row in rows:
        parent = nodes.get(row["parent_id"])
        (top if parent is None else parent.children).append(nodes[row["id"]])
    return top


async def require_access(tx: Tx, caller: Caller, project_id: str | None, access: Access) -> None:
    """Check access: everyone reads team-wide contexts, owners and admins write them; otherwise the project decides."""
    if project_id is not None:
        await get_project(tx, caller, project_id, access)
    elif access > Access.READ and not caller.manages:
        raise errors.FORBIDDEN()


async def get_context(tx: Tx, caller: Caller, context_id: str, access: Access) -> Row:
    """Return the context if the caller has the requested right, locked for update unless it is only read."""
    context = await store.find_context(tx, caller.scope, context_id)
    if context is None:
        raise errors.CONTEXT_NOT_FOUND()
    try:
        await require_access(tx, caller, context["project_id"], access)
    except errors.Refusal as refusal:
        raise errors.CONTEXT_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    if access is Access.READ:
        return context
    await lock_memory(tx, caller.scope, context["project_id"])
    locked = await store.lock_context(tx, caller.scope, context_id)
    if locked is None:
        raise errors.CONTEXT_NOT_FOUND()
    return locked


async def without_secrets(request: Written) -> Written:
    """Remove secrets from the texts, which can take seconds, so not in a transaction."""
    return (await redact_structs([request], *_TEXTS))[0]


async def nodes_without_secrets(request: PopulateRequest) -> PopulateRequest:
    """Like ``without_secrets``."""
    return msgspec.structs.replace(request, nodes=await redact_structs(request.nodes, *_TEXTS))


async def create_context(tx: Tx, caller: Caller, request: NewContext) -> Row:
    """Create a draft context from texts without secrets.

    Project and key default to the parent's project, and the parent's key plus the name.
    """
    parent = None
    if request.parent_context_id is not None:
        parent = await get_context(tx, caller, request.parent_context_id, Access.READ)
    project_id = request.project_id or (parent["project_id"] if parent is not None else None)
    await require_access(tx, caller, project_id, Access.WRITE)
    if parent is not None and parent["project_id"] not in (None, project_id):
        raise errors.invalid("parentContextId must belong to the same project or be team-wide")
    await lock_memory(tx, caller.scope, project_id)
    parent_key = parent["schema_key"] if parent is not None else None
    key = request.schema_key or await generate_key(tx, caller.scope, project_id, parent_key, request.name)
    if not schema_keys.is_valid(key) or len(key) > limits.SCHEMA_KEY_CHARS:
        raise errors.invalid(f"schemaKey must have at most {schema_keys.MAX_DEPTH} segments")
    if parent is None:
        parent = await find_parent_by_key(tx, caller.scope, project_id, key)
    if parent is not None:
        await hierarchy.lock_parent(tx, caller.scope, parent["id"])
    context_id = await add_context(
        tx,
        caller.scope,
        project_id=project_id,
        fields={
            "name": request.name.strip(),
            "description": request.description,
            "content": request.content,
            "schema_key": key,
            "parent_id": parent["id"] if parent is not None else None,
            "tier": int(request.tier),
            "context_type": request.context_type,
        },
        reason="created",
        actor_id=caller.user_id,
    )
    if context_id is None:
        raise errors.SCHEMA_KEY_TAKEN()
    return await get_context(tx, caller, context_id, Access.READ)


async def update_context(tx: Tx, caller: Caller, row: Row, change: ContextUpdate) -> None:
    """Apply the given fields, without secrets; the state does not change.

    To change the parent, the caller must lock the tree first.
    """
    given = {name: getattr(change, name) for name in _TEXTS}
    changes: dict[str, Any] = {name: value or "" for name, value in given.items() if value is not UNSET}
    if "name" in changes:
        changes["name"] = changes["name"].strip()
    reason = "edited" if any(row[name] != value for name, value in changes.items()) else "moved"
    if change.parent_context_id is not UNSET and change.parent_context_id != row["parent_id"]:
        changes["parent_id"] = change.parent_context_id
        await _validate_parent(tx, caller, row, change.parent_context_id)
    changed = await change_context(tx, caller.scope, row, changes, reason=reason, actor_id=caller.user_id)
    if changed and row["state"] == "approved":
        await touch_memory(tx, caller.scope, row["project_id"])


async def _validate_parent(tx: Tx, caller: Caller, row: Row, parent_id: str | None) -> None:
    if parent_id is not None:
        parent = await get_context(tx, caller, parent_id, Access.READ)
        await hierarchy.validate_parent(tx, caller.scope, row, parent)


async def apply_action(tx: Tx, caller: Caller, row: Row, action: ContextAction) -> None:
    """Approve or deprecate a context."""
    after = _STATE_AFTER[action]
    if not states.CONTEXT.allows(row["state"], after):
        return  # already in that state; all other transitions are allowed
    await change_context(tx, caller.scope, row, {"state": after}, reason=after, actor_id=caller.user_id)
    if "approved" in (row["state"], after):
        await touch_memory(tx, caller.scope, row["project_id"])


async def compact_context(tx: Tx, caller: Caller, row: Row) -> CompactionResult:
    """Summarize all entries into one. The full text stays in the history."""
    shorter = compact(row["content"])
    changes = {"content": shorter.content}
    changed = await change_context(tx, caller.scope, row, changes, reason="compacted", actor_id=caller.user_id)
    if changed and row["state"] == "approved":
        await touch_memory(tx, caller.scope, row["project_id"])
    return CompactionResult(
        id=row["id"],
        entries_before=shorter.entries_before,
        entries_after=shorter.entries_after,
        tokens_saved=max(0, count_tokens(row["content"]) - count_tokens(shorter.content)),
    )


async def delete_context(tx: Tx, caller: Caller, row: Row) -> None:
    """Permanently delete a context and its history. Its children move up to its parent."""
    await store.delete_context(tx, caller.scope, row)
    await history.delete_revisions(tx, caller.scope, row["id"])
    await audit.record(
        tx, caller, "context.deleted", row["id"], project_id=row["project_id"], schemaKey=row["schema_key"]
    )
    notify_changed(tx, caller.scope, "contexts", row["project_id"])
    if row["state"] == "approved":
        await touch_memory(tx, caller.scope, row["project_id"])


async def revert_context(tx: Tx, caller: Caller, row: Row, version: int) -> None:
    """Restore the text of an earlier version as a new version. State and parent do not change."""
    revision = await history.find_revision(tx, caller.scope, row["id"], version)
    if revision is None:
        raise errors.REVISION_NOT_FOUND()
    snapshot = msgspec.json.decode(revision["snapshot"])
    changes = {column: snapshot[name] for name, column in _REVERTED.items()}
    changed = await change_context(tx, caller.scope, row, changes, reason="reverted", actor_id=caller.user_id)
    if changed and row["state"] == "approved":
        await touch_memory(tx, caller.scope, row["project_id"])


async def populate(tx: Tx, caller: Caller, request: PopulateRequest) -> PopulateResult:
    """Create or update all nodes, without secrets, in one transaction. A dry run only returns the diff."""
    await require_access(tx, caller, request.project_id, Access.WRITE)
    diff = await apply_nodes(
        tx,
        caller.scope,
        request.project_id,
        request.nodes,
        reason="populated",
        actor_id=caller.user_id,
        dry_run=request.dry_run,
    )
    run_id = ids.new("run")
    count = {change: sum(entry.change == change for entry in diff) for change in ("created", "updated", "unchanged")}
    if not request.dry_run and count["created"] + count["updated"]:
        detail = {"source": request.source, "created": count["created"], "updated": count["updated"]}
        await audit.record(tx, caller, "contexts.populated", run_id, project_id=request.project_id, **detail)
    return PopulateResult(
        run_id=run_id,
        dry_run=request.dry_run,
        created=count["created"],
        updated=count["updated"],
        unchanged=count["unchanged"],
        errors=[],
        diff=diff,
    )
