"""The map: each item stands at the deepest context there is for its schema key."""

from __future__ import annotations

from collections import Counter, defaultdict

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.overview import store
from loremark.features.overview.service import flags_of
from loremark.memory import schema_keys
from loremark.storage.database import Row, Tx
from loremark.wire.overview import Place, PlaceCounts

_MOST = 5_000
"""More squares than a picture can show. The oldest come first: a tree grows from its root."""


async def show_map(tx: Tx, scope: Scope, project_id: str) -> list[Place]:
    """The contexts that count for a project. An item for which there is none is on no place."""
    rows = await store.list_places(tx, scope, project_id, _MOST)
    # A project's own context comes before the team's of the same key.
    by_key = {row["schema_key"]: row["id"] for row in sorted(rows, key=lambda row: row["project_id"] is not None)}
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for row in await store.count_keys(tx, scope, project_id):
        place = _place_of(row["schema_key"], by_key)
        if place is not None:
            for counter in (row["status"], *flags_of(row)):
                counted[place][counter] += row["found"]
    return [_shape(row, counted[row["id"]]) for row in rows]


def _place_of(schema_key: str, by_key: dict[str, str]) -> str | None:
    at: str | None = schema_key
    while at is not None and at not in by_key:
        at = schema_keys.parent(at)
    return None if at is None else by_key[at]


def _shape(row: Row, counted: Counter[str]) -> Place:
    return Place(
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
        items=PlaceCounts(**{name: counted[name] for name in PlaceCounts.__struct_fields__}),
    )
