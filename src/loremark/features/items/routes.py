"""/api/v2/items."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from loremark.base import errors, limits
from loremark.features.history.shown import RevisionPage, cut_by_size, show_revisions
from loremark.features.items import editing, listing
from loremark.features.projects.access import Right, get_project
from loremark.web.call import Call
from loremark.web.etag import refuse_if_changed, show_etag
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.paging import Page
from loremark.web.routes import Routes
from loremark.wire.history import Reversion, Revision
from loremark.wire.items import FilePath, ItemChange, ItemFlag, ItemStatus, ItemType, MemoryItem, SchemaKey
from loremark.wire.shapes import VISIBLE_TEXT

routes = Routes("items")

_MISSING = (errors.ITEM_NOT_FOUND,)
_CHANGE = (*_MISSING, errors.FORBIDDEN, errors.PROJECT_ARCHIVED)


Words = Annotated[str, Meta(min_length=1, max_length=limits.ITEM_WORDS_CHARS, pattern=VISIBLE_TEXT)]
Confidence = Annotated[float, Meta(ge=0, le=1)]


class ItemsQuery(Page, frozen=True, rename="camel"):
    project_id: str | None = None
    type: ItemType | None = None
    schema_key: SchemaKey | None = None
    status: ItemStatus | None = None
    branch: str | None = None
    flag: ItemFlag | None = None
    files: FilePath | None = None
    q: Words | None = None
    min_confidence: Confidence | None = None
    max_confidence: Confidence | None = None
    session_id: str | None = None
    count: bool = False

    @property
    def filters(self) -> dict[str, Any]:
        others = ("limit", "cursor", "project_id", "count")
        given = msgspec.structs.asdict(self)
        return {name: value for name, value in given.items() if name not in others and value is not None}


@routes.add("GET", "/api/v2/items", needs(KEY | LOGIN), name="list", errors=(errors.PROJECT_NOT_FOUND,))
async def list_items(call: Call, query: ItemsQuery) -> list[MemoryItem]:
    """Items, newest first; of one project or of all the caller may see. A schema key stands for all below it too."""
    if query.project_id is not None:
        await get_project(call.tx, call.caller, query.project_id, Right.READ)
    wanted = await listing.find_wanted(call.tx, call.caller, query.project_id, query.filters)
    rows = await listing.list_items(call.tx, call.caller, wanted, before=query.cursor, take=query.take)
    if query.count:
        is_first = query.cursor is None
        total = await listing.count_items(call.tx, call.caller, wanted, rows, is_first=is_first, take=query.take)
        call.set_header("X-Total-Count", str(total))
    return cut_by_size(call, query, rows, [editing.shape(row) for row in rows], [row["id"] for row in rows])


@routes.add("GET", "/api/v2/items/{id}", needs(KEY | LOGIN), name="get", errors=_MISSING)
async def get_item(call: Call, id: str) -> MemoryItem:
    """One item."""
    item = editing.shape(await editing.get_item(call.tx, call.caller, id, Right.READ))
    show_etag(call, item)
    return item


@routes.add(
    "PATCH",
    "/api/v2/items/{id}",
    needs(KEY | LOGIN),
    name="update",
    errors=(*_CHANGE, errors.CHANGED_MEANWHILE),
)
async def update_item(call: Call, id: str, body: ItemChange) -> MemoryItem:
    """Change an item, approve it or retire it."""
    row = await editing.get_item(call.tx, call.caller, id, Right.WRITE)
    refuse_if_changed(call, editing.shape(row))
    await editing.update_item(call.tx, call.caller, row, body)
    item = editing.shape(await editing.get_item(call.tx, call.caller, id, Right.READ))
    show_etag(call, item)
    return item


@routes.add("DELETE", "/api/v2/items/{id}", needs(KEY | LOGIN), name="delete", status=204, errors=_CHANGE)
async def delete_item(call: Call, id: str) -> None:
    """Delete an item for ever, with its history."""
    await editing.delete_item(call.tx, call.caller, await editing.get_item(call.tx, call.caller, id, Right.WRITE))


@routes.add("GET", "/api/v2/items/{id}/revisions", needs(KEY | LOGIN), name="revisions", errors=_MISSING)
async def list_revisions(call: Call, id: str, query: RevisionPage) -> list[Revision]:
    """Every state an item has had, newest first."""
    await editing.get_item(call.tx, call.caller, id, Right.READ)
    return await show_revisions(call, call.caller.scope, id, query)


@routes.add(
    "POST",
    "/api/v2/items/{id}/revert",
    needs(KEY | LOGIN),
    name="revert",
    errors=(*_CHANGE, errors.REVISION_NOT_FOUND),
)
async def revert_item(call: Call, id: str, body: Reversion) -> MemoryItem:
    """Give an item the state of an earlier version again, as a new version."""
    row = await editing.get_item(call.tx, call.caller, id, Right.WRITE)
    await editing.revert_item(call.tx, call.caller, row, int(body.version))
    return editing.shape(await editing.get_item(call.tx, call.caller, id, Right.READ))
