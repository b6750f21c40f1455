"""Creating and changing contexts. Every change creates a new version with a revision that can be restored.

Nothing here checks access rights; user requests go through ``editing``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, structs

from loremark.base import ids, limits
from loremark.base.caller import Scope
from loremark.features.contexts import store
from loremark.features.contexts.populate_plan import PopulatePlan, build_plan
from loremark.features.history import store as history
from loremark.features.history.memory_version import lock_memory, touch_memory
from loremark.features.history.tokens import count_tokens
from loremark.jobs.notices import notify_changed
from loremark.memory import schema_keys
from loremark.memory.compaction import compact
from loremark.memory.extraction.results import ContextUpdate
from loremark.storage.database import Row, Tx
from loremark.wire.contexts import ContextType, PopulateDiffEntry, PopulateNode

_SNAPSHOT_COLUMNS = {
    "name": "name",
    "description": "description",
    "content": "content",
    "schemaKey": "schema_key",
    "state": "state",
    "tier": "tier",
    "contextType": "context_type",
}
"""Snapshot fields and their columns. The parent is not included, so a revert does not move a context."""
PROPOSED = "proposed"
"""Reason of a revision with the text that an event proposes for an approved context. ``source`` is its session."""
_KEPT = "kept"
_MAX_WAITING = 20
_TYPES: dict[str, ContextType] = {"system": "system", "reference": "reference", "memory": "memory"}
_NODE_FIELDS = ("name", "description", "content", "context_type", "tier")
_JSON_NAMES = {field.name: field.encode_name for field in structs.fields(PopulateNode)}
_DEFAULTS: dict[str, Any] = {"description": "", "content": "", "state": "draft", "tier": 2, "context_type": "memory"}


async def add_context(
    tx: Tx,
    scope: Scope,
    *,
    project_id: str | None,
    fields: Mapping[str, Any],
    reason: str,
    actor_id: str | None,
) -> str | None:
    """Create a context and return its id, or None if its schema key is taken.

    ``fields`` are columns: name, schema_key and parent_id are required, the others have defaults.
    """
    columns = _columns(ids.new("ctx"), project_id, fields)
    if not await store.insert_context(tx, scope, columns):
        return None
    await _record(tx, scope, columns, project_id, 1, reason, actor_id)
    notify_changed(tx, scope, "contexts", project_id)
    return str(columns["id"])


def _columns(context_id: str, project_id: str | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a new context."""
    columns = {**_DEFAULTS, **fields, "id": context_id, "project_id": project_id}
    return {**columns, "token_count": count_tokens(columns["content"])}


def _snapshot(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {name: columns[column] for name, column in _SNAPSHOT_COLUMNS.items()}


async def change_context(
    tx: Tx, scope: Scope, row: Row, changes: Mapping[str, Any], *, reason: str, actor_id: str | None
) -> bool:
    """Write a new version and return whether anything changed. The caller has locked ``row``."""
    differing = {name: value for name, value in changes.items() if row[name] != value}
    if not differing:
        return False
    if "content" in differing:
        differing["token_count"] = count_tokens(differing["content"])
    version = row["version"] + 1
    await store.update_context(tx, scope, row, {**differing, "version": version})
    after = {name: differing.get(name, row[name]) for name in ("id", *_SNAPSHOT_COLUMNS.values())}
    await _record(tx, scope, after, row["project_id"], version, reason, actor_id)
    notify_changed(tx, scope, "contexts", row["project_id"])
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
        record_kind="context",
        record_id=columns["id"],
        project_id=project_id,
        version=version,
        snapshot=_snapshot(columns),
        reason=reason,
        actor_id=actor_id,
    )


async def find_parent_by_key(tx: Tx, scope: Scope, project_id: str | None, schema_key: str) -> Row | None:
    """Return the context at the parent key: the project's, or else the team-wide one."""
    parent_key = schema_keys.parent(schema_key)
    if parent_key is None:
        return None
    own = await store.find_by_key(tx, scope, project_id, parent_key)
    return own if own is not None or project_id is None else await store.find_by_key(tx, scope, None, parent_key)


async def apply_nodes(
    tx: Tx,
    scope: Scope,
    project_id: str | None,
    nodes: Sequence[PopulateNode],
    *,
    reason: str,
    actor_id: str | None,
    dry_run: bool = False,
) -> list[PopulateDiffEntry]:
    """Create or update these contexts and return what changed, starting with created ancestors."""
    await lock_memory(tx, scope, project_id)
    places = await store.list_nodes(tx, scope, project_id)
    plan = build_plan(nodes, places, store.project_key(project_id), lambda: ids.new("ctx"))
    known = {
        row["schema_key"]: row
        for row in await store.lock_by_keys(tx, scope, project_id, [node.schema_key for node in nodes])
    }
    entries = [PopulateDiffEntry(schema_key=key, change="created", fields=[]) for key in plan.ancestors]
    entries += [_entry(node, known.get(node.schema_key), plan) for node in nodes]
    if dry_run:
        return entries
    await _create_new(tx, scope, project_id, nodes, plan, reason, actor_id)
    affects_brain = False
    for node, entry in zip(nodes, entries[len(plan.ancestors) :], strict=True):
        row = known.get(node.schema_key)
        if row is not None and entry.change == "updated":
            changes = {**_given(node), "parent_id": plan.parents.get(node.schema_key, row["parent_id"])}
            await change_context(tx, scope, row, changes, reason=reason, actor_id=actor_id)
            affects_brain = affects_brain or row["state"] == "approved"
    if affects_brain:
        await touch_memory(tx, scope, project_id)
    return entries


def _given(node: PopulateNode) -> dict[str, Any]:
    values = {name: getattr(node, name) for name in _NODE_FIELDS if getattr(node, name) is not UNSET}
    if node.tier is not UNSET:
        values["tier"] = int(node.tier)
    return {**values, "name": node.name.strip()}


def _entry(node: PopulateNode, row: Row | None, plan: PopulatePlan) -> PopulateDiffEntry:
    """Return the change to a node and the fields that differ."""
    given = _given(node)
    if row is None:
        fields = [_JSON_NAMES[name] for name in given]
        fields += ["parentSchemaKey"] if node.parent_schema_key is not None else []
        return PopulateDiffEntry(schema_key=node.schema_key, change="created", fields=fields)
    fields = [_JSON_NAMES[name] for name, value in given.items() if row[name] != value]
    moves = plan.parents.get(node.schema_key, row["parent_id"]) != row["parent_id"]
    fields += ["parentSchemaKey"] if moves else []
    return PopulateDiffEntry(schema_key=node.schema_key, change="updated" if fields else "unchanged", fields=fields)


async def _create_new(
    tx: Tx,
    scope: Scope,
    project_id: str | None,
    nodes: Sequence[PopulateNode],
    plan: PopulatePlan,
    reason: str,
    actor_id: str | None,
) -> None:
    """Create all new contexts in bulk, because hundreds of single writes would block other requests."""
    fields = {key: {"name": key.rpartition("/")[2], "context_type": "system"} for key in plan.ancestors}
    fields |= {node.schema_key: _given(node) for node in nodes if node.schema_key in plan.new}
    if not fields:
        return
    new_ids = {**plan.ancestors, **plan.new}
    rows = [
        _columns(new_ids[key], project_id, {**given, "schema_key": key, "parent_id": plan.parents[key]})
        for key, given in fields.items()
    ]
    await store.insert_contexts(tx, scope, rows)
    await history.record_initial(
        tx,
        scope,
        record_kind="context",
        project_id=project_id,
        snapshots={row["id"]: _snapshot(row) for row in rows},
        reason=reason,
        actor_id=actor_id,
    )
    notify_changed(tx, scope, "contexts", project_id)


async def apply_update(
    tx: Tx, scope: Scope, project_id: str, update: ContextUpdate, *, actor_id: str | None = None, source: str = ""
) -> int | None:
    """Apply a tool's context update: replace, append or keep the content.

    Return the version of the revision that waits for a review, if the context is approved and its text would change.
    """
    if not schema_keys.is_valid(update.schema_key) or len(update.schema_key) > limits.SCHEMA_KEY_CHARS:
        return None
    row = await store.find_by_key(tx, scope, project_id, update.schema_key)
    name = update.name.strip()[: limits.CONTEXT_NAME_CHARS].strip()
    node = PopulateNode(
        schema_key=update.schema_key,
        name=name or (row["name"] if row is not None else update.schema_key.rpartition("/")[2]),
        content=UNSET if update.content is None else _updated_content(row, update.content, append=update.append),
        context_type=_TYPES.get(update.context_type or "", UNSET),
        tier=update.tier if update.tier in (1, 2, 3) else UNSET,
    )
    proposed = await propose_nodes(tx, scope, project_id, [node], actor_id=actor_id, source=source)
    if node.schema_key not in proposed:
        await apply_nodes(tx, scope, project_id, [node], reason="enriched", actor_id=actor_id)
    return proposed.get(node.schema_key)


async def propose_nodes(
    tx: Tx,
    scope: Scope,
    project_id: str,
    nodes: Sequence[PopulateNode],
    *,
    actor_id: str | None,
    source: str,
) -> dict[str, int]:
    """Record the new text of approved contexts as revisions that wait for a review; the contexts stay as they are.

    Return the versions by schema key, of all nodes whose context is approved and would change.
    """
    await lock_memory(tx, scope, project_id)
    found: dict[str, int] = {}
    by_key = {node.schema_key: node for node in nodes}
    for row in await store.lock_by_keys(tx, scope, project_id, list(by_key)):
        changes = _given(by_key[row["schema_key"]])
        if row["state"] == "approved" and any(row[name] != value for name, value in changes.items()):
            found[row["schema_key"]] = await _propose(tx, scope, row, changes, actor_id, source)
    return found


async def _propose(
    tx: Tx, scope: Scope, row: Row, changes: Mapping[str, Any], actor_id: str | None, source: str
) -> int:
    """Record the proposed state and, as the current version, the unchanged one. Return the proposed version.

    A proposal that is waiting already is not repeated.
    """
    after = {name: changes.get(name, row[name]) for name in ("id", *_SNAPSHOT_COLUMNS.values())}
    proposed = _snapshot(after)
    for revision in await history.list_revisions(tx, scope, row["id"], None, _MAX_WAITING):
        if revision["reason"] == PROPOSED:
            written = msgspec.json.decode(revision["snapshot"])
            if all(written[name] == value for name, value in proposed.items()):
                return int(revision["version"])
        elif revision["reason"] != _KEPT:
            break
    version = int(row["version"]) + 1
    for number, snapshot, reason, author in (
        (version, {**proposed, "source": source}, PROPOSED, actor_id),
        (version + 1, _snapshot({name: row[name] for name in _SNAPSHOT_COLUMNS.values()}), _KEPT, None),
    ):
        await history.record(
            tx,
            scope,
            record_kind="context",
            record_id=row["id"],
            project_id=row["project_id"],
            version=number,
            snapshot=snapshot,
            reason=reason,
            actor_id=author,
        )
    await store.update_context(tx, scope, row, {"version": version + 1})
    notify_changed(tx, scope, "contexts", row["project_id"])
    await touch_memory(tx, scope, row["project_id"])
    return version


def _updated_content(row: Row | None, update: str, *, append: bool) -> str:
    text = _append(row["content"], update) if append and row is not None else update
    return text[-limits.CONTENT_CHARS :]


def _append(content: str, more: str) -> str:
    """Append a text, compacting the result if it exceeds the size limit."""
    joined = f"{content.rstrip()}\n\n{more.strip()}\n" if content.strip() else more
    return joined if len(joined) <= limits.CONTENT_CHARS else compact(joined).content
