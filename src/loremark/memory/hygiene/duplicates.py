"""Items that tell the same fact, found with the house's own judgement; what contradicts is never put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from loremark.memory import dedup
from loremark.memory.hygiene.proposals import Proposal, Seen, named
from loremark.memory.items import Item
from loremark.memory.merging import merge

LEAST_COSINE = 0.72
"""Below this two texts are left alone whatever else speaks for one fact.

On the pairs of the dev set, most of them hard: 171 merges, two of them wrong; from 0.65 on 249 and five.
"""
_STATUS_RANK = {"approved": 1, "draft": 0}


def propose(seen: Sequence[Seen], vectors: NDArray[np.float32]) -> list[Proposal]:
    """One proposal for each group; an item stands in one at most."""
    found: list[Proposal] = []
    for branch in sorted({each.branch or "" for each in seen}):
        places = [place for place, each in enumerate(seen) if (each.branch or "") == branch]
        items = [seen[place].item for place in places]
        for group in dedup.group(items, vectors[places]):
            if len(group) > 1:
                proposal = _of_group([items[number] for number in group], vectors[places][group])
                found += [proposal] if proposal is not None else []
    return found


def survivor_of(items: Sequence[Item]) -> Item:
    """The one that stays: approved, surer, better proven, fuller; then the oldest."""

    def standing(item: Item) -> tuple[int, float, int, int]:
        return _STATUS_RANK.get(item.status, 0), item.confidence, len(item.evidence), len(item.content)

    best = max(map(standing, items))
    return min((item for item in items if standing(item) == best), key=lambda item: item.id)


def merged(survivor: Item, others: Sequence[Item]) -> Item:
    """The survivor with what the others add: sentences, files, tags, evidence. Its name and place stay its own."""
    whole = reduce(merge, others, survivor)
    return replace(
        whole,
        id=survivor.id,
        title=survivor.title,
        type=survivor.type,
        schema_key=survivor.schema_key,
        tier=survivor.tier,
        status=survivor.status,
        branch=survivor.branch,
        flags=survivor.flags,
    )


def _of_group(items: Sequence[Item], vectors: NDArray[np.float32]) -> Proposal | None:
    stays = survivor_of(items)
    mine = vectors[[item.id for item in items].index(stays.id)]
    same: list[tuple[Item, float]] = []
    for item, vector in zip(items, vectors, strict=True):
        cosine = min(1.0, float(mine @ vector))
        if item.id != stays.id and _is_surely_same(stays, item, cosine):
            same.append((item, cosine))
    if not same:
        return None
    least = min(cosine for _, cosine in same)
    likeness = f" (likeness {least:.2f})" if least >= LEAST_COSINE else ""
    others = " and ".join(named(item) for item, _ in same[:3]) + (" and others" if len(same) > 3 else "")
    goes = "the other is" if len(same) == 1 else "the others are"
    return Proposal(
        type="MERGE_MEMORIES",
        item_ids=(stays.id, *(item.id for item, _ in same)),
        description=(
            f"{named(stays)} and {others} tell the same{likeness}. The first stays, with the files, tags "
            f"and evidence of all; {goes} deprecated, names it as successor and comes back when the first is reverted."
        ),
        confidence=round(min(0.97, 0.6 + 0.38 * max(least, LEAST_COSINE)), 2),
    )


def _is_surely_same(stays: Item, item: Item, cosine: float) -> bool:
    # Texts that are equal are one fact also where there are no vectors to compare.
    is_near = cosine >= LEAST_COSINE or (stays.title, stays.content) == (item.title, item.content)
    return is_near and dedup.is_same(stays, item, cosine)
