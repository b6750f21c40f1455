"""Validation of parent links: no cycles, and no deeper than a response may be nested."""

from __future__ import annotations

from loremark.base import errors, limits
from loremark.base.caller import Scope
from loremark.features.contexts import store
from loremark.features.history.memory_version import lock_memory
from loremark.storage.database import Row, Tx


async def lock_tree(tx: Tx, scope: Scope) -> None:
    """Block other moves of the team's contexts and changes to team-wide ones until the transaction ends.

    Take this lock before any other: a project's contexts can have team-wide parents, which others may move.
    """
    await lock_memory(tx, scope, None)


async def lock_parent(tx: Tx, scope: Scope, parent_id: str, levels: int = 1) -> None:
    """Lock the parent so that it outlives the transaction, and check that ``levels`` fit below it."""
    if await store.lock_context(tx, scope, parent_id) is None:
        raise errors.CONTEXT_NOT_FOUND()
    ancestor_id: str | None = parent_id
    while ancestor_id is not None:
        node = await store.find_node(tx, scope, ancestor_id)
        ancestor_id = node["parent_id"] if node is not None else None
        levels += 1
        if levels > limits.CONTEXT_LEVELS:
            raise errors.invalid(f"parentContextId would make the tree deeper than {limits.CONTEXT_LEVELS} levels")


async def validate_parent(tx: Tx, scope: Scope, context: Row, parent: Row) -> None:
    """Reject a parent that would create a cycle, exceed the depth limit or belong to another project."""
    if parent["project_id"] not in (None, context["project_id"]):
        raise errors.invalid("parentContextId must belong to the same project or be team-wide")
    levels, is_below = await store.measure_subtree(tx, scope, context["id"], parent["id"])
    if is_below:
        raise errors.invalid("parentContextId must not be the context itself or one of its descendants")
    await lock_parent(tx, scope, parent["id"], levels)
