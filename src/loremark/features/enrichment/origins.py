"""Item origins: the types of the events an item quotes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from sqlalchemy import bindparam, select

from loremark.base.caller import Scope
from loremark.features.items import records
from loremark.memory.items import Item
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import events

_KINDS = Sql(
    select(events.c.id, events.c.event).where(events.c.team_id == bindparam("scope"), InList(events.c.id, "event_ids"))
)
_UNKNOWN = ""
"""Type of a deleted event, which may or may not have been a commit."""


async def load_items(tx: Tx, scope: Scope, rows: Iterable[Row]) -> dict[str, Item]:
    """Return the items of these rows by id, each with its origins."""
    found = [records.to_item(row) for row in rows]
    event_ids = sorted({quote.event_id for item in found for quote in item.evidence})
    rows = await tx.many(_KINDS, scope=scope, event_ids=event_ids) if event_ids else []
    kinds = {row["id"]: str(row["event"]) for row in rows}
    return {item.id: dataclasses.replace(item, origins=_origins(item, kinds)) for item in found}


def _origins(item: Item, kinds: dict[str, str]) -> tuple[str, ...]:
    """Return the event types, or an empty tuple if none of the events exists anymore."""
    found = {kinds.get(quote.event_id, _UNKNOWN) for quote in item.evidence}
    return tuple(sorted(found)) if found != {_UNKNOWN} else ()
