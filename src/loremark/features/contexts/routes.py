"""/api/contexts."""

from __future__ import annotations

from msgspec import UNSET, Struct

from loremark.base import errors
from loremark.features.contexts import editing, moving, store
from loremark.features.history.shown import RevisionPage, show_revisions
from loremark.features.projects.access import Right, get_project
from loremark.web.call import Call
from loremark.web.etag import refuse_if_changed, show_etag
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes
from loremark.wire.contexts import (
    Compacted,
    ContextChange,
    ContextDecision,
    ContextDetail,
    ContextEntry,
    ContextNode,
    NewContext,
    Populated,
    Population,
)
from loremark.wire.history import Reversion, Revision

routes = Routes("contexts")

_MISSING = (errors.CONTEXT_NOT_FOUND,)
_WRITE = (errors.FORBIDDEN, errors.PROJECT_ARCHIVED)
_CHANGE = (*_MISSING, *_WRITE)


class ContextsQuery(Page, frozen=True, rename="camel"):
    project_id: str | None = None
    parent_id: str | None = None


class TreeQuery(Struct, frozen=True, rename="camel"):
    project_id: str | None = None


@routes.add("GET", "/api/contexts", needs(KEY | LOGIN), name="list", errors=(errors.PROJECT_NOT_FOUND,))
async def list_contexts(call: Call, query: ContextsQuery) -> list[ContextEntry]:
    """Contexts without their texts, newest first: those of the whole team, and of one project or all one may see."""
    if query.project_id is not None:
        await get_project(call.tx, call.caller, query.project_id, Right.READ)
    rows = await store.list_contexts(
        call.tx,
        call.caller,
        project_id=query.project_id,
        parent_id=query.parent_id,
        before=query.cursor,
        take=query.take,
    )
    return cut(call, query, [editing.entry_shape(row) for row in rows], [row["id"] for row in rows])


@routes.add("GET", "/api/contexts/tree", needs(KEY | LOGIN), name="tree", errors=(errors.PROJECT_NOT_FOUND,))
async def show_tree(call: Call, query: TreeQuery) -> list[ContextNode]:
    """The same contexts as a tree, children oldest first."""
    if query.project_id is not None:
        await get_project(call.tx, call.caller, query.project_id, Right.READ)
    return editing.tree_shape(await store.list_tree(call.tx, call.caller, query.project_id))


@routes.add(
    "POST",
    "/api/contexts",
    needs(KEY | LOGIN),
    name="create",
    status=201,
    errors=(*_CHANGE, errors.PROJECT_NOT_FOUND, errors.SCHEMA_KEY_TAKEN),
)
async def create_context(call: Call, body: NewContext) -> ContextDetail:
    """Make a context: a draft, until it is approved."""
    return editing.detail_shape(await editing.make_context(call.tx, call.caller, body))


@routes.add(
    "POST",
    "/api/contexts/populate",
    needs(KEY | LOGIN),
    name="populate",
    errors=(*_WRITE, errors.PROJECT_NOT_FOUND),
)
async def populate(call: Call, body: Population) -> Populated:
    """Make or change many contexts by their schema keys, all or none."""
    return await editing.populate(call.tx, call.caller, body)


@routes.add("GET", "/api/contexts/{id}", needs(KEY | LOGIN), name="get", errors=_MISSING)
async def get_context(call: Call, id: str) -> ContextDetail:
    """One context with its text."""
    context = editing.detail_shape(await editing.get_context(call.tx, call.caller, id, Right.READ))
    show_etag(call, context)
    return context


@routes.add(
    "PATCH",
    "/api/contexts/{id}",
    needs(KEY | LOGIN),
    name="update",
    errors=(*_CHANGE, errors.CHANGED_MEANWHILE),
)
async def update_context(call: Call, id: str, body: ContextChange) -> ContextDetail:
    """Change a context's name or texts, or move it with all below it; its state and its key stay as they are."""
    if body.parent_context_id is not UNSET:
        await moving.lock_tree(call.tx, call.caller.scope)
    row = await editing.get_context(call.tx, call.caller, id, Right.WRITE)
    refuse_if_changed(call, editing.detail_shape(row))
    await editing.update_context(call.tx, call.caller, row, body)
    context = editing.detail_shape(await editing.get_context(call.tx, call.caller, id, Right.READ))
    show_etag(call, context)
    return context


@routes.add("DELETE", "/api/contexts/{id}", needs(KEY | LOGIN), name="delete", status=204, errors=_CHANGE)
async def delete_context(call: Call, id: str) -> None:
    """Delete a context for ever; its children move up to its parent."""
    row = await editing.get_context(call.tx, call.caller, id, Right.WRITE)
    await editing.delete_context(call.tx, call.caller, row)


@routes.add("POST", "/api/contexts/{id}/approve", needs(KEY | LOGIN), name="approve", errors=_CHANGE)
async def approve_context(call: Call, id: str, body: ContextDecision) -> ContextDetail:
    """Take a context into the brain, or out of it."""
    row = await editing.get_context(call.tx, call.caller, id, Right.WRITE)
    await editing.decide(call.tx, call.caller, row, body.action)
    return editing.detail_shape(await editing.get_context(call.tx, call.caller, id, Right.READ))


@routes.add("POST", "/api/contexts/{id}/compact", needs(KEY | LOGIN), name="compact", errors=_CHANGE)
async def compact_context(call: Call, id: str) -> Compacted:
    """Make one entry of all the entries of a journal; the longer text stays in the history."""
    row = await editing.get_context(call.tx, call.caller, id, Right.WRITE)
    return await editing.compact_context(call.tx, call.caller, row)


@routes.add("GET", "/api/contexts/{id}/revisions", needs(KEY | LOGIN), name="revisions", errors=_MISSING)
async def list_revisions(call: Call, id: str, query: RevisionPage) -> list[Revision]:
    """Every state a context has had, newest first."""
    await editing.get_context(call.tx, call.caller, id, Right.READ)
    return await show_revisions(call, call.caller.scope, id, query)


@routes.add(
    "POST",
    "/api/contexts/{id}/revert",
    needs(KEY | LOGIN),
    name="revert",
    errors=(*_CHANGE, errors.REVISION_NOT_FOUND),
)
async def revert_context(call: Call, id: str, body: Reversion) -> ContextDetail:
    """Give a context the texts of an earlier version again; its state and place stay."""
    row = await editing.get_context(call.tx, call.caller, id, Right.WRITE)
    await editing.revert_context(call.tx, call.caller, row, int(body.version))
    return editing.detail_shape(await editing.get_context(call.tx, call.caller, id, Right.READ))
