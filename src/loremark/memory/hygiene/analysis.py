"""All rules over the items of a project, and what becomes of an item that several of them speak of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from loremark.memory.hygiene import duplicates, quality, redacting, retiring, tagging, titles
from loremark.memory.hygiene.proposals import Proposal, Seen
from loremark.memory.items import Item

_CONFLICT = "conflict"


def analyze(
    seen: Sequence[Seen], vectors: NDArray[np.float32] | None, *, judged_by_vector: bool = False
) -> list[Proposal]:
    """What could be done, the gravest first; for each item what is done with it last decides about the rest.

    ``vectors``: a row of unit length for each item; None where there are none, then only equal texts are duplicates.
    ``judged_by_vector``: whether the vectors are those that the house's judgement of types was made for.
    """
    ordered = sorted(range(len(seen)), key=lambda place: seen[place].item.id)
    looked = [seen[place] for place in ordered]
    rows = vectors[ordered] if vectors is not None and len(looked) else None
    cleaned = [redacting.clean_item(each.item) for each in looked]
    found = [
        proposal
        for each, item in zip(looked, cleaned, strict=True)
        if (proposal := redacting.propose(each, item)) is not None
    ]
    # Nothing below sees, and so nothing tells, what is to be taken out.
    bare = [replace_item(each, item) for each, item in zip(looked, cleaned, strict=True)]
    retired = _retired(bare, rows)
    found += retired.values()
    # What holds a secret is cleaned first: a merge would carry it on. What is in conflict is for a person to settle.
    mergeable = [
        place
        for place, each in enumerate(looked)
        if cleaned[place] is each.item and each.item.id not in retired and _CONFLICT not in each.item.flags
    ]
    merges = _merges(bare, rows, mergeable)
    found += merges
    absorbed = {item_id for merge in merges for item_id in merge.item_ids[1:]}
    items = [each.item for each in bare]
    for place, item in enumerate(items):
        if item.id not in retired and item.id not in absorbed:
            vector = rows[place] if rows is not None and judged_by_vector else None
            found += _of_one(item, vector, items)
    return found


def replace_item(seen: Seen, item: Item) -> Seen:
    return seen if item is seen.item else replace(seen, item=item)


def _retired(seen: Sequence[Seen], rows: NDArray[np.float32] | None) -> dict[str, Proposal]:
    living = {each.item.id: each for each in seen}
    found: dict[str, Proposal] = {}
    for place, each in enumerate(seen):
        proposal = retiring.propose(each, retiring.cosines_of_later(place, seen, rows), living)
        if proposal is not None:
            found[each.item.id] = proposal
    # One that is to go is no reason for another to go in its favour.
    return {item_id: each for item_id, each in found.items() if each.successor not in found}


def _merges(seen: Sequence[Seen], rows: NDArray[np.float32] | None, places: list[int]) -> list[Proposal]:
    if len(places) < 2:
        return []
    # Without vectors nothing is near anything, and equal texts are still found.
    vectors = rows[places] if rows is not None else np.zeros((len(places), 1), dtype=np.float32)
    return duplicates.propose([seen[place] for place in places], vectors)


def _of_one(item: Item, vector: NDArray[np.float32] | None, others: Sequence[Item]) -> list[Proposal]:
    titled = titles.propose(item)
    doubt = quality.propose(item, titled if isinstance(titled, str) else None)
    if doubt is not None:
        return [doubt]
    found = [titled] if isinstance(titled, Proposal) else []
    tagged = tagging.propose(item, vector, others)
    return [*found, *([tagged] if tagged is not None else [])]
