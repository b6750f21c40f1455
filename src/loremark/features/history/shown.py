"""Revisions as they are shown, and pages of them."""

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
from loremark.web.paging import Page, cut, go_on_after
from loremark.wire.history import Revision

T = TypeVar("T")

VersionCursor = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,14}$(?!\n)")]


class RevisionPage(Page, frozen=True):
    """The query of a history; it goes on below a version."""

    cursor: VersionCursor | None = None


async def show_revisions(call: Call, scope: Scope, of_id: str, page: RevisionPage) -> list[Revision]:
    """Newest first."""
    before = int(page.cursor) if page.cursor else None
    rows = await store.list_revisions(call.tx, scope, of_id, before, page.take)
    return cut_by_size(call, page, rows, [_shape(row) for row in rows], [str(row["version"]) for row in rows])


def cut_by_size(call: Call, page: Page, rows: Sequence[Row], entries: Sequence[T], cursors: Sequence[str]) -> list[T]:
    """The page's entries, where long texts may have ended it before its number did."""
    if rows and len(rows) < rows[0]["found"] and len(rows) <= page.limit:
        go_on_after(call, cursors[-1])
    return cut(call, page, entries, cursors)


def _shape(row: Row) -> Revision:
    return Revision(
        version=row["version"],
        change=row["reason"],
        actor_id=row["actor_id"],
        created_at=clock.iso(row["created_at_ms"]),
        snapshot=msgspec.json.decode(row["snapshot"]),
    )
