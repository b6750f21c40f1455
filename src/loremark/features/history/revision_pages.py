"""Pages of revisions for the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.history import store
from loremark.storage.database import Row
from loremark.web.call import Call
from loremark.web.paging import Page, cut, set_next_cursor
from loremark.wire.history import Revision

T = TypeVar("T")

VersionCursor = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,14}$(?!\n)")]


class RevisionPage(Page, frozen=True):
    """Query parameters of a revision list. The cursor is a version number."""

    cursor: VersionCursor | None = None


async def list_revision_page(call: Call, scope: Scope, record_id: str, page: RevisionPage) -> list[Revision]:
    """List revisions, newest first."""
    before = int(page.cursor) if page.cursor else None
    rows = await store.list_revisions(call.tx, scope, record_id, before, page.take)
    return cut_by_size(call, page, rows, [_shape(row) for row in rows], [str(row["version"]) for row in rows])


def cut_by_size(call: Call, page: Page, rows: Sequence[Row], entries: Sequence[T], cursors: Sequence[str]) -> list[T]:
    """Return the page's entries and set the next cursor, also when long texts ended the page early."""
    if rows and len(rows) < rows[0]["found"] and len(rows) <= page.limit:
        set_next_cursor(call, cursors[-1])
    return cut(call, page, entries, cursors)


def _shape(row: Row) -> Revision:
    return Revision(
        version=row["version"],
        change=row["reason"],
        actor_id=row["actor_id"],
        created_at=clock.iso(row["created_at_ms"]),
        snapshot=msgspec.json.decode(row["snapshot"]),
    )
