"""/api/v2/items."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from loremark.base import errors, limits
from loremark.features.history.revision_pages import RevisionPage, cut_by_size, list_revision_page
from loremark.features.items import editing, listing
from loremark.features.projects.access import Access, get_project
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.etag import check_if_match, set_etag
from loremark.web.paging import Page
from loremark.web.routes import Routes
from loremark.wire.history import RevertRequest, Revision
from loremark.wire.items import FilePath, ItemFlag, ItemStatus, ItemType, ItemUpdate, MemoryItem, SchemaKey
from loremark.wire.shapes import VISIBLE_TEXT

routes = Routes("items")

_MISSING = (errors.ITEM_NOT_FOUND,)
_CHANGE = (*_MISSING, errors.FORBIDDEN, errors.PROJECT_ARCHIVED)


SearchWords = Annotated[str, Meta(min_length=1, max_length=limits.ITEM_WORDS_CHARS, pattern=VISIBLE_TEXT)]
Confidence = Annotated[float, Meta(ge=0, le=1)]


class ItemsQuery(Page, frozen=True, rename="camel"):
    project_id: str | None = None
    type: ItemType | None = None
    schema_key: SchemaKey | None = None
    status: ItemStatus | None = None
    branch: str | None = None
    flag: ItemFlag | None = None
    files: FilePath | None = None
    q: SearchWords | None = None
    min_confidence: Confidence | None = None
    max_confidence: Confidence | None = None
    session_id: str | None = None
    count: bool = False

    @property
    def filters(self) -> dict[str, Any]:
        others = ("limit", "cursor", "project_id", "count")
        given = msgspec.structs.asdict(self)
        return {name: value for name, value in given.items() if name not in others and value is not None}


@routes.add("GET", "/api/v2/items", needs(KEY | LOGIN, "read"), name="list", errors=(errors.PROJECT_NOT_FOUND,))
async def list_items(call: Call, query: ItemsQuery) -> list[MemoryItem]:
    """List items, newest first, of one project or all visible ones. A schema key also matches its descendants."""
    if query.project_id is not None:
        await get_project(call.tx, call.caller, query.project_id, Access.READ)
    item_filter = await listing.build_filter(call.tx, call.caller, query.project_id, query.filters)
    rows = await listing.list_items(call.tx, call.caller, item_filter, before=query.cursor, take=query.take)
    if query.count:
        is_first = query.cursor is None
        total = await listing.count_items(call.tx, call.caller, item_filter, rows, is_first=is_first, take=query.take)
        call.set_header("X-Total-Count", str(total))
    return cut_by_size(call, query, rows, [editing.shape(row) for row in rows], [row["id"] for row in rows])


@routes.add("GET", "/api/v2/items/{id}", needs(KEY | LOGIN, "read"), name="get", errors=_MISSING)
async def get_item(call: Call, id: str) -> MemoryItem:
    """Get an item."""
    item = editing.shape(await editing.get_item(call.tx, call.caller, id, Access.READ))
    set_etag(call, item)
    return item


@routes.add(
    "PATCH",
    "/api/v2/items/{id}",
    needs(KEY | LOGIN, "write", "capture"),
    name="update",
    errors=(*_CHANGE, errors.PRECONDITION_FAILED),
    prepare=editing.without_secrets,
)
async def update_item(call: Call, id: str, body: ItemUpdate) -> MemoryItem:
    """Edit, approve or deprecate an item. With the scope ``capture``, only report that it is outdated."""
    may_write = call.caller.has_scope("write")
    if not may_write and not body.only_deprecates:
        raise errors.FORBIDDEN()
    row = await editing.get_item(call.tx, call.caller, id, Access.WRITE)
    check_if_match(call, editing.shape(row))
    await editing.require_seen_text(call.tx, call.caller, row, body)
    if may_write:
        await editing.update_item(call.tx, call.caller, row, body)
    else:
        await editing.report_outdated(call.tx, call.caller, row)
    item = editing.shape(await editing.get_item(call.tx, call.caller, id, Access.READ))
    set_etag(call, item)
    return item


@routes.add("DELETE", "/api/v2/items/{id}", needs(KEY | LOGIN, "write"), name="delete", status=204, errors=_CHANGE)
async def delete_item(call: Call, id: str) -> None:
    """Permanently delete an item and its history."""
    await editing.delete_item(call.tx, call.caller, await editing.get_item(call.tx, call.caller, id, Access.WRITE))


@routes.add("GET", "/api/v2/items/{id}/revisions", needs(KEY | LOGIN, "read"), name="revisions", errors=_MISSING)
async def list_revisions(call: Call, id: str, query: RevisionPage) -> list[Revision]:
    """List an item's revisions, newest first."""
    await editing.get_item(call.tx, call.caller, id, Access.READ)
    return await list_revision_page(call, call.caller.scope, id, query)


@routes.add(
    "POST",
    "/api/v2/items/{id}/revert",
    needs(KEY | LOGIN, "write"),
    name="revert",
    errors=(*_CHANGE, errors.REVISION_NOT_FOUND),
)
async def revert_item(call: Call, id: str, body: RevertRequest) -> MemoryItem:
    """Restore an earlier version of an item as a new version."""
    row = await editing.get_item(call.tx, call.caller, id, Access.WRITE)
    await editing.revert_item(call.tx, call.caller, row, int(body.version))
    return editing.shape(await editing.get_item(call.tx, call.caller, id, Access.READ))
