"""Writing contexts: each change is a new version, with a revision that can be gone back to.

Nobody is asked for rights here; people's own calls come through ``editing``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, structs

from loremark.base import ids, limits
from loremark.base.caller import Scope
from loremark.features.contexts import store
from loremark.features.contexts.planning import Plan, make_plan
from loremark.features.history import store as history
from loremark.features.history.memory import lock_memory, touch_memory
from loremark.features.history.tokens import count_tokens
from loremark.jobs.notices import tell_changed
from loremark.memory import schema_keys
from loremark.memory.compaction import compact
from loremark.memory.extraction.results import ContextUpdate
from loremark.storage.database import Row, Tx
from loremark.wire.contexts import ContextType, PopulateEntry, PopulateNode

_KEPT = {
    "name": "name",
    "description": "description",
    "content": "content",
    "schemaKey": "schema_key",
    "state": "state",
    "tier": "tier",
    "contextType": "context_type",
}
"""What a revision holds, and the columns it comes from. The place in the tree is no part: a revert moves nothing."""
_TYPES: dict[str, ContextType] = {"system": "system", "reference": "reference", "memory": "memory"}
_NODE_FIELDS = ("name", "description", "content", "context_type", "tier")
_ON_WIRE = {field.name: field.encode_name for field in structs.fields(PopulateNode)}
_NEW: dict[str, Any] = {"description": "", "content": "", "state": "draft", "tier": 2, "context_type": "memory"}


async def create_context(
    tx: Tx,
    scope: Scope,
    *,
    project_id: str | None,
    fields: Mapping[str, Any],
    reason: str,
    actor_id: str | None,
) -> str | None:
    """A new context; returns its id, or None when its schema key is taken.

    ``fields`` are columns: name, schema_key and parent_id always, others where they are not the usual.
    """
    columns = _columns(ids.new("ctx"), project_id, fields)
    if not await store.insert_context(tx, scope, columns):
        return None
    await _record(tx, scope, columns, project_id, 1, reason, actor_id)
    tell_changed(tx, scope, "contexts", project_id)
    return str(columns["id"])


def _columns(context_id: str, project_id: str | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a new context."""
    columns = {**_NEW, **fields, "id": context_id, "project_id": project_id}
    return {**columns, "token_count": count_tokens(columns["content"])}


def _snapshot(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {name: columns[column] for name, column in _KEPT.items()}


async def change_context(
    tx: Tx, scope: Scope, row: Row, changes: Mapping[str, Any], *, reason: str, actor_id: str | None
) -> bool:
    """Write what differs as the next version; ``row`` was held before. False: nothing does."""
    differing = {name: value for name, value in changes.items() if row[name] != value}
    if not differing:
        return False
    if "content" in differing:
        differing["token_count"] = count_tokens(differing["content"])
    version = row["version"] + 1
    await store.update_context(tx, scope, row, {**differing, "version": version})
    after = {name: differing.get(name, row[name]) for name in ("id", *_KEPT.values())}
    await _record(tx, scope, after, row["project_id"], version, reason, actor_id)
    tell_changed(tx, scope, "contexts", row["project_id"])
    return True


async def _record(
    tx: Tx,
    scope: Scope,
    columns: Mapping[str, Any],
    project_id: str | None,
    version: int,
    reason: str,
    actor_id: str | None,
) -> None:
    await history.record(
        tx,
        scope,
        of_kind="context",
        of_id=columns["id"],
        project_id=project_id,
        version=version,
        snapshot=_snapshot(columns),
        reason=reason,
        actor_id=actor_id,
    )


async def find_above(tx: Tx, scope: Scope, project_id: str | None, schema_key: str) -> Row | None:
    """The context one step up by its key: the project's own, else the team's."""
    above = schema_keys.parent(schema_key)
    if above is None:
        return None
    own = await store.find_by_key(tx, scope, project_id, above)
    return own if own is not None or project_id is None else await store.find_by_key(tx, scope, None, above)


async def apply_nodes(
    tx: Tx,
    scope: Scope,
    project_id: str | None,
    nodes: Sequence[PopulateNode],
    *,
    reason: str,
    actor_id: str | None,
    dry_run: bool = False,
) -> list[PopulateEntry]:
    """Make or change contexts so that all of these are there; what became of each, made ancestors first."""
    await lock_memory(tx, scope, project_id)
    places = await store.list_places(tx, scope, project_id)
    plan = make_plan(nodes, places, store.project_key(project_id), lambda: ids.new("ctx"))
    known = {
        row["schema_key"]: row
        for row in await store.hold_by_keys(tx, scope, project_id, [node.schema_key for node in nodes])
    }
    entries = [PopulateEntry(schema_key=key, change="created", fields=[]) for key in plan.ancestors]
    entries += [_entry(node, known.get(node.schema_key), plan) for node in nodes]
    if dry_run:
        return entries
    await _make(tx, scope, project_id, nodes, plan, reason, actor_id)
    shown = False
    for node, entry in zip(nodes, entries[len(plan.ancestors) :], strict=True):
        row = known.get(node.schema_key)
        if row is not None and entry.change == "updated":
            changes = {**_given(node), "parent_id": plan.parents.get(node.schema_key, row["parent_id"])}
            await change_context(tx, scope, row, changes, reason=reason, actor_id=actor_id)
            shown = shown or row["state"] == "approved"
    if shown:
        await touch_memory(tx, scope, project_id)
    return entries


def _given(node: PopulateNode) -> dict[str, Any]:
    values = {name: getattr(node, name) for name in _NODE_FIELDS if getattr(node, name) is not UNSET}
    if node.tier is not UNSET:
        values["tier"] = int(node.tier)
    return {**values, "name": node.name.strip()}


def _entry(node: PopulateNode, row: Row | None, plan: Plan) -> PopulateEntry:
    """What becomes of a node, and which of its fields say something new."""
    given = _given(node)
    if row is None:
        fields = [_ON_WIRE[name] for name in given]
        fields += ["parentSchemaKey"] if node.parent_schema_key is not None else []
        return PopulateEntry(schema_key=node.schema_key, change="created", fields=fields)
    fields = [_ON_WIRE[name] for name, value in given.items() if row[name] != value]
    moves = plan.parents.get(node.schema_key, row["parent_id"]) != row["parent_id"]
    fields += ["parentSchemaKey"] if moves else []
    return PopulateEntry(schema_key=node.schema_key, change="updated" if fields else "unchanged", fields=fields)


async def _make(
    tx: Tx,
    scope: Scope,
    project_id: str | None,
    nodes: Sequence[PopulateNode],
    plan: Plan,
    reason: str,
    actor_id: str | None,
) -> None:
    """All that are new, at once: hundreds of single writes would hold everybody up."""
    fields = {key: {"name": key.rpartition("/")[2], "context_type": "system"} for key in plan.ancestors}
    fields |= {node.schema_key: _given(node) for node in nodes if node.schema_key in plan.new}
    if not fields:
        return
    made = {**plan.ancestors, **plan.new}
    rows = [
        _columns(made[key], project_id, {**given, "schema_key": key, "parent_id": plan.parents[key]})
        for key, given in fields.items()
    ]
    await store.insert_contexts(tx, scope, rows)
    await history.record_first(
        tx,
        scope,
        of_kind="context",
        project_id=project_id,
        snapshots={row["id"]: _snapshot(row) for row in rows},
        reason=reason,
        actor_id=actor_id,
    )
    tell_changed(tx, scope, "contexts", project_id)


async def take_update(tx: Tx, scope: Scope, project_id: str, update: ContextUpdate) -> bool:
    """What a tool says about a context of the project: its text is set, appended or left. Whether anything changed."""
    if not schema_keys.is_valid(update.schema_key) or len(update.schema_key) > limits.SCHEMA_KEY_CHARS:
        return False
    row = await store.find_by_key(tx, scope, project_id, update.schema_key)
    name = update.name.strip()[: limits.CONTEXT_NAME_CHARS].strip()
    node = PopulateNode(
        schema_key=update.schema_key,
        name=name or (row["name"] if row is not None else update.schema_key.rpartition("/")[2]),
        content=UNSET if update.content is None else _text_after(row, update.content, append=update.append),
        context_type=_TYPES.get(update.context_type or "", UNSET),
        tier=update.tier if update.tier in (1, 2, 3) else UNSET,
    )
    entries = await apply_nodes(tx, scope, project_id, [node], reason="enriched", actor_id=None)
    return entries[-1].change != "unchanged"


def _text_after(row: Row | None, told: str, *, append: bool) -> str:
    text = _appended(row["content"], told) if append and row is not None else told
    return text[-limits.CONTENT_CHARS :]


def _appended(content: str, more: str) -> str:
    """The text with more below it; a journal that grows too long is made short first."""
    joined = f"{content.rstrip()}\n\n{more.strip()}\n" if content.strip() else more
    return joined if len(joined) <= limits.CONTENT_CHARS else compact(joined).content
