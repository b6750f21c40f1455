"""The moments at which approved memory changed, as they are shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from loremark.base import clock
from loremark.features.brain import store
from loremark.features.history import store as history
from loremark.storage.database import Row
from loremark.web.call import Call
from loremark.web.paging import Page, cut
from loremark.wire.brain import BrainMoment

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_THINGS = [f"of_{number}" for number in range(1, history.MOMENT_THINGS + 1)]


async def show_moments(call: Call, project_id: str, page: Page) -> list[BrainMoment]:
    """Newest first. Things are called as they are now."""
    scope, before_ms = call.caller.scope, int(page.cursor) if page.cursor else None
    rows = await history.list_moments(call.tx, scope, project_id, before_ms, page.take)
    named = {row[thing] for row in rows for thing in _THINGS if row[thing] is not None}
    titles = await store.list_titles(call.tx, scope, project_id, named)
    return cut(call, page, [_shape(row, titles) for row in rows], [str(row["first_ms"]) for row in rows])


def _shape(row: Row, titles: dict[str, str]) -> BrainMoment:
    return BrainMoment(
        at=clock.iso(row["last_ms"]),
        added=int(row["added"]),
        changed=int(row["changed"]),
        removed=int(row["removed"]),
        titles=[titles[row[thing]] for thing in _THINGS if row[thing] in titles],
    )


def epoch_ms(at: datetime) -> int:
    """A moment as milliseconds; those before 1970 are all alike."""
    return max(0, (at - _EPOCH) // _MILLISECOND)
