"""Which session an event belongs to: the newest open one of its project and source, or one that it begins."""

from __future__ import annotations

from cairn.base import ids
from cairn.features.ingest import store
from cairn.features.ingest.payload import Captured
from cairn.storage.database import Tx


class Links:
    """The sessions of a group of events, each looked up once and held, so that none ends meanwhile."""

    def __init__(self, since_ms: int) -> None:
        self.begun: dict[str, Captured] = {}
        """Sessions that are not there yet, each with the event that begins it."""
        self._since_ms = since_ms
        self._known: dict[tuple[str, str], str] = {}

    async def session_for(self, tx: Tx, item: Captured) -> str:
        lane = (item.project_id, item.source)
        found = self._known.get(lane)
        if found is None:
            found = await store.find_open_session(tx, item.project_id, item.source, self._since_ms)
            if found is None:
                found = ids.new("ses")
                self.begun[found] = item
            self._known[lane] = found
        return found
