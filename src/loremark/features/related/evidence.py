"""An item's evidence, with excerpts from the quoted events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loremark.base import clock, limits
from loremark.features.related.excerpts import find_excerpt
from loremark.features.sessions.blobs import PayloadReader
from loremark.memory.items import Quote
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Row
from loremark.wire.items import EvidenceDetail

MAX_QUOTES = 50


def oldest_quotes(evidence: Sequence[Quote]) -> list[Quote]:
    """Return the oldest quotes, up to the maximum shown."""
    return sorted(evidence, key=lambda quote: quote.event_id)[:MAX_QUOTES]


class CitedEventReader:
    """Finds quotes in events. Each event is read once, and its large texts only if needed."""

    def __init__(self, blobs: Blobs, project_id: str, cited: Mapping[str, Row]) -> None:
        self._project_id = project_id
        self._reader = PayloadReader(blobs, project_id)
        self._cited = cited

    async def read(self, quotes: Sequence[Quote]) -> list[EvidenceDetail]:
        found: dict[Quote, str | None] = {}
        for event_id in dict.fromkeys(quote.event_id for quote in quotes):
            of_event = [quote for quote in quotes if quote.event_id == event_id]
            found |= await self._find(self._cited.get(event_id), of_event)
        return [_shape(quote, self._cited.get(quote.event_id), found[quote]) for quote in quotes]

    async def _find(self, row: Row | None, quotes: Sequence[Quote]) -> dict[Quote, str | None]:
        if row is None or row["payload"] is None:
            return dict.fromkeys(quotes)
        stored = row["payload"]
        inline = await PayloadReader(None, self._project_id).read(stored)
        found = {quote: find_excerpt(inline, quote.quote) for quote in quotes}
        if None in found.values() and '$blob"' in stored and self._reader.size <= limits.EVENTS_PAGE_BYTES:
            whole = await self._reader.read(stored)
            found = {quote: find_excerpt(whole, quote.quote) if at is None else at for quote, at in found.items()}
        return found


def _shape(quote: Quote, row: Row | None, excerpt: str | None) -> EvidenceDetail:
    return EvidenceDetail(
        event_id=quote.event_id,
        quote=quote.quote,
        commit_sha=quote.commit_sha or None,
        event=row["event"] if row is not None else None,
        session_id=row["session_id"] if row is not None else None,
        created_at=clock.iso(row["created_at_ms"]) if row is not None else None,
        source=row["source"] if row is not None else None,
        excerpt=excerpt or "",
        found=excerpt is not None,
    )
