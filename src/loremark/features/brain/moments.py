"""Moments at which approved memory changed, for the API."""

from __future__ import annotations

from loremark.base import clock
from loremark.features.brain import store
from loremark.features.history import store as history
from loremark.storage.database import Row
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.wire.brain import BrainHistoryEntry

_TITLE_COLUMNS = [f"of_{number}" for number in range(1, history.MOMENT_TITLES + 1)]


async def list_moment_page(call: Call, project_id: str, page: Page) -> list[BrainHistoryEntry]:
    """List moments, newest first, with current titles."""
    scope, before_ms = call.caller.scope, int(page.cursor) if page.cursor else None
    rows = await history.list_moments(call.tx, scope, project_id, before_ms, page.take)
    named = {row[column] for row in rows for column in _TITLE_COLUMNS if row[column] is not None}
    titles = await store.list_titles(call.tx, scope, project_id, named)
    return cut(call, page, [_shape(row, titles) for row in rows], [str(row["first_ms"]) for row in rows])


def _shape(row: Row, titles: dict[str, str]) -> BrainHistoryEntry:
    return BrainHistoryEntry(
        at=clock.iso(row["last_ms"]),
        added=int(row["added"]),
        changed=int(row["changed"]),
        removed=int(row["removed"]),
        titles=[titles[row[column]] for column in _TITLE_COLUMNS if row[column] in titles],
    )
