"""GET /api/v2/items/{id}/evidence and /related."""

from __future__ import annotations

from loremark.base import errors
from loremark.features.items import editing
from loremark.features.items.records import to_item
from loremark.features.projects.access import Access
from loremark.features.related import evidence, service, store
from loremark.features.search.service import Finder
from loremark.ports.blobs.store import Blobs
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.items import EvidenceDetail, RelatedItems

routes = Routes("items")

_MISSING = (errors.ITEM_NOT_FOUND,)


@routes.add(
    "GET", "/api/v2/items/{id}/evidence", needs(KEY | LOGIN, "read"), name="evidence", tx=TxMode.NONE, errors=_MISSING
)
async def list_evidence(call: Call, id: str) -> list[EvidenceDetail]:
    """List an item's evidence, oldest first: each quote with its event and surrounding text."""
    async with call.database.read() as tx:
        item = await editing.get_item(tx, call.caller, id, Access.READ)
        quotes = evidence.oldest_quotes(to_item(item).evidence)
        event_ids = {quote.event_id for quote in quotes}
        cited = await store.find_cited_events(tx, call.caller.scope, item["project_id"], event_ids)
    return await evidence.CitedEventReader(call.use(Blobs), item["project_id"], cited).read(quotes)


@routes.add(
    "GET", "/api/v2/items/{id}/related", needs(KEY | LOGIN, "read"), name="related", tx=TxMode.NONE, errors=_MISSING
)
async def show_related(call: Call, id: str) -> RelatedItems:
    """List conflicting and similar items, and items about the same files or from the same session."""
    async with call.database.read() as tx:
        item = await editing.get_item(tx, call.caller, id, Access.READ)
    return await service.find_related(call.database, call.use(Finder), call.caller.scope, item)
