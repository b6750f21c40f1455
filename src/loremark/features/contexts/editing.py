"""What people do with contexts: make, change, decide on, compact, delete, fill in many, go back to earlier texts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from loremark.base import clock, errors, ids, limits
from loremark.base.caller import Caller
from loremark.features.audit import store as audit
from loremark.features.contexts import moving, store
from loremark.features.contexts.naming import new_key
from loremark.features.contexts.service import apply_nodes, change_context, create_context, find_above
from loremark.features.history import store as history
from loremark.features.history.memory import lock_memory, touch_memory
from loremark.features.history.tokens import count_tokens
from loremark.features.projects.access import Right, get_project
from loremark.jobs.notices import tell_changed
from loremark.memory import schema_keys, states
from loremark.memory.compaction import compact
from loremark.storage.database import Row, Tx
from loremark.wire.contexts import (
    Compacted,
    ContextAction,
    ContextChange,
    ContextDetail,
    ContextEntry,
    ContextNode,
    NewContext,
    Populated,
    Population,
)

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
    """Every context once, below its parent; one whose parent is not among them stands at the top."""
    nodes = {
        row["id"]: ContextNode(id=row["id"], name=row["name"], schema_key=row["schema_key"], children=[])
        for row in rows
    }
    top: list[ContextNode] = []
    for row in rows:
        above = nodes.get(row["parent_id"])
        (top if above is None else above.children).append(nodes[row["id"]])
    return top


async def require_right(tx: Tx, caller: Caller, project_id: str | None, wanted: Right) -> None:
    """What is for the whole team everybody reads and its owner and admins write; the rest is the project's."""
    if project_id is not None:
        await get_project(tx, caller, project_id, wanted)
    elif wanted > Right.READ and not caller.manages:
        raise errors.FORBIDDEN()


async def get_context(tx: Tx, caller: Caller, context_id: str, wanted: Right) -> Row:
    """The context, if the caller may see it; one that is wanted for a change is held."""
    context = await store.find_context(tx, caller.scope, context_id)
    if context is None:
        raise errors.CONTEXT_NOT_FOUND()
    try:
        await require_right(tx, caller, context["project_id"], wanted)
    except errors.Refusal as refusal:
        raise errors.CONTEXT_NOT_FOUND() if refusal.kind is errors.PROJECT_NOT_FOUND else refusal from None
    if wanted is Right.READ:
        return context
    await lock_memory(tx, caller.scope, context["project_id"])
    held = await store.hold_context(tx, caller.scope, context_id)
    if held is None:
        raise errors.CONTEXT_NOT_FOUND()
    return held


async def make_context(tx: Tx, caller: Caller, wanted: NewContext) -> Row:
    """A new context, a draft. Left out: its project is its parent's, its key is its parent's and its name."""
    parent = None
    if wanted.parent_context_id is not None:
        parent = await get_context(tx, caller, wanted.parent_context_id, Right.READ)
    project_id = wanted.project_id or (parent["project_id"] if parent is not None else None)
    await require_right(tx, caller, project_id, Right.WRITE)
    if parent is not None and parent["project_id"] not in (None, project_id):
        raise errors.invalid("parentContextId must be a context of the same project or of the whole team")
    await lock_memory(tx, caller.scope, project_id)
    above = parent["schema_key"] if parent is not None else None
    key = wanted.schema_key or await new_key(tx, caller.scope, project_id, above, wanted.name)
    if not schema_keys.is_valid(key) or len(key) > limits.SCHEMA_KEY_CHARS:
        raise errors.invalid(f"schemaKey must have at most {schema_keys.MAX_DEPTH} segments")
    if parent is None:
        parent = await find_above(tx, caller.scope, project_id, key)
    if parent is not None:
        await moving.hold_parent(tx, caller.scope, parent["id"])
    made = await create_context(
        tx,
        caller.scope,
        project_id=project_id,
        fields={
            "name": wanted.name.strip(),
            "description": wanted.description,
            "content": wanted.content,
            "schema_key": key,
            "parent_id": parent["id"] if parent is not None else None,
            "tier": int(wanted.tier),
            "context_type": wanted.context_type,
        },
        reason="created",
        actor_id=caller.user_id,
    )
    if made is None:
        raise errors.SCHEMA_KEY_TAKEN()
    return await get_context(tx, caller, made, Right.READ)


async def update_context(tx: Tx, caller: Caller, row: Row, change: ContextChange) -> None:
    """Apply the given fields; the state stays as it is. Whoever gives another parent holds the tree."""
    given = {name: getattr(change, name) for name in ("name", "description", "content")}
    changes = {name: value or "" for name, value in given.items() if value is not UNSET}
    if "name" in changes:
        changes["name"] = changes["name"].strip()
    reason = "edited" if any(row[name] != value for name, value in changes.items()) else "moved"
    if change.parent_context_id is not UNSET and change.parent_context_id != row["parent_id"]:
        changes["parent_id"] = change.parent_context_id
        await _require_place(tx, caller, row, change.parent_context_id)
    changed = await change_context(tx, caller.scope, row, changes, reason=reason, actor_id=caller.user_id)
    if changed and row["state"] == "approved":
        await touch_memory(tx, caller.scope, row["project_id"])


async def _require_place(tx: Tx, caller: Caller, row: Row, parent_id: str | None) -> None:
    if parent_id is not None:
        parent = await get_context(tx, caller, parent_id, Right.READ)
        await moving.require_place(tx, caller.scope, row, parent)


async def decide(tx: Tx, caller: Caller, row: Row, action: ContextAction) -> None:
    """Take a context into the brain, or out of it."""
    after = _STATE_AFTER[action]
    if not states.CONTEXT.allows(row["state"], after):
        return  # it is so already: every other move is allowed
    await change_context(tx, caller.scope, row, {"state": after}, reason=after, actor_id=caller.user_id)
    if "approved" in (row["state"], after):
        await touch_memory(tx, caller.scope, row["project_id"])


async def compact_context(tx: Tx, caller: Caller, row: Row) -> Compacted:
    """Make one entry of all; the longer text stays in the history."""
    shorter = compact(row["content"])
    changes = {"content": shorter.content}
    changed = await change_context(tx, caller.scope, row, changes, reason="compacted", actor_id=caller.user_id)
    if changed and row["state"] == "approved":
        await touch_memory(tx, caller.scope, row["project_id"])
    return Compacted(
        id=row["id"],
        entries_before=shorter.entries_before,
        entries_after=shorter.entries_after,
        tokens_saved=max(0, count_tokens(row["content"]) - count_tokens(shorter.content)),
    )


async def delete_context(tx: Tx, caller: Caller, row: Row) -> None:
    """For ever, with its history; its children move up."""
    await store.delete_context(tx, caller.scope, row)
    await history.delete_revisions(tx, caller.scope, row["id"])
    await audit.record(
        tx, caller, "context.deleted", row["id"], project_id=row["project_id"], schemaKey=row["schema_key"]
    )
    tell_changed(tx, caller.scope, "contexts", row["project_id"])
    if row["state"] == "approved":
        await touch_memory(tx, caller.scope, row["project_id"])


async def revert_context(tx: Tx, caller: Caller, row: Row, version: int) -> None:
    """The texts of an earlier version again, as a new one; its state and its place stay as they are."""
    revision = await history.find_revision(tx, caller.scope, row["id"], version)
    if revision is None:
        raise errors.REVISION_NOT_FOUND()
    snapshot = msgspec.json.decode(revision["snapshot"])
    changes = {column: snapshot[name] for name, column in _REVERTED.items()}
    changed = await change_context(tx, caller.scope, row, changes, reason="reverted", actor_id=caller.user_id)
    if changed and row["state"] == "approved":
        await touch_memory(tx, caller.scope, row["project_id"])


async def populate(tx: Tx, caller: Caller, wanted: Population) -> Populated:
    """All of the nodes or none; a dry run only tells what would become of them."""
    await require_right(tx, caller, wanted.project_id, Right.WRITE)
    diff = await apply_nodes(
        tx,
        caller.scope,
        wanted.project_id,
        wanted.nodes,
        reason="populated",
        actor_id=caller.user_id,
        dry_run=wanted.dry_run,
    )
    run_id = ids.new("run")
    count = {change: sum(entry.change == change for entry in diff) for change in ("created", "updated", "unchanged")}
    if not wanted.dry_run and count["created"] + count["updated"]:
        detail = {"source": wanted.source, "created": count["created"], "updated": count["updated"]}
        await audit.record(tx, caller, "contexts.populated", run_id, project_id=wanted.project_id, **detail)
    return Populated(
        run_id=run_id,
        dry_run=wanted.dry_run,
        created=count["created"],
        updated=count["updated"],
        unchanged=count["unchanged"],
        errors=[],
        diff=diff,
    )
