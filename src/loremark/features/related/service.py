"""Related items: conflicts, similar items, and items from the same files or session."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loremark.base import limits
from loremark.base.caller import Scope
from loremark.features.index.store import SEARCHABLE
from loremark.features.items.editing import shape
from loremark.features.items.records import files_of, to_item
from loremark.features.items.service import PROPOSED_EDIT, list_by_ids
from loremark.features.related import store
from loremark.features.search.service import SIMILARITY_FLOOR, Finder
from loremark.memory import drift
from loremark.memory.branches import is_default_branch
from loremark.memory.items import Item
from loremark.memory.ranking.ranking import Filters
from loremark.storage.database import Database, Row
from loremark.wire.items import ConflictingItem, RelatedItems, SimilarItem

_MAX_SIMILAR = 5
_MAX_OTHERS = 10
_CERTAIN = 1.0


@dataclass(frozen=True)
class StoredRelations:
    """Relations found in the database: item ids, and the reasons of recorded conflicts."""

    conflicts: Mapping[str, str]
    same_files: Sequence[str]
    same_session: Sequence[str]


async def find_related(database: Database, finder: Finder, scope: Scope, row: Row) -> RelatedItems:
    """Find related items. No transaction is open while the item's text is embedded."""
    stored = await _read_stored(database, scope, row)
    similarities = await _find_similar(finder, scope, row)
    async with database.read() as tx:
        item_ids = {*stored.conflicts, *similarities, *stored.same_files, *stored.same_session}
        found = await list_by_ids(tx, scope, item_ids)
    rows = {other["id"]: other for other in found if other["project_id"] == row["project_id"]}
    item, others = to_item(row), {item_id: to_item(other) for item_id, other in rows.items()}
    reasons = await asyncio.to_thread(_find_conflicts, item, others, stored.conflicts)
    similar = [other_id for other_id, score in similarities.items() if other_id in rows and score >= SIMILARITY_FLOOR]
    return RelatedItems(
        conflicts=[ConflictingItem(item=shape(rows[item_id]), reason=why) for item_id, why in reasons.items()],
        similar=[
            SimilarItem(item=shape(rows[item_id]), similarity=similarities[item_id])
            for item_id in similar[:_MAX_SIMILAR]
        ],
        same_files=[shape(rows[item_id]) for item_id in stored.same_files if item_id in rows],
        same_session=[shape(rows[item_id]) for item_id in stored.same_session if item_id in rows],
    )


async def _read_stored(database: Database, scope: Scope, row: Row) -> StoredRelations:
    project_id, item_id, session_id = row["project_id"], row["id"], row["session_id"]
    async with database.read() as tx:
        conflicts = await store.list_conflicts(tx, scope, project_id, item_id, _MAX_OTHERS)
        same_files = await store.list_same_files(tx, scope, project_id, item_id, files_of(row), _MAX_OTHERS)
        same_session: list[str] = []
        if session_id is not None:
            same_session = await store.list_same_session(tx, scope, item_id, session_id, _MAX_OTHERS)
    return StoredRelations(conflicts, same_files, same_session)


async def _find_similar(finder: Finder, scope: Scope, row: Row) -> dict[str, float]:
    """Return similarities by item id, best first: approved items and drafts on the default or the item's branch."""
    text = f"{row['title']}\n{row['content']}"[: limits.QUESTION_MAX_CHARS]
    branch = None if row["merged_at_ms"] is not None or is_default_branch(row["branch"], None) else row["branch"]
    found: dict[str, float] = {}
    for status in SEARCHABLE:
        answer = await finder.find(
            scope, row["project_id"], text, limit=_MAX_SIMILAR + 1, filters=Filters(status=status, branch=branch)
        )
        found |= {source.item_id: round(source.similarity, 4) for source in answer.sources}
    found.pop(row["id"], None)
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def _find_conflicts(item: Item, others: Mapping[str, Item], stored: Mapping[str, str]) -> dict[str, str]:
    """Return why other items contradict this one, by item id.

    A recorded reason is phrased for one side only, so it is derived again for this item. Every reason is a predicate
    of this item: "says 60 minutes where the other says 30 minutes".
    """
    pairs = [(others[item_id], _CERTAIN) for item_id in stored if item_id in others]
    current = {conflict.other_id: conflict.reason for conflict in drift.find_conflicts(item, pairs)}
    proposed = "would be replaced by the other" if item.status == "approved" else "proposes new text for the other"
    return {
        item_id: proposed if why == PROPOSED_EDIT else current.get(item_id, why)
        for item_id, why in stored.items()
        if item_id in others
    }
