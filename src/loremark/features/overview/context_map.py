"""The context map: each item belongs to the deepest context that matches its schema key."""

from __future__ import annotations

from collections import Counter, defaultdict

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.overview import store
from loremark.features.overview.service import flags_of
from loremark.memory import schema_keys
from loremark.storage.database import Row, Tx
from loremark.wire.overview import MapContext, MapItemCounts

_MAX_CONTEXTS = 5_000
"""More than the map can show. The oldest are kept, since they are closest to the root."""


async def get_map(tx: Tx, scope: Scope, project_id: str) -> list[MapContext]:
    """The project's and the team's contexts with their item counts. Items without a context are not counted."""
    rows = await store.list_contexts(tx, scope, project_id, _MAX_CONTEXTS)
    # A project's own context takes precedence over the team's with the same key.
    by_key = {row["schema_key"]: row["id"] for row in sorted(rows, key=lambda row: row["project_id"] is not None)}
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for row in await store.count_keys(tx, scope, project_id):
        context_id = _context_of(row["schema_key"], by_key)
        if context_id is not None:
            for counter in (row["status"], *flags_of(row)):
                counted[context_id][counter] += row["found"]
    return [_shape(row, counted[row["id"]]) for row in rows]


def _context_of(schema_key: str, by_key: dict[str, str]) -> str | None:
    at: str | None = schema_key
    while at is not None and at not in by_key:
        at = schema_keys.parent(at)
    return None if at is None else by_key[at]


def _shape(row: Row, counted: Counter[str]) -> MapContext:
    return MapContext(
        id=row["id"],
        parent_id=row["parent_id"],
        name=row["name"],
        schema_key=row["schema_key"],
        state=row["state"],
        tier=row["tier"],
        context_type=row["context_type"],
        project_id=row["project_id"],
        tokens=row["token_count"],
        updated_at=clock.iso(row["updated_at_ms"]),
        items=MapItemCounts(**{name: counted[name] for name in MapItemCounts.__struct_fields__}),
    )
