"""Which session an event belongs to: the newest open one of its project and source, or one that it begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from loremark.base import ids
from loremark.features.ingest import store
from loremark.features.ingest.payload import Captured
from loremark.storage.database import Tx


class Links:
    """The sessions of a group of events, in their order.

    An open session is joined by one statement that finds it, holds it and counts the events; those that turn out to be
    there already are taken off again. A session that is not there yet is begun only if one of its events is new.
    """

    def __init__(self, accepted: Sequence[Captured]) -> None:
        self._lanes = [(item.project_id, item.source) for item in accepted]
        self._first = dict(zip(reversed(self._lanes), reversed(accepted), strict=True))
        self.session_ids: list[str] = []
        self.begun: dict[str, Captured] = {}
        """Sessions that are not there yet, each with the event that begins it."""

    async def join(self, tx: Tx, *, since_ms: int, now_ms: int) -> None:
        known: dict[tuple[str, str], str] = {}
        for lane, count in Counter(self._lanes).items():
            found = await store.join_session(tx, *lane, count=count, since_ms=since_ms, now_ms=now_ms)
            if found is None:
                found = ids.new("ses")
                self.begun[found] = self._first[lane]
            known[lane] = found
        self.session_ids = [known[lane] for lane in self._lanes]

    def counts(self, new: set[int]) -> list[tuple[str, int, int]]:
        """Each session with how many of its events are new, and how many are not."""
        of_all = Counter(self.session_ids)
        of_new = Counter(self.session_ids[at] for at in new)
        return [(session_id, of_new[session_id], count - of_new[session_id]) for session_id, count in of_all.items()]
