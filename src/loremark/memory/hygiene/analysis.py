"""Runs all hygiene rules and resolves several proposals for one item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from loremark.memory.hygiene import deprecation, duplicates, quality, redaction, retagging, titles
from loremark.memory.hygiene.proposals import HygieneItem, Proposal
from loremark.memory.items import Item

_CONFLICT = "conflict"


def analyze(
    seen: Sequence[HygieneItem], vectors: NDArray[np.float32] | None, *, judged_by_vector: bool = False
) -> list[Proposal]:
    """Return the proposals, most important first. An item gets no minor proposal if a major one replaces it.

    ``vectors``: one unit row per item; None if there are none, then only equal texts count as duplicates.
    ``judged_by_vector``: whether the type model supports the vectors' embedding model.
    """
    ordered = sorted(range(len(seen)), key=lambda place: seen[place].item.id)
    ordered_items = [seen[place] for place in ordered]
    rows = vectors[ordered] if vectors is not None and len(ordered_items) else None
    cleaned = [redaction.clean_item(each.item) for each in ordered_items]
    found = [
        proposal
        for each, item in zip(ordered_items, cleaned, strict=True)
        if (proposal := redaction.propose(each, item)) is not None
    ]
    # The rules below see only redacted text, so their proposals cannot leak it.
    redacted = [replace_item(each, item) for each, item in zip(ordered_items, cleaned, strict=True)]
    retired = _retired(redacted, rows)
    found += retired.values()
    # Redact secrets first: a merge would copy them. Conflicts are for a person to resolve.
    mergeable = [
        place
        for place, each in enumerate(ordered_items)
        if cleaned[place] is each.item and each.item.id not in retired and _CONFLICT not in each.item.flags
    ]
    merges = _merges(redacted, rows, mergeable)
    found += merges
    absorbed = {item_id for merge in merges for item_id in merge.item_ids[1:]}
    items = [each.item for each in redacted]
    for place, item in enumerate(items):
        if item.id not in retired and item.id not in absorbed:
            vector = rows[place] if rows is not None and judged_by_vector else None
            found += _of_one(item, vector, items)
    return found


def replace_item(seen: HygieneItem, item: Item) -> HygieneItem:
    return seen if item is seen.item else replace(seen, item=item)


def _retired(seen: Sequence[HygieneItem], rows: NDArray[np.float32] | None) -> dict[str, Proposal]:
    living = {each.item.id: each for each in seen}
    found: dict[str, Proposal] = {}
    for place, each in enumerate(seen):
        proposal = deprecation.propose(each, deprecation.later_similarities(place, seen, rows), living)
        if proposal is not None:
            found[each.item.id] = proposal
    # An item that is itself deprecated is no successor.
    return {item_id: each for item_id, each in found.items() if each.successor not in found}


def _merges(seen: Sequence[HygieneItem], rows: NDArray[np.float32] | None, places: list[int]) -> list[Proposal]:
    if len(places) < 2:
        return []
    # Without vectors only equal texts match.
    vectors = rows[places] if rows is not None else np.zeros((len(places), 1), dtype=np.float32)
    return duplicates.propose([seen[place] for place in places], vectors)


def _of_one(item: Item, vector: NDArray[np.float32] | None, others: Sequence[Item]) -> list[Proposal]:
    titled = titles.propose(item)
    doubt = quality.propose(item, titled if isinstance(titled, str) else None)
    if doubt is not None:
        return [doubt]
    found = [titled] if isinstance(titled, Proposal) else []
    tagged = retagging.propose(item, vector, others)
    return [*found, *([tagged] if tagged is not None else [])]
