"""Where a context may hang, so that the tree stays a tree and no deeper than answers may be nested."""

from __future__ import annotations

from loremark.base import errors, limits
from loremark.base.caller import Scope
from loremark.features.contexts import store
from loremark.features.history.memory import lock_memory
from loremark.storage.database import Row, Tx


async def lock_tree(tx: Tx, scope: Scope) -> None:
    """Until the transaction ends, nobody else moves a context of the team, nor changes a team-wide one.

    First of all locks: a branch of a project may hang on the team-wide part, which is somebody else's to move.
    """
    await lock_memory(tx, scope, None)


async def hold_parent(tx: Tx, scope: Scope, parent_id: str, levels: int = 1) -> None:
    """It must still be there when its child is, and so many levels must fit below it."""
    if await store.hold_context(tx, scope, parent_id) is None:
        raise errors.CONTEXT_NOT_FOUND()
    above: str | None = parent_id
    while above is not None:
        place = await store.find_place(tx, scope, above)
        above = place["parent_id"] if place is not None else None
        levels += 1
        if levels > limits.CONTEXT_LEVELS:
            raise errors.invalid(f"parentContextId would make the tree deeper than {limits.CONTEXT_LEVELS} levels")


async def require_place(tx: Tx, scope: Scope, context: Row, parent: Row) -> None:
    """Refuse a parent below which the context, with all that hangs on it, may not stand."""
    if parent["project_id"] not in (None, context["project_id"]):
        raise errors.invalid("parentContextId must be a context of the same project or of the whole team")
    levels, is_below = await store.measure_branch(tx, scope, context["id"], parent["id"])
    if is_below:
        raise errors.invalid("parentContextId must not be the context itself or one below it")
    await hold_parent(tx, scope, parent["id"], levels)
