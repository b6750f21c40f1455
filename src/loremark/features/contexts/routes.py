"""/api/contexts."""

from __future__ import annotations

from msgspec import UNSET, Struct

from loremark.base import errors
from loremark.features.contexts import editing, hierarchy, store
from loremark.features.history.revision_pages import RevisionPage, list_revision_page
from loremark.features.projects.access import Access, get_project
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.etag import check_if_match, set_etag
from loremark.web.paging import Page, cut
from loremark.web.routes import Routes
from loremark.wire.contexts import (
    CompactionResult,
    ContextDecision,
    ContextDetail,
    ContextEntry,
    ContextNode,
    ContextUpdate,
    NewContext,
    PopulateRequest,
    PopulateResult,
)
from loremark.wire.history import RevertRequest, Revision

routes = Routes("contexts")

_MISSING = (errors.CONTEXT_NOT_FOUND,)
_WRITE = (errors.FORBIDDEN, errors.PROJECT_ARCHIVED)
_CHANGE = (*_MISSING, *_WRITE)


class ContextsQuery(Page, frozen=True, rename="camel"):
    project_id: str | None = None
    parent_id: str | None = None


class TreeQuery(Struct, frozen=True, rename="camel"):
    project_id: str | None = None


@routes.add("GET", "/api/contexts", needs(KEY | LOGIN, "read"), name="list", errors=(errors.PROJECT_NOT_FOUND,))
async def list_contexts(call: Call, query: ContextsQuery) -> list[ContextEntry]:
    """List contexts without content, newest first: team-wide ones plus those of one project or all visible ones."""
    if query.project_id is not None:
        await get_project(call.tx, call.caller, query.project_id, Access.READ)
    rows = await store.list_contexts(
        call.tx,
        call.caller,
        project_id=query.project_id,
        parent_id=query.parent_id,
        before=query.cursor,
        take=query.take,
    )
    return cut(call, query, [editing.entry_shape(row) for row in rows], [row["id"] for row in rows])


@routes.add("GET", "/api/contexts/tree", needs(KEY | LOGIN, "read"), name="tree", errors=(errors.PROJECT_NOT_FOUND,))
async def show_tree(call: Call, query: TreeQuery) -> list[ContextNode]:
    """Get the contexts as a tree, children oldest first."""
    if query.project_id is not None:
        await get_project(call.tx, call.caller, query.project_id, Access.READ)
    return editing.tree_shape(await store.list_tree(call.tx, call.caller, query.project_id))


@routes.add(
    "POST",
    "/api/contexts",
    needs(KEY | LOGIN, "write"),
    name="create",
    status=201,
    errors=(*_CHANGE, errors.PROJECT_NOT_FOUND, errors.SCHEMA_KEY_TAKEN),
    prepare=editing.without_secrets,
)
async def create_context(call: Call, body: NewContext) -> ContextDetail:
    """Create a context. It is a draft until approved."""
    return editing.detail_shape(await editing.create_context(call.tx, call.caller, body))


@routes.add(
    "POST",
    "/api/contexts/populate",
    needs(KEY | LOGIN, "write"),
    name="populate",
    errors=(*_WRITE, errors.PROJECT_NOT_FOUND),
    prepare=editing.nodes_without_secrets,
)
async def populate(call: Call, body: PopulateRequest) -> PopulateResult:
    """Create or update many contexts by schema key, all or nothing."""
    return await editing.populate(call.tx, call.caller, body)


@routes.add("GET", "/api/contexts/{id}", needs(KEY | LOGIN, "read"), name="get", errors=_MISSING)
async def get_context(call: Call, id: str) -> ContextDetail:
    """Get a context with its content."""
    context = editing.detail_shape(await editing.get_context(call.tx, call.caller, id, Access.READ))
    set_etag(call, context)
    return context


@routes.add(
    "PATCH",
    "/api/contexts/{id}",
    needs(KEY | LOGIN, "write"),
    name="update",
    errors=(*_CHANGE, errors.PRECONDITION_FAILED),
    prepare=editing.without_secrets,
)
async def update_context(call: Call, id: str, body: ContextUpdate) -> ContextDetail:
    """Update a context's name, description or content, or move its subtree. State and key do not change."""
    if body.parent_context_id is not UNSET:
        await hierarchy.lock_tree(call.tx, call.caller.scope)
    row = await editing.get_context(call.tx, call.caller, id, Access.WRITE)
    check_if_match(call, editing.detail_shape(row))
    await editing.update_context(call.tx, call.caller, row, body)
    context = editing.detail_shape(await editing.get_context(call.tx, call.caller, id, Access.READ))
    set_etag(call, context)
    return context


@routes.add("DELETE", "/api/contexts/{id}", needs(KEY | LOGIN, "write"), name="delete", status=204, errors=_CHANGE)
async def delete_context(call: Call, id: str) -> None:
    """Permanently delete a context. Its children move up to its parent."""
    row = await editing.get_context(call.tx, call.caller, id, Access.WRITE)
    await editing.delete_context(call.tx, call.caller, row)


@routes.add(
    "POST",
    "/api/contexts/{id}/approve",
    needs(KEY | LOGIN, "write"),
    name="approve",
    errors=(*_CHANGE, errors.PRECONDITION_FAILED),
)
async def approve_context(call: Call, id: str, body: ContextDecision) -> ContextDetail:
    """Approve a context, or deprecate it to hide it from the brain."""
    row = await editing.get_context(call.tx, call.caller, id, Access.WRITE)
    check_if_match(call, editing.detail_shape(row))
    await editing.apply_action(call.tx, call.caller, row, body.action)
    return editing.detail_shape(await editing.get_context(call.tx, call.caller, id, Access.READ))


@routes.add("POST", "/api/contexts/{id}/compact", needs(KEY | LOGIN, "write"), name="compact", errors=_CHANGE)
async def compact_context(call: Call, id: str) -> CompactionResult:
    """Merge a context's entries into one. The full text stays in the history."""
    row = await editing.get_context(call.tx, call.caller, id, Access.WRITE)
    return await editing.compact_context(call.tx, call.caller, row)


@routes.add("GET", "/api/contexts/{id}/revisions", needs(KEY | LOGIN, "read"), name="revisions", errors=_MISSING)
async def list_revisions(call: Call, id: str, query: RevisionPage) -> list[Revision]:
    """List a context's revisions, newest first."""
    await editing.get_context(call.tx, call.caller, id, Access.READ)
    return await list_revision_page(call, call.caller.scope, id, query)


@routes.add(
    "POST",
    "/api/contexts/{id}/revert",
    needs(KEY | LOGIN, "write"),
    name="revert",
    errors=(*_CHANGE, errors.REVISION_NOT_FOUND),
)
async def revert_context(call: Call, id: str, body: RevertRequest) -> ContextDetail:
    """Restore the text of an earlier version. State and parent do not change."""
    row = await editing.get_context(call.tx, call.caller, id, Access.WRITE)
    await editing.revert_context(call.tx, call.caller, row, int(body.version))
    return editing.detail_shape(await editing.get_context(call.tx, call.caller, id, Access.READ))
