"""The items that one has to do with: what contradicts it, what is near to it, what shares its files or its session."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loremark.base import limits
from loremark.base.caller import Scope
from loremark.features.index.store import RANKED
from loremark.features.items.editing import shape
from loremark.features.items.records import files_of, to_item
from loremark.features.items.service import CONFLICT, list_by_ids
from loremark.features.related import store
from loremark.features.search.service import SIMILARITY_FLOOR, Finder
from loremark.memory import drift
from loremark.memory.branches import is_default
from loremark.memory.items import Item
from loremark.memory.ranking.calibration import DEFAULT
from loremark.memory.ranking.ranking import Filters
from loremark.storage.database import Database, Row
from loremark.wire.items import Contradiction, NearItem, RelatedItems

_NEAR = 5
_LOOKED_AT = 8
"""So many of each state are looked at, to find what contradicts where that was not kept."""
_OTHERS = 10
_SURE = 1.0


@dataclass(frozen=True)
class Kept:
    """What the database says of an item's relations: ids, and why others contradict it."""

    conflicts: Mapping[str, str]
    same_files: Sequence[str]
    same_session: Sequence[str]


async def find_related(database: Database, finder: Finder, scope: Scope, row: Row) -> RelatedItems:
    """All of it, with no transaction open while the item's text is embedded."""
    kept = await _read_kept(database, scope, row)
    near = await _find_near(finder, scope, row)
    async with database.read() as tx:
        wanted = {*kept.conflicts, *near, *kept.same_files, *kept.same_session}
        found = await list_by_ids(tx, scope, wanted)
    rows = {other["id"]: other for other in found if other["project_id"] == row["project_id"]}
    item, others = to_item(row), {item_id: to_item(other) for item_id, other in rows.items()}
    reasons = await asyncio.to_thread(_contradicting, item, others, kept.conflicts, near)
    close = [one for one in near if one in rows and near[one] >= SIMILARITY_FLOOR][:_NEAR]
    return RelatedItems(
        conflicts=[Contradiction(item=shape(rows[one]), why=why) for one, why in reasons.items()],
        near=[NearItem(item=shape(rows[one]), similarity=near[one]) for one in close],
        same_files=[shape(rows[one]) for one in kept.same_files if one in rows],
        same_session=[shape(rows[one]) for one in kept.same_session if one in rows],
    )


async def _read_kept(database: Database, scope: Scope, row: Row) -> Kept:
    project_id, item_id, session_id = row["project_id"], row["id"], row["session_id"]
    async with database.read() as tx:
        conflicts = await store.list_conflicts(tx, scope, project_id, item_id, _OTHERS)
        same_files = await store.list_same_files(tx, scope, project_id, item_id, files_of(row), _OTHERS)
        same_session: list[str] = []
        if session_id is not None:
            same_session = await store.list_same_session(tx, scope, item_id, session_id, _OTHERS)
    return Kept(conflicts, same_files, same_session)


async def _find_near(finder: Finder, scope: Scope, row: Row) -> dict[str, float]:
    """How similar others are, best first: approved ones and drafts, of no branch or of the item's own."""
    text = f"{row['title']}\n{row['content']}"[: limits.QUESTION_MAX_CHARS]
    branch = None if row["merged_at_ms"] is not None or is_default(row["branch"], None) else row["branch"]
    found: dict[str, float] = {}
    for status in RANKED:
        answer = await finder.find(
            scope, row["project_id"], text, limit=_LOOKED_AT + 1, filters=Filters(status=status, branch=branch)
        )
        found |= {source.item_id: round(source.similarity, 4) for source in answer.sources}
    found.pop(row["id"], None)
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def _contradicting(
    item: Item, others: Mapping[str, Item], kept: Mapping[str, str], near: Mapping[str, float]
) -> dict[str, str]:
    """Why others contradict the item, in its own words first.

    What was found is kept for both sides in the words of one, so it is said anew. A flag may also have come back
    without the other side, with a revert or an import: then the nearest are judged as they would be today.
    """
    pairs = [(others[one], _SURE) for one in kept if one in others]
    if not pairs and CONFLICT in item.flags:
        pairs = [(others[one], _cosine(similarity)) for one, similarity in near.items() if one in others]
    today = {conflict.other_id: conflict.reason for conflict in drift.conflicts(item, pairs)}
    return today if not kept else {one: today.get(one, why) for one, why in kept.items() if one in others}


def _cosine(similarity: float) -> float:
    """What a similarity was made from; not above where it is whole."""
    scale = DEFAULT
    if similarity < SIMILARITY_FLOOR:
        return scale.none + 2 * similarity * (scale.even - scale.none)
    return scale.even + (2 * similarity - 1) * (scale.whole - scale.even)
