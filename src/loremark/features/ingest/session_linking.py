"""Linking events to sessions: the newest open session of the project and source, or a new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from loremark.base import ids
from loremark.features.ingest import store
from loremark.features.ingest.payload import CapturedEvent
from loremark.storage.database import Tx


class SessionLinks:
    """The sessions of a group of events, in the order of the events.

    One statement finds an open session, locks it and counts the events; duplicates are subtracted later. A new
    session is only created if one of its events is new.
    """

    def __init__(self, accepted: Sequence[CapturedEvent]) -> None:
        self._lanes = [(item.project_id, item.source) for item in accepted]
        self._first = dict(zip(reversed(self._lanes), reversed(accepted), strict=True))
        self.session_ids: list[str] = []
        self.new_sessions: dict[str, CapturedEvent] = {}
        """Sessions to create, each with its first event."""

    async def join(self, tx: Tx, *, since_ms: int, now_ms: int) -> None:
        known: dict[tuple[str, str], str] = {}
        for lane, count in Counter(self._lanes).items():
            found = await store.join_session(tx, *lane, count=count, since_ms=since_ms, now_ms=now_ms)
            if found is None:
                found = ids.new("ses")
                self.new_sessions[found] = self._first[lane]
            known[lane] = found
        self.session_ids = [known[lane] for lane in self._lanes]

    def counts(self, new: set[int]) -> list[tuple[str, int, int]]:
        """Return the number of new and of duplicate events of each session."""
        of_all = Counter(self.session_ids)
        of_new = Counter(self.session_ids[at] for at in new)
        return [(session_id, of_new[session_id], count - of_new[session_id]) for session_id, count in of_all.items()]
