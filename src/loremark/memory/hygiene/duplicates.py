"""Proposes to merge items that state the same fact. Contradicting items are never merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from loremark.memory import dedup
from loremark.memory.hygiene.proposals import HygieneItem, Proposal, quote_title
from loremark.memory.items import Item
from loremark.memory.merging import merge

MIN_COSINE = 0.72
"""Less similar items are never merged.

On the dev pairs, most of them hard: 171 merges with two wrong ones; from 0.65 on, 249 with five.
"""
_STATUS_RANK = {"approved": 1, "draft": 0}


def propose(seen: Sequence[HygieneItem], vectors: NDArray[np.float32]) -> list[Proposal]:
    """One proposal per group; an item is in at most one."""
    found: list[Proposal] = []
    for branch in sorted({each.branch or "" for each in seen}):
        places = [place for place, each in enumerate(seen) if (each.branch or "") == branch]
        items = [seen[place].item for place in places]
        for group in dedup.cluster_items(items, vectors[places]):
            if len(group) > 1:
                proposal = _of_group([items[number] for number in group], vectors[places][group])
                found += [proposal] if proposal is not None else []
    return found


def choose_survivor(items: Sequence[Item]) -> Item:
    """The item to keep: approved, then more confident, more evidence, longer, oldest."""

    def quality(item: Item) -> tuple[int, float, int, int]:
        return _STATUS_RANK.get(item.status, 0), item.confidence, len(item.evidence), len(item.content)

    best = max(map(quality, items))
    return min((item for item in items if quality(item) == best), key=lambda item: item.id)


def merged(survivor: Item, others: Sequence[Item]) -> Item:
    """The survivor with the others' sentences, files, tags and evidence. Its title and place stay."""
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
    survivor = choose_survivor(items)
    mine = vectors[[item.id for item in items].index(survivor.id)]
    same: list[tuple[Item, float]] = []
    for item, vector in zip(items, vectors, strict=True):
        cosine = min(1.0, float(mine @ vector))
        if item.id != survivor.id and _is_surely_same(survivor, item, cosine):
            same.append((item, cosine))
    if not same:
        return None
    least = min(cosine for _, cosine in same)
    similarity = f" (similarity {least:.2f})" if least >= MIN_COSINE else ""
    titles = [quote_title(survivor), *(quote_title(item) for item, _ in same[:3])]
    last = "others" if len(same) > 3 else titles.pop()
    outcome = "The other is" if len(same) == 1 else "The others are"
    return Proposal(
        type="MERGE_MEMORIES",
        item_ids=(survivor.id, *(item.id for item, _ in same)),
        description=(
            f"{', '.join(titles)} and {last} say the same thing{similarity}. The first is kept, with the files, "
            f"tags and evidence of all of them. {outcome} deprecated and can be restored by reverting the first."
        ),
        confidence=round(min(0.97, 0.6 + 0.38 * max(least, MIN_COSINE)), 2),
    )


def _is_surely_same(survivor: Item, item: Item, cosine: float) -> bool:
    # Equal texts are one fact even without vectors.
    is_near = cosine >= MIN_COSINE or (survivor.title, survivor.content) == (item.title, item.content)
    return is_near and dedup.is_same(survivor, item, cosine)
